// Proves that a webhook is the service's: by the signature of Standard Webhooks, or by the service's own header.

import { InvalidArgument, SignatureError } from './errors.js';
import type { WebhookEvent } from './generated/models.js';
import { parseJson } from './json.js';

export interface VerifyOptions {
  /** How many seconds a delivery may be old, or early; 300 when left out. */
  readonly tolerance?: number;
  /** Takes the service's own header alone, which has no time: what is sent again years later passes. */
  readonly allowUntimed?: boolean;
  /** Unix seconds, for tests. */
  readonly now?: number;
}

/** The headers as any server gives them: an object, with a text or a list of one for each name, a `Map`, or a `Headers`. */
export type WebhookHeaders =
  | Headers
  | Iterable<readonly [string, string | readonly string[]]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;
const SECRET =
  /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))$/;

/**
 * Returns the event when `raw`, the bytes of the body as they came, is signed with one of the secrets.
 *
 * @throws SignatureError when it is not, or was not signed now.
 */
export async function verifyWebhook(
  raw: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  {
    tolerance = TOLERANCE_SECONDS,
    allowUntimed = false,
    now = Date.now() / 1000,
  }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const keys = readSecrets(secrets);
  const bytes = readBytes(raw);
  if (!(typeof tolerance === 'number' && tolerance >= 0)) {
    throw new InvalidArgument(
      'tolerance',
      `tolerance is a number of seconds; this is ${tolerance}.`,
    );
  }
  if (typeof headers !== 'object' || headers === null) {
    throw new InvalidArgument('headers', 'Give the headers as the server gives them.');
  }
  const given: [string, string | readonly string[] | undefined][] =
    Symbol.iterator in headers
      ? Array.from(headers as Iterable<readonly [string, string]>, ([name, value]) => [name, value])
      : Object.entries(headers);
  const isTimed = given.some(([name]) => name.toLowerCase() === 'webhook-signature');
  if (!isTimed && !allowUntimed) {
    throw new SignatureError(
      'no_signature',
      'The request has no webhook-signature: none that says when it was made.',
    );
  }
  const isGenuine = isTimed
    ? await isStandard(bytes, given, keys, { tolerance, now })
    : await isOwn(bytes, given, keys);
  if (!isGenuine) {
    throw new SignatureError(
      'wrong_signature',
      'The signature is not of these bytes with any of these secrets. Give the body as it came, before it is parsed.',
    );
  }
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as WebhookEvent;
  } catch {
    throw new SignatureError('not_an_event', 'The body is signed, and is no JSON.');
  }
}

/** The headers that the service would send, for tests of a receiver; `now` is in Unix seconds. */
export async function signWebhook(
  raw: string | Uint8Array | ArrayBuffer,
  secret: string,
  { id = 'evt-test', now = Date.now() / 1000 }: { id?: string; now?: number } = {},
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(now));
  const [key = ''] = readSecrets(secret);
  const signature = await sign(readBytes(raw), key, id, timestamp);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

/** A file or a variable often ends with a line break. */
function readSecrets(secrets: string | readonly string[]): string[] {
  const keys = [secrets].flat().map((text) => String(text).trim());
  if (keys.length > 0 && keys.every((key) => SECRET.test(key))) return keys;
  throw new InvalidArgument(
    'secrets',
    'A webhook secret begins with whsec_; give one, or several.',
  );
}

function readBytes(raw: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof raw === 'string') return new TextEncoder().encode(raw);
  if (ArrayBuffer.isView(raw)) return new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength);
  if (Object.prototype.toString.call(raw) === '[object ArrayBuffer]') return new Uint8Array(raw);
  throw new InvalidArgument(
    'raw',
    'Give the body as it came, in bytes or text, and not what was parsed from it.',
  );
}

type Given = readonly (readonly [string, string | readonly string[] | undefined])[];

async function sign(
  bytes: Uint8Array,
  secret: string,
  id: string,
  timestamp: string,
): Promise<string> {
  const key = decodeBase64(SECRET.exec(secret)?.[1] ?? '');
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  return `v1,${btoa(String.fromCharCode(...(await hmac(key, signed))))}`;
}

async function isStandard(
  bytes: Uint8Array,
  headers: Given,
  secrets: readonly string[],
  { tolerance, now }: { readonly tolerance: number; readonly now: number },
): Promise<boolean> {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp') ?? '';
  const given = readHeader(headers, 'webhook-signature')?.split(' ') ?? [];
  if (id === undefined || !/^\d{1,12}$/.test(timestamp)) return false;
  let isGenuine = false;
  for (const secret of secrets) {
    const expected = await sign(bytes, secret, id, timestamp);
    for (const signature of given) if (isEqual(signature, expected)) isGenuine = true;
  }
  // A stranger learns nothing about the clock.
  if (isGenuine && !(Math.abs(now - Number(timestamp)) <= tolerance)) {
    throw new SignatureError(
      'timestamp_out_of_tolerance',
      `It was signed at ${timestamp}, which is not within ${tolerance} s of now.`,
    );
  }
  return isGenuine;
}

async function isOwn(
  bytes: Uint8Array,
  headers: Given,
  secrets: readonly string[],
): Promise<boolean> {
  const names = ['x-service-signature', 'x-service-signature-next'];
  const given = names.flatMap((name) => readHeader(headers, name) ?? []);
  if (given.length === 0) throw new SignatureError('no_signature', 'The request has no signature.');
  let isGenuine = false;
  for (const secret of secrets) {
    const mac = await hmac(new TextEncoder().encode(secret), bytes);
    const expected = [...mac].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    for (const signature of given) if (isEqual(signature, expected)) isGenuine = true;
  }
  return isGenuine;
}

async function hmac(secret: Uint8Array, bytes: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', copy(secret), algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, copy(bytes)));
}

/** In time that tells nothing of where they differ. */
function isEqual(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1)
    difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}

/** A header that came twice is none. */
function readHeader(headers: Given, name: string): string | undefined {
  const found = headers.flatMap(([given, value]) => (given.toLowerCase() === name ? value : []));
  return found.length === 1 ? found[0] : undefined;
}

function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** `crypto.subtle` takes no bytes of a SharedArrayBuffer. */
function copy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
