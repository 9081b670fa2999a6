// Sends one signed request to an address that a merchant chose, and says in few words what became of
// it. One deadline holds for everything from the name's lookup to the answer's last byte.

import { errors } from 'undici';
import { WEBHOOK_SIGNATURE_HEADERS } from '../secrets/webhook-secret';
import { answerText, MAX_ANSWER_BYTES, retryAfterSeconds } from './answer';
import { ConnectFault, createConnect } from './connect';
import { createConnections, type Connection, type Connections, type Wish } from './connections';
import { createUrlCheck, type WebhookUrlPolicy } from './url';

// A server that only ever says "wait" (RFC 9110, 15.2) keeps a processor busy until the deadline.
const MAX_INTERIM_ANSWERS = 8;

export interface WebhookSenderOptions {
  readonly policy: WebhookUrlPolicy;
  /** Connections to one scheme, host and port, whoever's endpoints are there. */
  readonly max_per_origin: number;
  readonly deadline_ms: number;
  /** Trusted instead of Node's authorities. */
  readonly ca?: string;
  /** Asked instead of the system's. */
  readonly dns_servers?: readonly string[];
  readonly user_agent?: string;
}

export interface SendRequest {
  readonly url: string;
  /** Those of `signWebhook`; others are not sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as these bytes in UTF-8: what was signed. */
  readonly body: string;
  readonly deadline_ms?: number;
}

export interface SendResult {
  readonly outcome:
    | 'delivered'
    | 'refused' /* answered, not 2xx */
    | 'timeout'
    | 'dns_failed'
    | 'connection_failed'
    | 'tls_failed'
    | 'invalid_response'
    | 'blocked' /* address or URL not allowed */;
  /** Of an answer that is whole, or was cut because it is long: null with any other outcome. */
  readonly status: number | null;
  /** At most 16 KiB of the answer, as text; NUL and invalid UTF-8 replaced. */
  readonly response_body: string | null;
  readonly response_truncated: boolean;
  /** In seconds from now, when the receiver said so, 0 to 86,400. */
  readonly retry_after_seconds: number | null;
  readonly duration_ms: number;
}

export interface WebhookSender {
  /** Never rejects. Waiting for one of the origin's connections counts towards the deadline. */
  send(request: SendRequest): Promise<SendResult>;
  /** Resolves when what is under way has ended; nothing is sent any more. */
  close(): Promise<void>;
}

// What the parser throws at what is no answer.
const UNREADABLE = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
];

type Ending = Omit<SendResult, 'duration_ms'>;

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const checkUrl = createUrlCheck(options.policy);
  const connections = createConnections(createConnect(options), options.max_per_origin);
  const user_agent = options.user_agent ?? 'payment-api-webhooks/1';
  let is_closed = false;

  /** Calls `end` when it has ended; the function that it returns gives it up. */
  function start(request: SendRequest, end: (ending: Ending) => void): () => void {
    // The row that it comes from may have been changed, and so may the policy.
    const checked = checkUrl(request.url);
    if (!checked.ok || is_closed) {
      end(failure(checked.ok ? 'connection_failed' : 'blocked'));
      return () => {};
    }
    const url = new URL(checked.url);
    const message = {
      path: url.pathname + url.search,
      headers: headersOf(request, user_agent),
      body: request.body,
    };
    let is_over = false;
    let stop = (): void => {};
    const attempt = (fresh: boolean): void => {
      if (is_over) return;
      const ready = (connection: Connection): void => {
        stop = () => connections.drop(connection);
        exchange({ connections, connection, message }, (ending) => {
          if (ending !== 'stale') end(ending);
          else attempt(true);
        });
      };
      const wish: Wish = { origin: url.origin, fresh, ready };
      stop = () => connections.withdraw(wish);
      connections.take(wish);
    };
    attempt(false);
    return () => {
      is_over = true;
      stop();
    };
  }

  return {
    send(request) {
      const began = performance.now();
      return new Promise((resolve) => {
        let is_over = false;
        let stop = (): void => {};
        const end = (ending: Ending): void => {
          is_over = true;
          clearTimeout(timer);
          resolve({ ...ending, duration_ms: Math.round(performance.now() - began) });
        };
        const timer = setTimeout(() => {
          // A process that stood still for longer finds its timers due and the answers unread: those
          // are read first, or every endpoint would seem to hang.
          setImmediate(() => {
            if (is_over) return;
            // In this order: what is stopped reports an end of its own.
            end(failure('timeout'));
            stop();
          });
        }, request.deadline_ms ?? options.deadline_ms);
        stop = start(request, end);
      });
    },

    close() {
      is_closed = true;
      return connections.close();
    },
  };
}

