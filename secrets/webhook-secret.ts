// Signs webhooks: with the specification's header, and with those of Standard Webhooks 1.0.0
// (https://www.standardwebhooks.com), so that its libraries can verify our deliveries. The signed
// bytes are the bytes that are sent; nothing is parsed and rendered again.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'whsec_';
/** Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32;
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

// The form is checked before decoding: `Buffer.from(text, 'hex')` silently stops at the first
// invalid character.
const SIGNATURE = /^[0-9a-f]{64}$/;

/** All signature headers: besides content-type and user-agent, a delivery has no others. */
export const WEBHOOK_SIGNATURE_HEADERS = [
  'x-service-signature',
  'x-service-signature-next',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
] as const;

export interface SignableWebhook {
  /** The event's id. It has no dot: dots separate the parts that Standard Webhooks signs. */
  readonly id: string;
  /** The time of this attempt, in Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
  readonly secret: string;
  /** The old secret during a rotation, for receivers that do not know the new one yet. */
  readonly previous_secret: string | null;
}

/** `whsec_` and 256 random bits. */
export function makeWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The secret with which `listen` signs: of one key always the same, so that a receiver keeps it, and told by no
 * secret of an endpoint. It says nothing about the key.
 */
export function listenSecret(api_key: string): string {
  return PREFIX + createHmac('sha256', api_key).update('listen').digest('base64');
}

/**
 * The two schemes use different keys: the specification's is the secret's text, as the merchant
 * sees it; Standard Webhooks' is the bytes that the text encodes.
 *
 * The specification's header holds one signature. During a rotation it is made with the old secret,
 * which every receiver knows; another header has the new secret's, until the old one expires.
 *
 * @throws Error when a secret does not have the form of `makeWebhookSecret`.
 */
export function signWebhook(webhook: SignableWebhook): Readonly<Record<string, string>> {
  const { id, timestamp, secret, previous_secret } = webhook;
  // Up to four signatures share the encoded bytes.
  const body = Buffer.from(webhook.body);
  const signed = `${id}.${timestamp}.`;
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardSignature(signed, body, secret),
  };
  if (previous_secret === null) {
    return { 'x-service-signature': serviceSignature(body, secret), ...headers };
  }
  headers['webhook-signature'] += ` ${standardSignature(signed, body, previous_secret)}`;
  return {
    'x-service-signature': serviceSignature(body, previous_secret),
    'x-service-signature-next': serviceSignature(body, secret),
    ...headers,
  };
}

/**
 * Whether `header` is the secret's signature of `raw`, which receivers ask. Takes constant time.
 */
export function isServiceSignature(raw: Buffer | string, header: unknown, secret: string): boolean {
  // A repeated header is an array, or joined with commas: neither is a signature.
  if (typeof header !== 'string' || !SIGNATURE.test(header)) return false;
  // Anyone can sign with an empty secret.
  if (secret === '') throw new Error('A webhook secret must not be empty.');
  return timingSafeEqual(
    Buffer.from(header, 'hex'),
    createHmac('sha256', secret).update(raw).digest(),
  );
}

/** The specification's signature alone. */
export function serviceSignature(body: Buffer | string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function standardSignature(signed: string, body: Buffer, secret: string): string {
  const key = SECRET.exec(secret)?.[1];
  if (key === undefined) throw new Error('A webhook secret must be whsec_ followed by base64.');
  const hmac = createHmac('sha256', Buffer.from(key, 'base64')).update(signed).update(body);
  return `v1,${hmac.digest('base64')}`;
}
