// API keys: created here, shown once, stored only as a hash (specification, section 5).
// `<prefix>_<live|test>_<32 base62 characters><6 base62 characters of CRC-32>`: 190 random bits,
// and a checksum that rejects typos without a query (the form that GitHub published for its
// tokens).

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { KEY_MODES, type Environment } from '../domain/environment';
import { API_KEY_PATTERN } from '../domain/ids';
import { randomText } from './random';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = new RegExp(API_KEY_PATTERN);

export interface NewApiKey {
  /** The key itself, shown once and stored nowhere. */
  readonly key: string;
  readonly key_hash: Buffer;
  readonly key_prefix: string;
  readonly last_four: string;
}

export function makeApiKey(prefix: string, environment: Environment): NewApiKey {
  const key_prefix = `${prefix}_${KEY_MODES[environment]}`;
  const unsigned = `${key_prefix}_${randomText(BASE62, 32)}`;
  const key = unsigned + checksum(unsigned);
  return { key, key_hash: hashApiKey(key), key_prefix, last_four: key.slice(-4) };
}

/** Whether the text has a key's form and a correct checksum. */
export function isWellFormedApiKey(text: string): boolean {
  return FORM.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);
}

/** SHA-256 is enough for 190 random bits: a dictionary attack is impossible. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i += 1) {
    digits = BASE62[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
