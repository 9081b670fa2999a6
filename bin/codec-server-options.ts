// What the codec server's process needs, from the configuration, with the faults of this process alone.

import type { Config } from '../config/load';
import type { CodecServerOptions } from '../temporal/codec-server';

type Settings = Pick<Config, 'production' | 'secrets_keys' | 'codec_server'>;

export function codecServerOptions({
  production,
  secrets_keys,
  codec_server,
}: Settings): Omit<CodecServerOptions, 'log'> | { readonly faults: readonly string[] } {
  const { origin, ...options } = codec_server;
  const faults: string[] = [];
  if (secrets_keys.length === 0)
    faults.push('SECRETS_KEYS is required: what payloads are encrypted with');
  if (production && codec_server.token === undefined) {
    faults.push('TEMPORAL_CODEC_TOKEN is required in production (openssl rand -base64 32)');
  }
  if (!production && codec_server.token === undefined && codec_server.host !== '127.0.0.1') {
    faults.push('TEMPORAL_CODEC_TOKEN is required when TEMPORAL_CODEC_HOST is not 127.0.0.1');
  }
  if (faults.length > 0) return { faults };
  return { ...options, secrets_keys, origins: origin === undefined ? [] : [origin] };
}
