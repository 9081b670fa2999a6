// Encrypts what others keep, such as the payloads of workflows, and what the database keeps:
// AES-256-GCM with keys that neither has. One key may encrypt 2^32 values with random nonces (NIST
// SP 800-38D, 8.3), which is a few weeks of busy transfers; so each process derives a key of its own
// from SECRETS_KEYS and a random salt, and a new one from time to time. The salt stands in each
// value: any process with SECRETS_KEYS decrypts it.

import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import { currentKey, deriveKey, readKeyring } from './keyring';

const ALGORITHM = 'aes-256-gcm';

// Version (1 byte), key id (4), salt (16), nonce (12), ciphertext, tag (16).
const VERSION = 1;
const KEY_ID_AT = 1;
const SALT_AT = 5;
const NONCE_AT = 21;
const TEXT_AT = 33;
const TAG_BYTES = 16;
const NONCE_BYTES = TEXT_AT - NONCE_AT;
const SALT_BYTES = NONCE_AT - SALT_AT;

/** One key allows far more. */
const VALUES_PER_SALT = 2 ** 24;
/** Keys for so many salts of other processes are kept: deriving one takes some 10 µs. */
const MAX_DERIVED = 1_000;

export interface Cipher {
  /**
   * `context` must be the same for `decrypt`: a value that was moved elsewhere does not decrypt
   * there.
   */
  encrypt(text: Uint8Array, context: string): Buffer;
  /** @throws Error when no key decrypts it, it was changed, or its context is another */
  decrypt(value: Uint8Array, context: string): Buffer;
  /** Returns false when another key than the first encrypted it. */
  isCurrent(value: Uint8Array): boolean;
  /** The key's id in hex, which operators see. */
  readonly key_id: string;
}

/** `label`: what the keys are derived for. @throws Error as readKeyring */
export function createCipher(keys: readonly string[], label: string): Cipher {
  const ring = readKeyring(keys);
  const current = currentKey(ring);
  const derived = new Map<string, KeyObject>();
  const keyFor = (head: Buffer): KeyObject => {
    const name = head.toString('latin1', KEY_ID_AT, NONCE_AT);
    const known = derived.get(name);
    if (known) return known;
    const key = ring.get(keyIdOf(head));
    if (!key) throw new Error('None of the keys has encrypted this value.');
    const made = deriveKey(key, label, head.subarray(SALT_AT, NONCE_AT));
    // The oldest goes first.
    if (derived.size === MAX_DERIVED) derived.delete(derived.keys().next().value!);
    derived.set(name, made);
    return made;
  };
  let own = makeHead(current.id);
  let left = VALUES_PER_SALT;

  return {
    key_id: idText(current.id),
    encrypt(text, context) {
      if (left === 0) {
        own = makeHead(current.id);
        left = VALUES_PER_SALT;
      }
      left -= 1;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, keyFor(own), nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context));
      return Buffer.concat([own, nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(value, context) {
      const sealed = readValue(value);
      const nonce = sealed.subarray(NONCE_AT, TEXT_AT);
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv(ALGORITHM, keyFor(sealed), nonce, options);
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = decipher.update(sealed.subarray(TEXT_AT, -TAG_BYTES));
      try {
        return Buffer.concat([text, decipher.final()]);
      } catch {
        // The cipher cannot tell which of the two it was.
        throw new Error('The encrypted value was changed, or belongs elsewhere.');
      }
    },
    isCurrent: (value) => keyIdOf(readValue(value)) === current.id,
  };
}

function readValue(value: Uint8Array): Buffer {
  const sealed = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (sealed.length < TEXT_AT + TAG_BYTES || sealed[0] !== VERSION) {
    throw new Error('This is not an encrypted value.');
  }
  return sealed;
}

function keyIdOf(head: Buffer): number {
  return head.readUInt32BE(KEY_ID_AT);
}

function makeHead(key_id: number): Buffer {
  const head = Buffer.alloc(NONCE_AT);
  head.writeUInt8(VERSION);
  head.writeUInt32BE(key_id, KEY_ID_AT);
  randomBytes(SALT_BYTES).copy(head, SALT_AT);
  return head;
}

function idText(id: number): string {
  return id.toString(16).padStart(8, '0');
}
