// Sends one signed request to a URL that a merchant chose, and returns its outcome as one of a few
// words. One deadline covers everything from the DNS lookup to the last byte of the response.

import { errors } from 'undici';
import type { AttemptOutcome } from '../domain/webhook';
import { WEBHOOK_SIGNATURE_HEADERS } from '../secrets/webhook-secret';
import { responseText, MAX_RESPONSE_BYTES, retryAfterSeconds } from './response';
import { ConnectFault, createConnect } from './connect';
import {
  createConnections,
  type ConnectionLimits,
  type Connection,
  type Connections,
  type ConnectionRequest,
} from './connections';
import { createUrlCheck, type WebhookUrlPolicy } from './url';

// Endless 1xx responses (RFC 9110, 15.2) would keep a processor busy until the deadline.
const MAX_INTERIM_RESPONSES = 8;

export interface WebhookSenderOptions extends ConnectionLimits {
  readonly policy: WebhookUrlPolicy;
  readonly deadline_ms: number;
  /** Certificate authorities to trust instead of Node's. */
  readonly ca?: string;
  /** Instead of the system's DNS servers. */
  readonly dns_servers?: readonly string[];
  readonly user_agent?: string;
}

export interface SendRequest {
  /** Whose webhook it is: accounts share the connections to a host. */
  readonly account: string;
  readonly url: string;
  /** The headers of `signWebhook`; others are not sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8: the bytes that were signed. */
  readonly body: string;
  readonly deadline_ms?: number;
}

export interface SendResult {
  readonly outcome: AttemptOutcome;
  /** Of a complete response, or of one that was cut at the limit; null with any other outcome. */
  readonly status: number | null;
  /** At most 16 KiB, as text; NUL and invalid UTF-8 are replaced. */
  readonly response_body: string | null;
  readonly response_truncated: boolean;
  /** From now, 0 to 86,400; null when the receiver has not said it. */
  readonly retry_after_seconds: number | null;
  readonly duration_ms: number;
}

export interface WebhookSender {
  /** Never rejects. The deadline includes waiting for one of the origin's connections. */
  send(request: SendRequest): Promise<SendResult>;
  /** Nothing new is sent. Resolves when the requests under way have ended. */
  close(): Promise<void>;
}

// What the parser throws when the response is not valid HTTP.
const UNREADABLE = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
];

type Ending = Omit<SendResult, 'duration_ms'>;

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const checkUrl = createUrlCheck(options.policy);
  const connections = createConnections(createConnect(options), options);
  const user_agent = options.user_agent ?? 'payment-api-webhooks/1';
  let is_closed = false;

  /** Calls `end` with the outcome. Returns a function that aborts. */
  function start(request: SendRequest, end: (ending: Ending) => void): () => void {
    // Checked again: the row in the database may have changed since, and the policy too.
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
    return sendMessage({ connections, origin: url.origin, account: request.account, message }, end);
  }

  return {
    send(request) {
      const began = performance.now();
      return new Promise((resolve) => {
        let has_ended = false;
        let stop = (): void => {};
        const end = (ending: Ending): void => {
          has_ended = true;
          clearTimeout(timer);
          resolve({ ...ending, duration_ms: Math.round(performance.now() - began) });
        };
        const timer = setTimeout(() => {
          // After a pause of the whole process, timers are due and responses unread. Responses are
          // read first, or every endpoint would seem to hang.
          setImmediate(() => {
            if (has_ended) return;
            // In this order: stopping reports an outcome of its own.
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

/** On a new connection when an idle one was stale. Returns a function that aborts. */
function sendMessage(
  {
    connections,
    message,
    ...from
  }: Omit<Exchange, 'connection'> & Pick<ConnectionRequest, 'origin' | 'account'>,
  end: (ending: Ending) => void,
): () => void {
  let is_aborted = false;
  let stop = (): void => {};
  const attempt = (fresh: boolean): void => {
    if (is_aborted) return;
    const ready = (connection: Connection): void => {
      stop = () => connections.destroy(connection);
      exchange({ connections, connection, message }, (ending) => {
        if (ending !== 'stale') end(ending);
        else attempt(true);
      });
    };
    const wanted: ConnectionRequest = { ...from, fresh, ready };
    stop = () => connections.cancel(wanted);
    connections.request(wanted);
  };
  attempt(false);
  return () => {
    is_aborted = true;
    stop();
  };
}

interface Exchange {
  readonly connections: Connections;
  readonly connection: Connection;
  readonly message: Message;
}

/**
 * One request and its response. `stale`: the receiver had closed the idle connection, before it
 * sent anything; the request is sent once more, on a new connection.
 */
function exchange(
  { connections, connection, message }: Exchange,
  callback: (ending: Ending | 'stale') => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let interim_responses = 0;
  let status = 0;
  let retry_after: unknown;
  let has_ended = false;

  function end(ending: Ending | 'stale', is_complete: boolean): void {
    if (has_ended) return;
    has_ended = true;
    callback(ending);
    if (is_complete) connections.release(connection);
    else connections.destroy(connection);
  }

  function endingOf(is_cut: boolean): Ending {
    return {
      outcome: status >= 200 && status < 300 ? 'delivered' : 'refused',
      status,
      ...responseText(chunks, is_cut),
      retry_after_seconds: retryAfterSeconds(retry_after),
    };
  }

  connection.client.dispatch(
    { method: 'POST', ...message },
    {
      // Its presence tells undici which kind of handler this is.
      onRequestStart: () => {},
      onResponseStart(_controller, status_code, headers) {
        if (status_code >= 200) {
          status = status_code;
          retry_after = headers['retry-after'];
        } else if ((interim_responses += 1) > MAX_INTERIM_RESPONSES) {
          end(failure('invalid_response'), false);
        }
      },
      onResponseData(_controller, chunk) {
        // A copy: the chunk is a view of a larger buffer, which would be kept in memory.
        chunks.push(Buffer.from(chunk.subarray(0, MAX_RESPONSE_BYTES - size)));
        size += chunk.length;
        if (size >= MAX_RESPONSE_BYTES) end(endingOf(true), false);
      },
      onResponseEnd: () => end(endingOf(false), true),
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

function outcomeOf(error: unknown, has_status: boolean): AttemptOutcome {
  if (error instanceof ConnectFault) return error.outcome;
  // The response began, and did not end as it should.
  if (has_status || UNREADABLE.some((kind) => error instanceof kind)) return 'invalid_response';
  // In TLS 1.3 the receiver reports after the handshake that it does not accept our certificate.
  const { code } = error as { code?: unknown };
  const is_tls = typeof code === 'string' && code.startsWith('ERR_SSL_');
  return is_tls ? 'tls_failed' : 'connection_failed';
}

function failure(outcome: AttemptOutcome): Ending {
  return {
    outcome,
    status: null,
    response_body: null,
    response_truncated: false,
    retry_after_seconds: null,
  };
}
