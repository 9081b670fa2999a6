// API keys: created, listed, revoked and rotated.

import { Option } from '@commander-js/extra-typings';
import { listApiKeys, type ApiKeyRow } from '../../db/keys/api-keys';
import {
  createKey,
  DEFAULT_REQUESTS_PER_MINUTE,
  DEFAULT_WRITES_PER_MINUTE,
  MAX_ACTIVE_KEYS,
  MAX_ALLOWED_IPS,
  MAX_KEY_OVERLAP_SECONDS,
  revokeKey,
  rotateKey,
} from '../../use-cases/api-keys';
import { command, group, run } from '../command';
import { count, environmentOption, userOption } from '../options';
import { CommandError } from '../error';
import { requireUser } from '../lookups';
import { table } from '../table';

const MAX_LIMIT = 100_000_000;

function limit<const Name extends string>(name: Name, description: string, fallback: number) {
  return new Option(`--${name} <n>`, description)
    .argParser(count(name, MAX_LIMIT))
    .default(fallback);
}

const keysCreate = command('create', 'Create an API key and show it, once')
  .addOption(userOption)
  .addOption(environmentOption)
  .option('--name <name>', 'what it is for')
  .addOption(
    limit('requests-per-minute', 'how many requests it may make', DEFAULT_REQUESTS_PER_MINUTE),
  )
  .addOption(
    limit('writes-per-minute', 'how many of them may change something', DEFAULT_WRITES_PER_MINUTE),
  )
  .option('--read-only', 'it may change nothing')
  .option('--allow-ip <cidrs>', 'addresses or ranges from which it may be used, with commas')
  .action(
    run(async ({ db, config, actor }, options) => {
      const user = await requireUser(db, options.user);
      const created = await createKey(
        { db, key_prefix: config.key_prefixes[0]!, author: { actor } },
        {
          user_id: user.id,
          environment: options.environment,
          name: options.name,
          requests_per_minute: options.requestsPerMinute,
          writes_per_minute: options.writesPerMinute,
          read_only: options.readOnly === true,
          allowed_ips: options.allowIp?.split(',').map((range) => range.trim()),
        },
      );
      if (!created.ok && created.error === 'invalid_allowed_ips') {
        throw new CommandError('usage', INVALID_ALLOWED_IPS);
      }
      if (!created.ok && created.error === 'too_many_keys') {
        throw new CommandError(
          created.error,
          `The account has ${MAX_ACTIVE_KEYS} active keys in this environment: revoke one first (keys revoke)`,
        );
      }
      if (!created.ok) {
        throw new CommandError(
          created.error,
          `A live key needs an approved identity check: kyc approve --user ${user.username}`,
        );
      }
      const { id, key } = created;
      return { json: { id, key }, text: `${key}\nShown once; its id is ${id}.` };
    }),
  );

const INVALID_ALLOWED_IPS =
  `--allow-ip takes 1 to ${MAX_ALLOWED_IPS} addresses or CIDR ranges with commas between them, such as ` +
  '203.0.113.7,2001:db8::/32; a range has no bits beyond its prefix';

const keysList = command('list', "List a user's keys, without the keys themselves")
  .addOption(userOption)
  .action(
    run(async ({ db }, options) => {
      const user = await requireUser(db, options.user);
      const found = await listApiKeys(db, user.id);
      const rows = found.map((key) => [
        key.id,
        `${key.key_prefix}_…${key.last_four}`,
        key.environment,
        stateOf(key),
        key.read_only ? 'read only' : 'read and write',
        key.allowed_ips?.join(' ') ?? 'anywhere',
        key.name,
      ]);
      return {
        json: { keys: found.map((key) => ({ ...key })) },
        text: table([['ID', 'KEY', 'ENVIRONMENT', 'STATE', 'MAY', 'FROM', 'NAME'], ...rows]),
      };
    }),
  );

const keysRevoke = command('revoke', 'Revoke a key: the next request with it is refused')
  .argument('<id>', 'of the key')
  .action(
    run(async ({ db, actor }, key_id) => {
      const revoked = await revokeKey({ db, author: { actor } }, key_id);
      if (!revoked.ok) throw new CommandError('key_not_found', REFUSALS[revoked.error]);
      const { id, revoked_at } = revoked.key;
      return { json: { id, revoked_at }, text: `Revoked ${id}.` };
    }),
  );

function stateOf({ revoked_at }: Pick<ApiKeyRow, 'revoked_at'>): string {
  if (revoked_at === null) return 'active';
  return `${Date.parse(revoked_at) > Date.now() ? 'active until' : 'revoked'} ${revoked_at}`;
}

const keysRotate = command(
  'rotate',
  'Create a new key like this one and revoke this one, in one step',
)
  .argument('<id>', 'of the key')
  .addOption(
    new Option('--overlap-seconds <seconds>', 'how long this one stays valid too, a day at most')
      .argParser(readOverlap)
      .default(0),
  )
  .action(
    run(async ({ db, config, actor }, key_id, options) => {
      const key_prefix = config.key_prefixes[0]!;
      const dependencies = { db, key_prefix, author: { actor } };
      const rotated = await rotateKey(dependencies, key_id, options.overlapSeconds);
      if (!rotated.ok) throw new CommandError(`key_${rotated.error}`, REFUSALS[rotated.error]);
      const { id, key } = rotated;
      return {
        json: { id, key },
        text: `${key}\nShown once; its id is ${id}. The old key is revoked${options.overlapSeconds > 0 ? ` in ${options.overlapSeconds} s` : ''}.`,
      };
    }),
  );

function readOverlap(text: string): number {
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : Infinity;
  if (seconds <= MAX_KEY_OVERLAP_SECONDS) return seconds;
  throw new CommandError('usage', `--overlap-seconds must be from 0 to ${MAX_KEY_OVERLAP_SECONDS}`);
}

const REFUSALS = {
  not_found: 'There is no such key',
  revoked: 'This key is revoked already: create a new one',
  kyc_required: 'The identity check of its user is no longer approved',
} as const;

export const keys = group([keysCreate, keysList, keysRevoke, keysRotate]);
