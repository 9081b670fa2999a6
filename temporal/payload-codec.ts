// Encrypts everything that workflows are given and return before it leaves the process, and
// decrypts it on the way back: arguments, results, updates, heartbeats, summaries, details, and the
// messages of failures. Search attributes are never encrypted, because the server filters by them.

import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal as proto } from '@temporalio/proto';
import { createCipher } from '../secrets/cipher';

const { Payload: PayloadMessage } = proto.api.common.v1;

/** The name that Temporal's own tools know for encrypted payloads. */
export const ENCODING = 'binary/encrypted';
/** Tells our payloads from those of another codec with the same encoding. */
const CIPHER_NAME = 'payment-api/1 AES-256-GCM HKDF-SHA-256';
const LABEL = 'payment-api/payload/1';

/**
 * The first key encrypts, all decrypt. Payloads that are not encrypted, and those of other codecs,
 * pass unchanged: what was started before encryption was turned on goes on.
 * @throws Error as readKeyring
 */
export function createPayloadCodec(keys: readonly string[]): PayloadCodec {
  const cipher = createCipher(keys, LABEL);
  const metadata = {
    encoding: Buffer.from(ENCODING),
    'encryption-cipher': Buffer.from(CIPHER_NAME),
    'encryption-key-id': Buffer.from(cipher.key_id),
  };
  return {
    encode: async (payloads) =>
      payloads.map((payload) => ({
        metadata,
        data: cipher.encrypt(PayloadMessage.encode(payload).finish(), LABEL),
      })),
    decode: async (payloads) =>
      payloads.map((payload) =>
        isOurs(payload)
          ? PayloadMessage.decode(cipher.decrypt(payload.data ?? new Uint8Array(), LABEL))
          : payload,
      ),
  };
}

function isOurs({ metadata }: Payload): boolean {
  const textOf = (name: string): string => Buffer.from(metadata?.[name] ?? []).toString();
  return textOf('encoding') === ENCODING && textOf('encryption-cipher') === CIPHER_NAME;
}
