// API keys: created, listed, changed, revoked and rotated.

import { Option } from '@commander-js/extra-typings';
import { listApiKeys, type ApiKeyRow, type DailyLimit } from '../../db/keys/api-keys';
import { isCurrency } from '../../domain/currency';
import { readScopes, SCOPES, type Scope } from '../../domain/scopes';
import {
  createKey,
  DEFAULT_REQUESTS_PER_MINUTE,
  DEFAULT_WRITES_PER_MINUTE,
  MAX_ACTIVE_KEYS,
  MAX_ALLOWED_IPS,
  MAX_EXPIRY_DAYS,
  MAX_KEY_NAME,
  MAX_KEY_OVERLAP_SECONDS,
  revokeKey,
  rotateKey,
  updateKey,
  type KeyDependencies,
  type LimitFault,
} from '../../use-cases/api-keys';
import { command, group, run } from '../command';
import type { CommandContext } from '../context';
import { count, environmentOption, readAmount, userOption } from '../options';
import { CommandError } from '../error';
import { requireUser } from '../lookups';
import { table } from '../table';

const MAX_LIMIT = 100_000_000;

function limit<const Name extends string>(name: Name, description: string, fallback: number) {
  return new Option(`--${name} <n>`, description)
    .argParser(count(name, MAX_LIMIT))
    .default(fallback);
}

const scopeOption = new Option(
  '--scope <scope>',
  `what it may do, again for each; all but payouts without it (${SCOPES.join(', ')})`,
).argParser((word: string, before: readonly Scope[] | undefined): readonly Scope[] => {
  const scopes = readScopes([...(before ?? []), word]);
  if (scopes) return scopes;
  throw refusedLimit('no_scope');
});
const expiryOption = new Option(
  '--expires-in <days>',
  'after so long it is refused, such as 90d, or none',
).argParser(readExpiry);
const dailyLimitOption = new Option(
  '--daily-limit <amount>',
  'the most that may leave by it in 24 hours, such as XOF=500000, again for each currency (of others nothing may leave), or none',
).argParser(readDailyLimit);
const addressesOption = new Option(
  '--allow-ip <cidrs>',
  'addresses or ranges from which it may be used, with commas, or none',
).argParser((text: string) =>
  text === 'none' ? text : text.split(',').map((range) => range.trim()),
);

function readExpiry(text: string): number | 'none' {
  if (text === 'none') return text;
  const days = /^[1-9]\d{0,3}d$/.test(text) ? Number(text.slice(0, -1)) : Infinity;
  if (days <= MAX_EXPIRY_DAYS) return days;
  throw new CommandError('usage', `--expires-in must be from 1d to ${MAX_EXPIRY_DAYS}d, or none`);
}

function readDailyLimit(
  text: string,
  before: DailyLimit | 'none' | undefined,
): DailyLimit | 'none' {
  if (text === 'none') return text;
  const [word = '', amount = ''] = text.split('=');
  const currency = word.toUpperCase();
  if (!isCurrency(currency)) {
    throw new CommandError('usage', '--daily-limit must be an amount such as XOF=500000, or none');
  }
  const others = before === 'none' ? {} : before;
  return { ...others, [currency]: String(readAmount(amount, currency, 'daily-limit')) };
}

/** An option that is not given is left out, and `none` is null. */
function limitsOf({
  expiresIn,
  dailyLimit,
  allowIp,
}: {
  readonly expiresIn?: number | 'none' | undefined;
  readonly dailyLimit?: DailyLimit | 'none' | undefined;
  readonly allowIp?: readonly string[] | 'none' | undefined;
}) {
  return {
    ...(expiresIn === undefined ? {} : { expires_in_days: orNull(expiresIn) }),
    ...(dailyLimit === undefined ? {} : { daily_limit: orNull(dailyLimit) }),
    ...(allowIp === undefined ? {} : { allowed_ips: orNull(allowIp) }),
  };
}

function orNull<Value>(value: Value | 'none'): Value | null {
  return value === 'none' ? null : value;
}

function dependenciesOf({
  db,
  config,
  actor,
}: Pick<CommandContext, 'db' | 'config' | 'actor'>): KeyDependencies {
  const { payout_keys_need_addresses } = config;
  return { db, payout_keys_need_addresses, author: { actor } };
}

const TOO_MANY = `The account has ${MAX_ACTIVE_KEYS} active keys: revoke one first (keys revoke)`;

function refusedLimit(error: LimitFault): CommandError {
  return new CommandError('usage', LIMIT_FAULTS[error]);
}

const LIMIT_FAULTS = {
  no_scope: `--scope is one of ${SCOPES.join(', ')}`,
  addresses_required:
    'A live key with payouts:write needs --allow-ip: PAYOUT_KEYS_NEED_ADDRESSES is set',
  invalid_allowed_ips:
    `--allow-ip takes 1 to ${MAX_ALLOWED_IPS} addresses or CIDR ranges with commas between them, such as ` +
    '203.0.113.7,2001:db8::/32; a range has no bits beyond its prefix',
} as const;

