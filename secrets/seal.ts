// Secrets that must be readable again (what signs a merchant's webhooks) lie in the database sealed:
// AES-256-GCM with keys that are not in the database. A dump tells nothing, a changed byte is
// noticed, and a value that is moved to another row does not open there.

import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
// A key's 32 bytes in base64: 43 characters, of which the last holds four bits, and a pad.
const KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

// 1 byte of version, 4 of key id, 12 of nonce, the ciphertext, 16 of tag. Random nonces of 96 bits
// are safe for 2^32 values under one key (NIST SP 800-38D, 8.3), far more than there are endpoints.
const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_AT = 1 + KEY_ID_BYTES;
const TEXT_AT = NONCE_AT + NONCE_BYTES;

export interface Sealer {
  /** With the first key. The same context opens it: the id of the row, so that it stays there. */
  seal(text: string, context: string): Buffer;
  /** @throws Error when no key is the one that sealed it, or when it does not belong here as it is. */
  open(sealed: Buffer, context: string): string;
  /** False for what another key than the first has sealed: to be sealed anew in a rotation. */
  isCurrent(sealed: Buffer): boolean;
}

/** @throws Error without a key, for what is none, and for two that cannot be told apart. */
export function createSealer(keys: readonly string[]): Sealer {
  const known = new Map<number, KeyObject>();
  for (const text of keys) {
    const { id, key } = readKey(text);
    if (known.has(id)) throw new Error('Two of the sealing keys are one key.');
    known.set(id, key);
  }
  const [first] = known;
  if (first === undefined) throw new Error('There is no sealing key.');
  const [current_id, current_key] = first;
  const head = Buffer.alloc(NONCE_AT);
  head.writeUInt8(VERSION);
  head.writeUInt32BE(current_id, 1);

  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, current_key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context));
      const sealed = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([head, nonce, ...sealed, cipher.getAuthTag()]);
    },

    open(sealed, context) {
      const key = known.get(keyIdOf(sealed));
      if (!key) throw new Error('None of the sealing keys has sealed this value.');
      const nonce = sealed.subarray(NONCE_AT, TEXT_AT);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = decipher.update(sealed.subarray(TEXT_AT, -TAG_BYTES), undefined, 'utf8');
      try {
        return text + decipher.final('utf8');
      } catch {
        // Node says only that it cannot: which of the two it was, the cipher does not know.
        throw new Error('The sealed value was changed, or belongs to another row.');
      }
    },

    isCurrent: (sealed) => keyIdOf(sealed) === current_id,
  };
}

/** 256 random bits, for the settings. */
export function makeSealingKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

export function isSealingKey(text: string): boolean {
  return KEY.test(text);
}

function readKey(text: string): { readonly id: number; readonly key: KeyObject } {
  if (!isSealingKey(text)) throw new Error('A sealing key is 32 bytes in base64.');
  const bytes = Buffer.from(text, 'base64');
  return { id: hash('sha256', bytes, 'buffer').readUInt32BE(), key: createSecretKey(bytes) };
}

function keyIdOf(sealed: Buffer): number {
  if (sealed.length < TEXT_AT + TAG_BYTES || sealed[0] !== VERSION) {
    throw new Error('This is no sealed value.');
  }
  return sealed.readUInt32BE(1);
}
