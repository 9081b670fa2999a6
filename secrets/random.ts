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

// References begin with the time, so that those of one hour stand side by side in an index: 9 characters are
// milliseconds since 1970 until the year 3084, and 11 are 55 random bits.

export function makeTransferReference(): string {
  return makeReference(TRANSFER_PREFIX);
}

/** Makes many in a tenth of the time that single calls take. */
export function makeTransferReferences(count: number): string[] {
  const [time, text] = [timeBase32(), randomBase32(count * 11)];
  return Array.from(
    { length: count },
    (_, i) => TRANSFER_PREFIX + time + text.slice(i * 11, i * 11 + 11),
  );
}

export function makeAdjustmentReference(): string {
  return makeReference(ADJUSTMENT_PREFIX);
}

export function makeIntentReference(): string {
  return makeReference(INTENT_PREFIX);
}

export function makeReversalReference(): string {
  return makeReference(REVERSAL_PREFIX);
}

function makeReference(prefix: string): string {
  return prefix + timeBase32() + randomBase32(11);
}

/** 58 random bits: too many to guess a pay link within the rate limits of the pay page. */
export function makeShortCode(): string {
  return randomText(BASE58, 10);
}

function timeBase32(): string {
  let [text, rest] = ['', Date.now()];
  for (let i = 0; i < 9; i += 1) {
    text = BASE32[rest % 32]! + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

// 32 divides 256, so the remainder of a byte is unbiased.
function randomBase32(length: number): string {
  let text = '';
  for (const byte of randomBytes(length)) text += BASE32[byte % 32];
  return text;
}
