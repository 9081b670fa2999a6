// API keys: created, listed, revoked and rotated.

import { listApiKeys } from '../db/api-keys';
import {
  createKey,
  DEFAULT_REQUESTS_PER_MINUTE,
  DEFAULT_WRITES_PER_MINUTE,
  MAX_ALLOWED_IPS,
  revokeKey,
  rotateKey,
} from '../use-cases/api-keys';
import type { Command } from './command';
import { CommandError } from './error';
import { requireUser } from './lookups';
import { table } from './table';

const MAX_LIMIT = 100_000_000;

const keysCreate: Command = {
  usage:
    'keys create --user U --environment live|test [--name N] [--requests-per-minute N] [--writes-per-minute N] [--read-only] [--allow-ip CIDRS]',
  summary: 'Create an API key and show it, once',
  async run({ db, config, options, actor }) {
    const user = await requireUser(db, options.required('user'));
    const limit = (name: string, fallback: number): number =>
      options.count(name, fallback, MAX_LIMIT);
    const created = await createKey(
      { db, key_prefix: config.key_prefixes[0]!, author: { actor } },
      {
        user_id: user.id,
        environment: options.environment(),
        name: options.optional('name'),
        requests_per_minute: limit('requests-per-minute', DEFAULT_REQUESTS_PER_MINUTE),
        writes_per_minute: limit('writes-per-minute', DEFAULT_WRITES_PER_MINUTE),
        read_only: options.has('read-only'),
        allowed_ips: options
          .optional('allow-ip')
          ?.split(',')
          .map((range) => range.trim()),
      },
    );
    if (!created.ok && created.error === 'invalid_allowed_ips') {
      throw new CommandError('usage', INVALID_ALLOWED_IPS);
    }
    if (!created.ok) {
      throw new CommandError(
        created.error,
        `A live key needs an approved identity check: kyc approve --user ${user.username}`,
      );
    }
    const { id, key } = created;
    return { json: { id, key }, text: `${key}\nShown once; its id is ${id}.` };
  },
};

const INVALID_ALLOWED_IPS =
  `--allow-ip takes 1 to ${MAX_ALLOWED_IPS} addresses or CIDR ranges with commas between them, such as ` +
  '203.0.113.7,2001:db8::/32; a range has no bits beyond its prefix';

const keysList: Command = {
  usage: 'keys list --user U',
  summary: "List a user's keys, without the keys themselves",
  async run({ db, options }) {
    const user = await requireUser(db, options.required('user'));
    const keys = await listApiKeys(db, user.id);
    const rows = keys.map((key) => [
      key.id,
      `${key.key_prefix}_…${key.last_four}`,
      key.environment,
      key.revoked_at === null ? 'active' : `revoked ${key.revoked_at}`,
      key.read_only ? 'read only' : 'read and write',
      key.allowed_ips?.join(' ') ?? 'anywhere',
      key.name,
    ]);
    return {
      json: { keys: keys.map((key) => ({ ...key })) },
      text: table([['ID', 'KEY', 'ENVIRONMENT', 'STATE', 'MAY', 'FROM', 'NAME'], ...rows]),
    };
  },
};

const keysRevoke: Command = {
  usage: 'keys revoke --id ID',
  summary: 'Revoke a key: the next request with it is refused',
  async run({ db, options, actor }) {
    const revoked = await revokeKey({ db, author: { actor } }, options.required('id'));
    if (!revoked.ok) throw new CommandError('key_not_found', REFUSALS[revoked.error]);
    const { id, revoked_at } = revoked.key;
    return { json: { id, revoked_at }, text: `Revoked ${id}.` };
  },
};

const keysRotate: Command = {
  usage: 'keys rotate --id ID',
  summary: 'Create a new key like this one and revoke this one, in one step',
  async run({ db, config, options, actor }) {
    const key_prefix = config.key_prefixes[0]!;
    const dependencies = { db, key_prefix, author: { actor } };
    const rotated = await rotateKey(dependencies, options.required('id'));
    if (!rotated.ok) throw new CommandError(`key_${rotated.error}`, REFUSALS[rotated.error]);
    const { id, key } = rotated;
    return {
      json: { id, key },
      text: `${key}\nShown once; its id is ${id}. The old key is revoked.`,
    };
  },
};

const REFUSALS = {
  not_found: 'There is no such key',
  revoked: 'This key is revoked already: create a new one',
  kyc_required: 'The identity check of its user is no longer approved',
} as const;

export const keyCommands = [keysCreate, keysList, keysRevoke, keysRotate];
