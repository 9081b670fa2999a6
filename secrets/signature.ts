// Signs values that others carry for us and could change: HMAC-SHA-256 with keys that are derived
// from SECRETS_KEYS. The first key signs, any of them verifies, so that they can be replaced one by
// one.

import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { currentKey, deriveKey, readKeyring } from './keyring';

// Version, key id, and 32 bytes in base64url.
const SIGNATURE = /^1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;

/**
 * What we sign is two levels deep; a forged value could be deep enough to end the recursion badly.
 */
const MAX_DEPTH = 8;

/**
 * Makes a hash, in hex, of texts that could be guessed: a guess can be checked only with the keys.
 */
export function createKeyedHash(keys: readonly string[], label: string): (text: string) => string {
  const key = deriveKey(currentKey(readKeyring(keys)).key, label);
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}

export interface Signer {
  sign(value: object): string;
  /** Never throws, whatever `value` and `signature` are. */
  isSigned(value: unknown, signature: unknown): boolean;
}

/**
 * `label` separates the purposes: what is signed for one is not signed for another.
 * @throws Error as readKeyring
 */
export function createSigner(keys: readonly string[], label: string): Signer {
  const ring = readKeyring(keys);
  const current = currentKey(ring);
  const derived = new Map([...ring].map(([id, key]) => [id, deriveKey(key, label)]));
  return {
    sign(value) {
      const digest = digestOf(value, derived.get(current.id)!).toString('base64url');
      return `1.${current.id.toString(16).padStart(8, '0')}.${digest}`;
    },
    isSigned(value, signature) {
      if (typeof signature !== 'string') return false;
      const [, id, digest] = SIGNATURE.exec(signature) ?? [];
      const key = id === undefined ? undefined : derived.get(parseInt(id, 16));
      if (!key || digest === undefined) return false;
      try {
        return timingSafeEqual(Buffer.from(digest, 'base64url'), digestOf(value, key));
      } catch (error) {
        if (error instanceof TooDeepError) return false;
        throw error;
      }
    },
  };
}

function digestOf(value: unknown, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(canonicalJson(value, 0)).digest();
}

class TooDeepError extends Error {}

/**
 * JSON with the fields of each object in one order: two values have the same text only if they are
 * the same, on whatever way they came. Every field is in it, those of later versions too.
 */
function canonicalJson(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth === MAX_DEPTH) throw new TooDeepError();
  if (Array.isArray(value)) {
    return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '{';
  for (const name of Object.keys(fields).sort()) {
    // JSON leaves undefined fields out on the way.
    if (fields[name] === undefined) continue;
    text += `${JSON.stringify(name)}:${canonicalJson(fields[name], depth + 1)},`;
  }
  return `${text}}`;
}
