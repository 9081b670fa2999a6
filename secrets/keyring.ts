// The keys of SECRETS_KEYS: what they look like, how they are told apart, and how a key for another
// purpose is derived from each. Two purposes never share a key.

import { createSecretKey, hash, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';

const KEY_BYTES = 32;
// 32 bytes in base64: 43 characters, the last of which carries four bits, and a padding character.
const KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

export interface SecretsKey {
  /** The first four bytes of its hash, which say which key was used, and nothing about it. */
  readonly id: number;
  readonly key: KeyObject;
}

/**
 * Returns the keys by id; the first one is current.
 * @throws Error without a key, for a malformed key, and for two keys with the same id
 */
export function readKeyring(texts: readonly string[]): ReadonlyMap<number, KeyObject> {
  const ring = new Map<number, KeyObject>();
  for (const text of texts) {
    const { id, key } = readKey(text);
    if (ring.has(id)) throw new Error('Two of the sealing keys are the same.');
    ring.set(id, key);
  }
  if (ring.size === 0) throw new Error('There is no sealing key.');
  return ring;
}

/** Returns the key that encrypts and makes hashes. */
export function currentKey(ring: ReadonlyMap<number, KeyObject>): SecretsKey {
  const [first] = ring;
  // readKeyring returns no empty ring.
  const [id, key] = first!;
  return { id, key };
}

/**
 * HKDF-SHA-256 (RFC 5869): a key of 32 bytes that reveals nothing about `key` or its other keys.
 */
export function deriveKey(key: KeyObject, label: string, salt: Uint8Array = NO_SALT): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, salt, label, KEY_BYTES)));
}

const NO_SALT = new Uint8Array(0);

/** 256 random bits, for SECRETS_KEYS. */
export function makeSealingKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

export function isSealingKey(text: string): boolean {
  return KEY.test(text);
}

function readKey(text: string): SecretsKey {
  if (!isSealingKey(text)) throw new Error('A sealing key is 32 bytes in base64.');
  const bytes = Buffer.from(text, 'base64');
  return { id: hash('sha256', bytes, 'buffer').readUInt32BE(), key: createSecretKey(bytes) };
}
