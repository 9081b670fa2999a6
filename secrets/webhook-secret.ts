// How we sign what we send to merchants: the specification's header, and beside it those of Standard
// Webhooks 1.0.0 (https://www.standardwebhooks.com), whose libraries then verify our deliveries.
// Signed are the bytes as they travel; nothing is parsed and written again.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'whsec_';
/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

// Checked before decoding: `Buffer.from(text, 'hex')` silently stops at the first other character.
const SIGNATURE = /^[0-9a-f]{64}$/;

/** Every header that a signature can have, and all that a delivery may carry besides the usual. */
export const WEBHOOK_SIGNATURE_HEADERS = [
  'x-service-signature',
  'x-service-signature-next',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
] as const;

export interface SignableWebhook {
  /** The event's id, without a dot: dots separate what Standard Webhooks signs. */
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  readonly body: string;
  readonly secret: string;
  /** The one that is being replaced, as long as receivers may still know only it. */
  readonly previous_secret: string | null;
}

/** `whsec_` and 256 random bits. */
export function makeWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The two schemes key differently: the specification's with the secret's text, as the merchant sees
 * it, and Standard Webhooks' with the bytes that the text stands for.
 *
 * The specification's header holds one signature. During a rotation it stays with the secret that
 * every receiver knows, and the new one's travels beside it until the old one's time is over.
 *
 * @throws Error when a secret has not the form of `makeWebhookSecret`.
 */
export function signWebhook(webhook: SignableWebhook): Readonly<Record<string, string>> {
  const { id, timestamp, secret, previous_secret } = webhook;
  // Made into bytes once, for up to four signatures.
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

/** For receivers: whether `header` is the signature of `raw` by the secret, in constant time. */
export function isServiceSignature(raw: Buffer | string, header: unknown, secret: string): boolean {
  // A repeated header arrives as an array, or joined with commas: neither is a signature.
  if (typeof header !== 'string' || !SIGNATURE.test(header)) return false;
  // With an empty secret anybody could sign.
  if (secret === '') throw new Error('A webhook secret must not be empty.');
  return timingSafeEqual(
    Buffer.from(header, 'hex'),
    createHmac('sha256', secret).update(raw).digest(),
  );
}

function serviceSignature(body: Buffer, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function standardSignature(signed: string, body: Buffer, secret: string): string {
  const key = SECRET.exec(secret)?.[1];
  if (key === undefined) throw new Error('A webhook secret is whsec_ and base64.');
  const hmac = createHmac('sha256', Buffer.from(key, 'base64')).update(signed).update(body);
  return `v1,${hmac.digest('base64')}`;
}
