// How what we say to Temporal is written, the same for clients, workers and the command line.

import type { DataConverter } from '@temporalio/common';
import { createPayloadCodec } from './payload-codec';

export interface DataConverterOptions {
  readonly encrypt_payloads: boolean;
  readonly secrets_keys: readonly string[];
}

/**
 * A process with keys decrypts, whether or not it encrypts: what was encrypted stays readable
 * after encryption was turned off, and on the processes on which it is not turned on yet.
 */
export function createDataConverter({
  encrypt_payloads,
  secrets_keys,
}: DataConverterOptions): DataConverter {
  if (secrets_keys.length === 0) return {};
  const codec = createPayloadCodec(secrets_keys);
  if (!encrypt_payloads) {
    return { payloadCodecs: [{ ...codec, encode: async (payloads) => payloads }] };
  }
  const failureConverterPath = require.resolve('./failure-converter');
  return { payloadCodecs: [codec], failureConverterPath };
}
