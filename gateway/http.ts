// A call to a provider over HTTP, and what the lack of a response is known to mean.

import { Agent, buildConnector, request } from 'undici';
import { readBounded } from '../domain/bounded-body';
import { GatewayError } from '../domain/gateway-error';

/** A provider's API. */
export interface Host {
  /** The address, without a slash at the end. */
  readonly url: string;
  /** The deadline of a whole call, including the response body. */
  readonly timeout_ms: number;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: object | null;
}

export interface Exchanged {
  readonly status: number;
  readonly raw: Buffer;
}

/** No response of a simulator or provider is nearly as long: the longest tells of all operators of a country. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** The errors of connections that were not made. */
const of_connecting = new WeakSet<object>();
const connect = buildConnector({});

/**
 * It writes a request only to a connection that is made, and with TLS only after the handshake: a certificate that is
 * not trusted, or a handshake that was cut, is an error of connecting.
 */
const dispatcher = new Agent({
  connect: (target, callback) => {
    connect(target, (...[error, socket]) => {
      if (error === null) {
        callback(null, socket);
        return;
      }
      of_connecting.add(error);
      callback(error, null);
    });
  },
});

export function nameOf({ method, path }: Call): string {
  return `${method} ${path}`;
}

/**
 * Returns a whole response, of any status. The headers may depend on the body's text.
 * @throws GatewayError, whose `outcome` is `not_done` when no connection was made, or its TLS handshake failed
 */
export async function exchange(
  { url, timeout_ms }: Host,
  call: Call,
  headersOf: (text: string) => Readonly<Record<string, string>>,
): Promise<Exchanged> {
  const { method, path, body } = call;
  const text = body === null ? '' : JSON.stringify(body);
  // One deadline for everything: a response that arrives byte by byte counts as late too.
  const deadline = AbortSignal.timeout(timeout_ms);
  try {
    // `request` needs less CPU than `fetch`, and follows no redirect.
    const response = await request(url + path, {
      method,
      headers: {
        ...headersOf(text),
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body === null ? null : text,
      signal: deadline,
      dispatcher,
    });
    return { status: response.statusCode, raw: await readBody(response.body) };
  } catch (error) {
    if (deadline.aborted) {
      const message = `${nameOf(call)} got no response within ${timeout_ms} ms`;
      throw new GatewayError('timeout', message, { cause: error });
    }
    const outcome = of_connecting.has(error as object) ? 'not_done' : 'unknown';
    throw new GatewayError('unreachable', `${nameOf(call)} failed`, { cause: error, outcome });
  }
}

async function readBody(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks = await readBounded(body, MAX_RESPONSE_BYTES);
  if (chunks === undefined) throw new Error('the response is too large');
  return Buffer.concat(chunks);
}