function stateOf({ revoked_at, expires_at }: ApiKeyRow): string {
  const is_over = (at: string | null) => at !== null && Date.parse(at) <= Date.now();
  if (is_over(revoked_at)) return `revoked ${revoked_at}`;
  if (is_over(expires_at)) return `expired ${expires_at}`;
  const [until] = [revoked_at, expires_at].filter((at) => at !== null).sort();
  return until === undefined ? 'active' : `active until ${until}`;
}

const REFUSALS = {
  not_found: 'There is no such key',
  revoked: 'This key is revoked already, or has expired: create a new one',
  kyc_required: 'The identity check of its user is no longer approved',
} as const;

export const keys = group([
  command('create', 'Create an API key and show it, once')
    .addOption(userOption)
    .addOption(environmentOption)
    .option('--name <name>', 'what it is for')
    .addOption(
      limit('requests-per-minute', 'how many requests it may make', DEFAULT_REQUESTS_PER_MINUTE),
    )
    .addOption(
      limit(
        'writes-per-minute',
        'how many of them may change something',
        DEFAULT_WRITES_PER_MINUTE,
      ),
    )
    .addOption(scopeOption)
    .addOption(expiryOption)
    .addOption(dailyLimitOption)
    .addOption(addressesOption)
    .action(
      run(async ({ db, config, actor }, options) => {
        const user = await requireUser(db, options.user);
        const created = await createKey(dependenciesOf({ db, config, actor }), {
          user_id: user.id,
          environment: options.environment,
          name: options.name,
          requests_per_minute: options.requestsPerMinute,
          writes_per_minute: options.writesPerMinute,
          scopes: options.scope,
          ...limitsOf(options),
        });
        if (!created.ok) {
          const { error } = created;
          if (error === 'kyc_required') {
            throw new CommandError(
              error,
              `A live key needs an approved identity check: kyc approve --user ${user.username}`,
            );
          }
          throw error === 'too_many_keys' ? new CommandError(error, TOO_MANY) : refusedLimit(error);
        }
        const { id, key } = created;
        return { json: { id, key }, text: `${key}\nShown once; its id is ${id}.` };
      }),
    ),
  command('list', "List a user's keys, without the keys themselves")
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
          key.scopes.join(' '),
          key.allowed_ips?.join(' ') ?? 'anywhere',
          key.name,
        ]);
        return {
          json: { keys: found.map((key) => ({ ...key })) },
          text: table([['ID', 'KEY', 'ENVIRONMENT', 'STATE', 'MAY', 'FROM', 'NAME'], ...rows]),
        };
      }),
    ),
  command('update', 'Change what a key may do: its next request has it')
    .argument('<id>', 'of the key')
    .option('--name <name>', 'what it is for')
    .addOption(scopeOption)
    .addOption(expiryOption)
    .addOption(dailyLimitOption)
    .addOption(addressesOption)
    .action(
      run(async ({ db, config, actor }, key_id, options) => {
        const { name, scope: scopes } = options;
        const changes = {
          ...limitsOf(options),
          ...(name === undefined ? {} : { name: name.slice(0, MAX_KEY_NAME) }),
          ...(scopes === undefined ? {} : { scopes }),
        };
        if (Object.keys(changes).length === 0) {
          throw new CommandError('usage', 'Say what is to change: an option for each');
        }
        const updated = await updateKey(dependenciesOf({ db, config, actor }), key_id, changes);
        if (!updated.ok) {
          const { error } = updated;
          throw error === 'not_found'
            ? new CommandError('key_not_found', 'There is no such key, or it is no longer valid')
            : refusedLimit(error);
        }
        return { json: { key: { ...updated.key } }, text: `Changed ${updated.key.id}.` };
      }),
    ),
  command('revoke', 'Revoke a key: the next request with it is refused')
    .argument('<id>', 'of the key')
    .action(
      run(async ({ db, actor }, key_id) => {
        const revoked = await revokeKey({ db, author: { actor } }, key_id);
        if (!revoked.ok) throw new CommandError('key_not_found', REFUSALS[revoked.error]);
        const { id, revoked_at } = revoked.key;
        return { json: { id, revoked_at }, text: `Revoked ${id}.` };
      }),
    ),
  command('rotate', 'Create a new key like this one and revoke this one, in one step')
    .argument('<id>', 'of the key')
    .addOption(
      new Option('--overlap-seconds <seconds>', 'how long this one stays valid too, a day at most')
        .argParser(count('overlap-seconds', MAX_KEY_OVERLAP_SECONDS, 0))
        .default(0),
    )
    .addOption(expiryOption)
    .action(
      run(async ({ db, config, actor }, key_id, options) => {
        const { overlapSeconds: overlap_seconds, expiresIn } = options;
        const rotated = await rotateKey(dependenciesOf({ db, config, actor }), key_id, {
          overlap_seconds,
          ...(expiresIn === undefined ? {} : { expires_in_days: orNull(expiresIn) }),
        });
        if (!rotated.ok) throw new CommandError(`key_${rotated.error}`, REFUSALS[rotated.error]);
        const { id, key } = rotated;
        return {
          json: { id, key },
          text: `${key}\nShown once; its id is ${id}. The old key is revoked${overlap_seconds > 0 ? ` in ${overlap_seconds} s` : ''}.`,
        };
      }),
    ),
]);
