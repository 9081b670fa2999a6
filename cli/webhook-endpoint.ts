// What commands about webhook endpoints share: the endpoint that is meant, the tools of its rules,
// and waking its workflow afterwards.

import type { EndpointDependencies, RefusedUrl, Refused } from '../use-cases/webhook-endpoints';
import { findOperatorEndpoint, type OperatorEndpoint } from '../db/operator-webhooks';
import { EVENT_TYPES, type EventType } from '../domain/event';
import { UUID_PATTERN } from '../domain/ids';
import { createSealer, type Sealer } from '../secrets/seal';
import { webhookPolicy } from '../bin/webhook-policy';
import { CommandError, type CommandContext, type Options } from './command';
import { withTemporal } from './temporal';

const UUID = new RegExp(UUID_PATTERN);

/** Of any merchant. */
export async function requireEndpoint(
  { db }: Pick<CommandContext, 'db'>,
  id: string,
): Promise<OperatorEndpoint> {
  const endpoint = UUID.test(id) ? await findOperatorEndpoint(db, id) : undefined;
  if (!endpoint) throw endpointNotFound(id);
  return endpoint;
}

function endpointNotFound(id: string): CommandError {
  return new CommandError('webhook_endpoint_not_found', `There is no webhook endpoint ${id}`);
}

export function readTypes(options: Options): readonly EventType[] | undefined {
  const words = options.optional('types')?.split(',');
  return words && [...new Set(words.map((word) => readType(word, 'types')))];
}

export function readType(word: string, option = 'type'): EventType {
  const type = EVENT_TYPES.find((one) => one === word.trim());
  if (!type) throw new CommandError('usage', `--${option}: choose among ${EVENT_TYPES.join(', ')}`);
  return type;
}

/** @throws CommandError when nobody says the keys */
export function sealerOf({ system }: Pick<CommandContext, 'system'>): Sealer {
  if (system.secrets_keys.length === 0) {
    throw new CommandError(
      'secrets_keys_missing',
      'Secrets of webhooks are encrypted: set SECRETS_KEYS, as the service has it',
    );
  }
  return createSealer(system.secrets_keys);
}

/** As the running system judges URLs. */
export function policyOf({
  config,
  system,
}: Pick<CommandContext, 'config' | 'system'>): EndpointDependencies['policy'] {
  const { webhooks } = config;
  const own = system.demo ? ['127.0.0.1'] : [];
  const allowed_addresses = [...webhooks.allowed_addresses, ...own];
  return webhookPolicy({ ...config, webhooks: { ...webhooks, allowed_addresses } });
}

export function refusal(
  refused: RefusedUrl | Refused<'limit' | 'not_found' | 'disabled'>,
  id = '',
): CommandError {
  switch (refused.error) {
    case 'invalid_url':
      return new CommandError('invalid_url', refused.fault);
    case 'limit':
      return new CommandError(
        'webhook_endpoint_limit',
        'This merchant has as many webhook endpoints there as one may have',
      );
    case 'not_found':
      return endpointNotFound(id);
    case 'disabled':
      return new CommandError(
        'webhook_endpoint_disabled',
        `This webhook endpoint is disabled: webhooks update --id ${id} --status enabled`,
      );
  }
}

const WAKE_WITHIN_MS = 5_000;

/** False when Temporal was not told: then the workers find it by themselves, within seconds. */
export async function wakeEndpoints(
  context: Pick<CommandContext, 'config' | 'system'>,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return true;
  const { createEndpointWaker } = await import('../temporal/webhook-endpoints.js');
  let is_told = true;
  try {
    await withTemporal(context, (client) =>
      client.connection.withDeadline(Date.now() + WAKE_WITHIN_MS, async () => {
        const waker = createEndpointWaker({
          temporal: client,
          task_queue: context.config.task_queue,
          onError: () => {
            is_told = false;
          },
        });
        waker.wake(ids);
        await waker.flush();
      }),
    );
    return is_told;
  } catch (error) {
    // Temporal is away. What was asked for is committed.
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/** For people, behind what was done. */
export function wakeText(woken: boolean): string {
  return woken ? '' : '\nTemporal cannot be reached: workers begin by themselves, within seconds.';
}
