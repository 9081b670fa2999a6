// Random text and unguessable identifiers.

import { randomBytes, randomInt } from 'node:crypto';
import {
  ADJUSTMENT_PREFIX,
  BASE58,
  INTENT_PREFIX,
  REVERSAL_PREFIX,
  TRANSFER_PREFIX,
} from '../domain/ids';

/** Crockford's base32: no I, L, O, U, so that a reference can be read aloud without mistakes. */
const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export function randomText(alphabet: string, length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) text += alphabet[randomInt(alphabet.length)];
  return text;
}

/** `TRF-` and 100 random bits. */
export function makeTransferReference(): string {
  return TRANSFER_PREFIX + randomBase32(20);
}

/** Makes many in a tenth of the time that single calls take. */
export function makeTransferReferences(count: number): string[] {
  const text = randomBase32(count * 20);
  return Array.from({ length: count }, (_, i) => TRANSFER_PREFIX + text.slice(i * 20, i * 20 + 20));
}

/** `ADJ-` and 100 random bits. */
export function makeAdjustmentReference(): string {
  return ADJUSTMENT_PREFIX + randomBase32(20);
}

/** `TRX-` and 100 random bits. */
export function makeIntentReference(): string {
  return INTENT_PREFIX + randomBase32(20);
}

/** `RVL-` and 100 random bits. */
export function makeReversalReference(): string {
  return REVERSAL_PREFIX + randomBase32(20);
}

/** 58 random bits: too many to guess a pay link within the rate limits of the pay page. */
export function makeShortCode(): string {
  return randomText(BASE58, 10);
}

// 32 divides 256, so the remainder of a byte is unbiased.
function randomBase32(length: number): string {
  let text = '';
  for (const byte of randomBytes(length)) text += BASE32[byte % 32];
  return text;
}
