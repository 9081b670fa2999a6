// The dependencies of webhook endpoints' use cases, taken from the running system.

import { webhookPolicy } from '../bin/webhook-policy';
import { createSealer, type Sealer } from '../secrets/seal';
import type { EndpointDependencies } from '../use-cases/webhook-endpoints';
import type { CommandContext } from './context';
import { CommandError } from './error';

/** @throws CommandError when no key is known */
export function sealerOf({ system }: Pick<CommandContext, 'system'>): Sealer {
  if (system.secrets_keys.length === 0) {
    throw new CommandError(
      'secrets_keys_missing',
      'Webhook secrets are encrypted: set SECRETS_KEYS to the same value as the service',
    );
  }
  return createSealer(system.secrets_keys);
}

/** The same rules for URLs as the running system has. */
export function policyOf({
  config,
  system,
}: Pick<CommandContext, 'config' | 'system'>): EndpointDependencies['policy'] {
  const { webhooks } = config;
  // `npm start` allows receivers on this machine.
  const loopback = system.demo ? ['127.0.0.1'] : [];
  const allowed_addresses = [...webhooks.allowed_addresses, ...loopback];
  return webhookPolicy({ ...config, webhooks: { ...webhooks, allowed_addresses } });
}
