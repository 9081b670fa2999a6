// Webhooks for `npm start`: the settings that production must choose, and a receiver to try them on.

import type { Config } from '../config/load';
import type { Db } from '../db/connect';
import { findSecretsAtUrl } from '../db/webhooks/webhook-secrets';
import { makeSealingKey } from '../secrets/keyring';
import { createSealer } from '../secrets/seal';
import {
  startWebhookSink,
  type WebhookSink,
  type WebhookSinkOptions,
} from './simulators/webhook-sink/server';
import { SECRETS_KEY_FILE } from '../cli/running-system';
import { choosePort, loadOrCreateSecret, type DevRun } from './dev-run';

/** Creates an encryption key unless one is given, and also allows receivers on this machine. */
export function webhookSettings(run: DevRun): Pick<Config, 'secrets_keys' | 'webhooks'> {
  const { secrets_keys, webhooks } = run.given;
  return {
    secrets_keys:
      secrets_keys.length > 0
        ? secrets_keys
        : [loadOrCreateSecret(run, SECRETS_KEY_FILE, makeSealingKey)],
    webhooks: { ...webhooks, allowed_addresses: [...webhooks.allowed_addresses, '127.0.0.1'] },
  };
}

/** Finds the endpoints at a URL, as the sink needs them. */
export function secretsOf(
  db: Db,
  secrets_keys: readonly string[],
): WebhookSinkOptions['secretsFor'] {
  const sealer = createSealer(secrets_keys);
  return async (url) => {
    const endpoints = await findSecretsAtUrl(db, url);
    return endpoints.map(({ id, sealed_secret, sealed_previous }) => ({
      id,
      secrets: [sealed_secret, sealed_previous].flatMap((sealed) =>
        sealed === null ? [] : [sealer.open(sealed, id)],
      ),
    }));
  };
}

export async function startSink(
  run: DevRun,
  { secrets_keys }: Pick<Config, 'secrets_keys'>,
  db: Db,
  log: (entry: Readonly<Record<string, unknown>>) => void,
): Promise<WebhookSink> {
  const sink = await startWebhookSink({
    port: await choosePort(run, 'WEBHOOK_SINK_PORT', run.given.webhooks.sink_port),
    log,
    secretsFor: secretsOf(db, secrets_keys),
  });
  run.closers.push(() => sink.stop());
  return sink;
}
