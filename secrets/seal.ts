// Encrypts secrets that must be readable again (those that sign webhooks) for storage in the
// database: AES-256-GCM with keys that are not in the database. A dump reveals nothing, a changed
// byte is detected, and a value that was moved to another row does not decrypt there.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { currentKey, readKeyring } from './keyring';

export { isSealingKey, makeSealingKey } from './keyring';

const CIPHER = 'aes-256-gcm';

// Version (1 byte), key id (4), nonce (12), ciphertext, tag (16). Random 96-bit nonces are safe for
// 2^32 values under one key (NIST SP 800-38D, 8.3), far more than there are endpoints.
const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_AT = 1 + KEY_ID_BYTES;
const TEXT_AT = NONCE_AT + NONCE_BYTES;

export interface Sealer {
  /** Encrypts with the first key. `context`, the row's id, must be the same for `open`. */
  seal(text: string, context: string): Buffer;
  /** @throws Error when no key decrypts it, or it was changed or moved to another row. */
  open(sealed: Buffer, context: string): string;
  /** Returns false when another key than the first sealed it; a key rotation must then seal it again. */
  isCurrent(sealed: Buffer): boolean;
}

/** @throws Error without a key, for a malformed key, and for two keys with the same id. */
export function createSealer(keys: readonly string[]): Sealer {
  const known = readKeyring(keys);
  const { id: current_id, key: current_key } = currentKey(known);
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
        // The cipher cannot tell which of the two it was.
        throw new Error('The sealed value was changed, or belongs to another row.');
      }
    },

    isCurrent: (sealed) => keyIdOf(sealed) === current_id,
  };
}

function keyIdOf(sealed: Buffer): number {
  if (sealed.length < TEXT_AT + TAG_BYTES || sealed[0] !== VERSION) {
    throw new Error('This is not a sealed value.');
  }
  return sealed.readUInt32BE(1);
}
