// Proves that a webhook is the service's: by the signature of Standard Webhooks, or by the service's own header.

import { InvalidArgument, SignatureError } from './errors.js';
import type { WebhookEvent } from './generated/models.js';
import { parseJson } from './json.js';

export interface VerifyOptions {
  /** How many seconds a delivery may be old, or early; 300 when left out. */
  readonly tolerance?: number;
  /** Unix seconds, for tests. */
  readonly now?: number;
}

/** The headers as any server gives them: an object, or a `Headers`. */
export type WebhookHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;
const SECRET =
  /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))$/;

/**
 * Returns the event when `raw`, the bytes of the body as they came, is signed with one of the secrets.
 *
 * @throws SignatureError when it is not, or was not signed now.
 */
export async function verifyWebhook(
  raw: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { tolerance = TOLERANCE_SECONDS, now = Date.now() / 1000 }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const keys = [secrets].flat();
  if (keys.length === 0 || !keys.every((key) => SECRET.test(key))) {
    throw new InvalidArgument(
      'secrets',
      'A webhook secret begins with whsec_; give one, or several.',
    );
  }
  if (typeof raw !== 'string' && !(raw instanceof Uint8Array)) {
    throw new InvalidArgument(
      'raw',
      'Give the body as it came, in bytes or text, and not what was parsed from it.',
    );
  }
  const bytes = typeof raw === 'string' ? new TextEncoder().encode(raw) : raw;
  const isGenuine =
    readHeader(headers, 'webhook-signature') === undefined
      ? await isOwn(bytes, headers, keys)
      : await isStandard(bytes, headers, keys, { tolerance, now });
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

async function isStandard(
  bytes: Uint8Array,
  headers: WebhookHeaders,
  secrets: readonly string[],
  { tolerance, now }: Required<VerifyOptions>,
): Promise<boolean> {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp') ?? '';
  const given = readHeader(headers, 'webhook-signature')?.split(' ') ?? [];
  if (id === undefined || !/^\d{1,12}$/.test(timestamp)) return false;
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  let isGenuine = false;
  for (const secret of secrets) {
    const key = decodeBase64(SECRET.exec(secret)?.[1] ?? '');
    const expected = `v1,${btoa(String.fromCharCode(...(await hmac(key, signed))))}`;
    for (const signature of given) if (isEqual(signature, expected)) isGenuine = true;
  }
  // A stranger learns nothing about the clock.
  if (isGenuine && Math.abs(now - Number(timestamp)) > tolerance) {
    throw new SignatureError(
      'timestamp_out_of_tolerance',
      `It was signed at ${timestamp}, which is not within ${tolerance} s of now.`,
    );
  }
  return isGenuine;
}

async function isOwn(
  bytes: Uint8Array,
  headers: WebhookHeaders,
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
function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).filter(([given]) => given.toLowerCase() === name);
  const value = found.length === 1 ? found[0]?.[1] : undefined;
  return typeof value === 'string' ? value : undefined;
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
