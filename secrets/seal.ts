// Encrypts what must be readable again (secrets that sign webhooks, identity data, mails) for storage
// in the database: a dump reveals nothing, a changed byte is detected, and a value that was moved to
// another row does not open there.

import { createCipher } from './cipher';

const LABEL = 'payment-api/stored/1';

export interface Sealer {
  /** Encrypts with the first key. `context`, the row's id, must be the same for `open`. */
  seal(text: string, context: string): Buffer;
  sealBytes(bytes: Buffer, context: string): Buffer;
  /** @throws Error when no key decrypts it, or it was changed or moved to another row. */
  open(sealed: Buffer, context: string): string;
  /** @throws Error as `open` */
  openBytes(sealed: Buffer, context: string): Buffer;
  /** Returns false when another key than the first sealed it; a key rotation must then seal it again. */
  isCurrent(sealed: Buffer): boolean;
}

/** @throws Error without a key, for a malformed key, and for two keys with the same id. */
export function createSealer(keys: readonly string[]): Sealer {
  const cipher = createCipher(keys, LABEL);
  return {
    seal: (text, context) => cipher.encrypt(Buffer.from(text), context),
    sealBytes: (bytes, context) => cipher.encrypt(bytes, context),
    open: (sealed, context) => cipher.decrypt(sealed, context).toString(),
    openBytes: (sealed, context) => cipher.decrypt(sealed, context),
    isCurrent: (sealed) => cipher.isCurrent(sealed),
  };
}
