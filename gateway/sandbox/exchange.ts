// A signed call to the simulator, and what its response or the lack of one is known to mean.

import { request } from 'undici';
import { readBounded } from '../../domain/bounded-body';
import type { Environment } from '../../domain/environment';
import { GATEWAY_SIGNATURE_HEADER, signGatewayBody } from '../../secrets/gateway-signature';
import type { ListPage, ListWindow } from '../port';
import { signedText } from './call';
import { FieldFault, isObject, optionalText, readFields, textField, type Fields } from './fields';

/** One account at the simulator, decided by its secrets. */
export interface SandboxAccount {
  readonly environment: Environment;
  /** The address, without a slash at the end. */
  readonly url: string;
  /** The first signs our calls; notifications may be signed with any of them. */
  readonly secrets: readonly string[];
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

/** No response of this gateway is nearly as long. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** With these an operator says that it did nothing: the signature, the body, the rate, the host were refused. */
export const NOT_DONE: ReadonlySet<number> = new Set([401, 413, 421, 422, 429]);

/** A response with so many payments, refunds or payouts, with ids of any length, is not too large. */
const PAGE = 50;

/** `not_sent`: no connection was made. `late`: the deadline passed. `cut`: it ended in between. */
export class ExchangeError extends Error {
  readonly fault: 'not_sent' | 'late' | 'cut';
  constructor(fault: ExchangeError['fault'], message: string, options: ErrorOptions) {
    super(message, options);
    this.name = 'ExchangeError';
    this.fault = fault;
  }
}

export function checkSecrets({ environment, secrets }: SandboxAccount): void {
  if (secrets.length === 0 || secrets.includes('')) {
    throw new Error(`The ${environment} gateway needs secrets, and none of them may be empty.`);
  }
}

export function nameOf({ method, path }: Call): string {
  return `${method} ${path}`;
}

/** Returns a whole response, of any status. @throws ExchangeError */
export async function exchange(account: SandboxAccount, call: Call): Promise<Exchanged> {
  const { url, secrets, timeout_ms } = account;
  const { method, path, body } = call;
  const text = body === null ? '' : JSON.stringify(body);
  // One deadline for everything: a response that arrives byte by byte counts as late too.
  const deadline = AbortSignal.timeout(timeout_ms);
  try {
    // `request` needs less CPU than `fetch`, and follows no redirect.
    const response = await request(url + path, {
      method,
      headers: {
        [GATEWAY_SIGNATURE_HEADER]: signGatewayBody(signedText(method, path, text), secrets[0]!),
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body === null ? null : text,
      signal: deadline,
    });
    return { status: response.statusCode, raw: await readBody(response.body) };
  } catch (error) {
    if (deadline.aborted) {
      const message = `${nameOf(call)} got no response within ${timeout_ms} ms`;
      throw new ExchangeError('late', message, { cause: error });
    }
    const fault = isOfConnecting(error) ? 'not_sent' : 'cut';
    throw new ExchangeError(fault, `${nameOf(call)} failed`, { cause: error });
  }
}

/** Whether the error is of finding or reaching the host, before any byte was written. */
function isOfConnecting(error: unknown): boolean {
  // Each address that was tried has its own error.
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  const isConnecting = (one: unknown): boolean => {
    const { syscall, code } = one as NodeJS.ErrnoException;
    return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT';
  };
  return errors.length > 0 && errors.every(isConnecting);
}

async function readBody(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks = await readBounded(body, MAX_RESPONSE_BYTES);
  if (chunks === undefined) throw new Error('the response is too large');
  return Buffer.concat(chunks);
}

export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** Reads the gateway's reason for a refusal; undefined when the response has none. */
export function reasonIn(raw: Buffer): Reason | undefined {
  try {
    const { error } = readFields(raw).value;
    if (!isObject(error)) return undefined;
    return { code: textField(error, 'code', 200), message: textField(error, 'message', 1_000) };
  } catch (error) {
    if (error instanceof FieldFault) return undefined;
    throw error;
  }
}

export function listPath(
  path: string,
  { from, to }: ListWindow,
  cursor: string | undefined,
): string {
  const query = new URLSearchParams({ from, to, limit: String(PAGE) });
  if (cursor !== undefined) query.set('after', cursor);
  return `${path}?${query.toString()}`;
}

export function readPage<Item>(
  name: 'payments' | 'refunds' | 'payouts',
  read: (item: Fields['value']) => Item,
): (response: Fields['value']) => ListPage<Item> {
  return (response) => {
    const items = listField(response, name).map(read);
    if (!('next' in response)) throw new FieldFault('next is missing');
    return { items, next: optionalText(response, 'next', 500) };
  };
}

export function listField(response: Fields['value'], name: string): readonly Fields['value'][] {
  const list = response[name];
  if (!Array.isArray(list) || !list.every(isObject)) {
    throw new FieldFault(`${name} must be a list of objects`);
  }
  return list;
}

export function objectField(response: Fields['value'], name: string): Fields['value'] {
  const value = response[name];
  if (!isObject(value)) throw new FieldFault(`${name} must be an object`);
  return value;
}