interface Message {
  readonly path: string;
  readonly headers: string[];
  readonly body: string;
}

interface Exchange {
  readonly connections: Connections;
  readonly connection: Connection;
  readonly message: Message;
}

/**
 * One request and its answer. `stale`: the receiver had closed the connection that was kept, before it
 * said anything; it is asked once more, on a new one.
 */
function exchange(
  { connections, connection, message }: Exchange,
  callback: (ending: Ending | 'stale') => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let interim_answers = 0;
  let status = 0;
  let retry_after: unknown;
  let is_over = false;

  function end(ending: Ending | 'stale', is_whole: boolean): void {
    if (is_over) return;
    is_over = true;
    callback(ending);
    if (is_whole) connections.giveBack(connection);
    else connections.drop(connection);
  }

  function answered(is_cut: boolean): Ending {
    return {
      outcome: status >= 200 && status < 300 ? 'delivered' : 'refused',
      status,
      ...answerText(chunks, is_cut),
      retry_after_seconds: retryAfterSeconds(retry_after),
    };
  }

  connection.client.dispatch(
    { method: 'POST', ...message },
    {
      // That it is there tells undici which kind of handler this is.
      onRequestStart: () => {},
      onResponseStart(_controller, status_code, headers) {
        if (status_code >= 200) {
          status = status_code;
          retry_after = headers['retry-after'];
        } else if ((interim_answers += 1) > MAX_INTERIM_ANSWERS) {
          end(failure('invalid_response'), false);
        }
      },
      onResponseData(_controller, chunk) {
        // A copy, as the chunk is a view of all that was read.
        chunks.push(Buffer.from(chunk.subarray(0, MAX_ANSWER_BYTES - size)));
        size += chunk.length;
        if (size >= MAX_ANSWER_BYTES) end(answered(true), false);
      },
      onResponseEnd: () => end(answered(false), true),
      onResponseError(_controller, error) {
        const outcome = outcomeOf(error, status > 0);
        const is_stale = connection.is_reused && outcome === 'connection_failed';
        end(is_stale ? 'stale' : failure(outcome), false);
      },
    },
  );
}

function headersOf({ headers }: SendRequest, user_agent: string): string[] {
  const sent = ['content-type', 'application/json', 'user-agent', user_agent];
  for (const name of WEBHOOK_SIGNATURE_HEADERS) {
    const value = headers[name];
    if (value !== undefined) sent.push(name, value);
  }
  return sent;
}

function outcomeOf(error: unknown, is_answered: boolean): SendResult['outcome'] {
  if (error instanceof ConnectFault) return error.outcome;
  // Begun, and not ended as it should.
  if (is_answered || UNREADABLE.some((kind) => error instanceof kind)) return 'invalid_response';
  // TLS 1.3 tells after its handshake that the receiver wants another certificate than we have.
  const { code } = error as { code?: unknown };
  const is_tls = typeof code === 'string' && code.startsWith('ERR_SSL_');
  return is_tls ? 'tls_failed' : 'connection_failed';
}

function failure(outcome: SendResult['outcome']): Ending {
  return {
    outcome,
    status: null,
    response_body: null,
    response_truncated: false,
    retry_after_seconds: null,
  };
}
