// Hashes for comparing and naming. Passwords have a slow one of their own (password.ts).

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Fingerprint } from '../domain/idempotency';
import { PAYOUT_PREFIX, REFUND_PREFIX } from '../domain/ids';
import { currentKey, deriveKey, readKeyring } from './keyring';

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Makes a hash, in hex, of texts that could be guessed: a guess can be checked only with the keys.
 * `label` separates the purposes. @throws Error as readKeyring
 */
export function createKeyedHash(keys: readonly string[], label: string): (text: string) => string {
  const key = deriveKey(currentKey(readKeyring(keys)).key, label);
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}

/** Compares in constant time: the duration does not reveal how much of a guess was right. */
export function isSameText(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(expected)));
}

/**
 * The same text always gives the same id. It says version 4, as if it were random, because a provider whose key it is
 * may take no other (pawaPay asks for "UUIDv4"); 8 would be right for SHA-256.
 */
export function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * `RFD-` and 80 bits of the refund's id: a gateway that has made the refund finds it by this, also
 * after the database was restored to a moment before the refund and the request was repeated.
 */
export function refundReference(id: string): string {
  // Hexadecimal digits are letters of references too.
  return REFUND_PREFIX + sha256Hex(id).slice(0, 20).toUpperCase();
}

/** `PYT-` and 80 bits of the payout's id. */
export function payoutReference(id: string): string {
  return PAYOUT_PREFIX + sha256Hex(id).slice(0, 20).toUpperCase();
}

/** 64 bits per field are enough: a caller gains nothing by a collision of two bodies. */
export function fingerprintFields(fields: Readonly<Record<string, string>>): Fingerprint {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, sha256Hex(value).slice(0, 16)]),
  );
}
