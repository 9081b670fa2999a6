// Sends one signed request to a URL that a merchant chose, and returns its outcome as one of a few
// words. One deadline covers everything from the DNS lookup to the last byte of the response.

import { errors } from 'undici';
import type { AttemptOutcome } from '../domain/webhook';
import { WEBHOOK_SIGNATURE_HEADERS } from '../secrets/webhook-secret';
import { responseText, MAX_RESPONSE_BYTES, retryAfterSeconds } from './response';
import { ConnectFault, createConnect } from './connect';
import { createConnections, type Connection, type ConnectionLimits } from './connections';
import { createUrlCheck, type WebhookUrlPolicy } from './url';

// Endless 1xx responses (RFC 9110, 15.2) would keep a processor busy until the deadline.
const MAX_INTERIM_RESPONSES = 8;

export interface WebhookSenderOptions extends ConnectionLimits {
  readonly policy: WebhookUrlPolicy;
  readonly deadline_ms: number;
  /** Certificate authorities to trust instead of Node's. */
  readonly ca?: string;
  /** DNS servers to ask instead of the system's. */
  readonly dns_servers?: readonly string[];
  readonly user_agent?: string;
}

export interface SendRequest {
  /** The account that sends: accounts share the connections to a host. */
  readonly account: string;
  readonly url: string;
  /** The headers of `signWebhook`; others are not sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text that was signed; it is sent in UTF-8. */
  readonly body: string;
  readonly deadline_ms?: number;
}

export interface SendResult {
  readonly outcome: AttemptOutcome;
  /**
   * Null with any outcome but `delivered` and `refused`. The response may have been cut off after it.
   */
  readonly status: number | null;
  /** The text of at most 16 KiB; NUL and invalid UTF-8 are replaced. */
  readonly response_body: string | null;
  readonly response_truncated: boolean;
  /** Seconds from now, 0 to 86,400; null when the receiver has not said it. */
  readonly retry_after_seconds: number | null;
  readonly duration_ms: number;
}

export interface WebhookSender {
  /** Never rejects. The deadline includes waiting for one of the origin's connections. */
  send(request: SendRequest): Promise<SendResult>;
  /** Sends nothing new, and resolves when the requests under way have ended. */
  close(): Promise<void>;
}

// The parser throws these errors when the response is not valid HTTP.
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

  /** Calls `end` with the outcome. */
  function start(request: SendRequest, signal: AbortSignal, end: (ending: Ending) => void): void {
    // Checked again: the row in the database may have changed since, and the policy too.
    const checked = checkUrl(request.url);
    if (!checked.ok || is_closed) return end(failure(checked.ok ? 'connection_failed' : 'blocked'));
    const { origin, pathname, search } = new URL(checked.url);
    const { account, body } = request;
    const message = { path: pathname + search, headers: headersOf(request, user_agent), body };
    connections.use({
      origin,
      account,
      signal,
      async exchange(connection) {
        const { ending, is_complete } = await exchange(connection, message, signal);
        if (ending === 'stale') return ending;
        end(ending);
        return is_complete ? 'complete' : 'broken';
      },
    });
  }

  return {
    send(request) {
      const began = performance.now();
      const abortion = new AbortController();
      return new Promise((resolve) => {
        let has_ended = false;
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
            abortion.abort();
            // An exchange that has begun knows more: its status may have come.
            setImmediate(() => end(failure('timeout')));
          });
        }, request.deadline_ms ?? options.deadline_ms);
        start(request, abortion.signal, end);
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

interface Exchanged {
  readonly ending: Ending | 'stale';
  /** The connection can be used again. */
  readonly is_complete: boolean;
}

/**
 * Exchanges one request and its response. `stale`: the receiver had closed the idle connection
 * before it sent anything; the request is sent once more, on a new connection.
 */
function exchange(
  { client, is_reused }: Connection,
  message: Message,
  signal: AbortSignal,
): Promise<Exchanged> {
  const chunks: Buffer[] = [];
  let size = 0;
  let interim_responses = 0;
  let status = 0;
  let retry_after: unknown;

  function endingOf(is_cut: boolean): Ending {
    return {
      outcome: status >= 200 && status < 300 ? 'delivered' : 'refused',
      status,
      ...responseText(chunks, is_cut),
      retry_after_seconds: retryAfterSeconds(retry_after),
    };
  }

  return new Promise((resolve) => {
    const end = (ending: Exchanged['ending'], is_complete: boolean): void =>
      resolve({ ending, is_complete });
    signal.addEventListener('abort', () =>
      end(status > 0 ? endingOf(true) : failure('timeout'), false),
    );
    client.dispatch(
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
          // The status says whether the receiver has it; what is wrong with the rest of the response does not matter.
          if (status > 0) return end(endingOf(true), false);
          const outcome = outcomeOf(error);
          const is_stale = is_reused && outcome === 'connection_failed';
          end(is_stale ? 'stale' : failure(outcome), false);
        },
      },
    );
  });
}

function headersOf({ headers }: SendRequest, user_agent: string): string[] {
  const sent = ['content-type', 'application/json', 'user-agent', user_agent];
  for (const name of WEBHOOK_SIGNATURE_HEADERS) {
    const value = headers[name];
    if (value !== undefined) sent.push(name, value);
  }
  return sent;
}

function outcomeOf(error: unknown): AttemptOutcome {
  if (error instanceof ConnectFault) return error.outcome;
  if (UNREADABLE.some((kind) => error instanceof kind)) return 'invalid_response';
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
