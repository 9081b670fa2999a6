// The token that a browser carries while a person is signed in. The database has only its hash.

import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits in base64url. */
export function makeSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

const TOKEN = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

export function isSessionToken(text: string): boolean {
  return TOKEN.test(text);
}

export function hashSessionToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
