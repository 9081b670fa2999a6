// How the service and a payment gateway sign their calls to each other: HMAC-SHA256 over the bytes
// that are sent, never over a body that was parsed and serialised again.

import { createHmac, timingSafeEqual } from 'node:crypto';

export const GATEWAY_SIGNATURE_HEADER = 'x-gateway-signature';

// The form is checked before decoding: `Buffer.from(text, 'hex')` silently stops at a character
// that is not hex.
const SIGNATURE = /^[0-9a-f]{64}$/;

/** Returns lower-case hex. Text is signed in UTF-8. */
export function signGatewayBody(raw: Buffer | string, secret: string): string {
  return digest(raw, secret).toString('hex');
}

/**
 * Whether `header` is the signature of `raw` by one of the secrets; during a rotation there are
 * two. All are compared, in constant time, so that the duration does not reveal which one matched.
 */
export function isGatewaySignature(
  raw: Buffer | string,
  header: unknown,
  secrets: readonly string[],
): boolean {
  if (!hasSignatureForm(header)) return false;
  const given = Buffer.from(header, 'hex');
  let isGenuine = false;
  for (const secret of secrets) {
    if (timingSafeEqual(given, digest(raw, secret))) isGenuine = true;
  }
  return isGenuine;
}

/** Whether a header's value has the form of a signature. */
export function hasSignatureForm(header: unknown): header is string {
  // A repeated header arrives as an array or joined with commas; neither is a signature.
  return typeof header === 'string' && SIGNATURE.test(header);
}

function digest(raw: Buffer | string, secret: string): Buffer {
  // Anyone could sign with an empty secret.
  if (secret === '') throw new Error('A gateway secret must not be empty.');
  return createHmac('sha256', secret).update(raw).digest();
}
