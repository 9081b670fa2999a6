// Hashes for comparing and naming, and the slow hash for passwords.

import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Fingerprint } from '../domain/idempotency';

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Compares in constant time: the duration does not reveal how much of a guess was right. */
export function isSameText(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(expected)));
}

/** A name-based UUID (RFC 9562, version 8, with SHA-256): the same text always gives the same id. */
export function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** 64 bits per field are enough: compared are bodies of one caller, who gains nothing by a collision. */
export function fingerprintFields(fields: Readonly<Record<string, string>>): Fingerprint {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, sha256Hex(value).slice(0, 16)]),
  );
}

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);
// OWASP Password Storage Cheat Sheet: scrypt with N = 2^17, r = 8, p = 1.
const COST = { log_n: 17, r: 8, p: 1 };
const DIGEST_BYTES = 32;
const MAX_MEMORY = 256 * 1024 * 1024;

function derive(password: string, salt: Buffer, { log_n, r, p }: typeof COST): Promise<Buffer> {
  return deriveKey(password, salt, DIGEST_BYTES, { N: 2 ** log_n, r, p, maxmem: MAX_MEMORY });
}

/** `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`: with its cost, so that the cost can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const derived = await derive(password, salt, COST);
  const { log_n, r, p } = COST;
  return `scrypt$${log_n}$${r}$${p}$${salt.toString('base64')}$${derived.toString('base64')}`;
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, log_n, r, p, salt, expected] = stored.split('$');
  if (scheme !== 'scrypt' || salt === undefined || expected === undefined) return false;
  const known = Buffer.from(expected, 'base64');
  const cost = { log_n: Number(log_n), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64'), cost);
  return known.length === DIGEST_BYTES && timingSafeEqual(known, derived);
}
