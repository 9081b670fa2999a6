// API keys: made, listed, revoked and rotated.

import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  type ApiKeyRow,
  type KeyMaterial,
} from '../db/api-keys';
import { UUID_PATTERN } from '../domain/ids';
import { makeApiKey } from '../secrets/api-key';
import { CommandError, requireUser, table, type Command } from './command';

const DEFAULT_REQUESTS = 60;
const DEFAULT_WRITES = 30;
const MAX_LIMIT = 100_000_000;

export const keysCreate: Command = {
  usage:
    'keys create --user U --environment live|test [--name N] [--requests-per-minute N] [--writes-per-minute N]',
  summary: 'Make a key and show it, once',
  options: ['user', 'environment', 'name', 'requests-per-minute', 'writes-per-minute'],
  async run({ db, config, options }) {
    const user = await requireUser(db, options.required('user'));
    const environment = options.environment();
    const { key, ...material } = makeApiKey(config.key_prefixes[0]!, environment);
    const id = await createApiKey(db, material, {
      user_id: user.id,
      environment,
      name: (options.optional('name') ?? '').slice(0, 100),
      requests_per_minute: options.count('requests-per-minute', DEFAULT_REQUESTS, MAX_LIMIT),
      writes_per_minute: options.count('writes-per-minute', DEFAULT_WRITES, MAX_LIMIT),
    });
    if (id === undefined) {
      throw new CommandError(
        'kyc_required',
        `A live key needs an approved identity check: kyc approve --user ${user.username}`,
      );
    }
    return { json: { id, key }, text: `${key}\nShown once; its id is ${id}.` };
  },
};

export const keysList: Command = {
  usage: 'keys list --user U',
  summary: "List a user's keys, without the keys themselves",
  options: ['user'],
  async run({ db, options }) {
    const user = await requireUser(db, options.required('user'));
    const keys = await listApiKeys(db, user.id);
    const rows = keys.map((key) => [
      key.id,
      `${key.key_prefix}_…${key.last_four}`,
      key.environment,
      key.revoked_at === null ? 'active' : `revoked ${key.revoked_at}`,
      key.name,
    ]);
    return {
      json: { keys: keys.map((key) => ({ ...key })) },
      text: table([['ID', 'KEY', 'ENVIRONMENT', 'STATE', 'NAME'], ...rows]),
    };
  },
};

export const keysRevoke: Command = {
  usage: 'keys revoke --id ID',
  summary: 'Revoke a key: the next request with it is refused',
  options: ['id'],
  async run({ db, options }) {
    const key: ApiKeyRow | undefined = await revokeApiKey(db, readId(options.required('id')));
    if (!key) throw new CommandError('key_not_found', 'There is no such key');
    return { json: { id: key.id, revoked_at: key.revoked_at }, text: `Revoked ${key.id}.` };
  },
};

const ROTATION_REFUSALS = {
  not_found: 'There is no such key',
  revoked: 'This key is revoked already: make a new one',
  kyc_required: 'The identity check of its user is no longer approved',
} as const;

export const keysRotate: Command = {
  usage: 'keys rotate --id ID',
  summary: 'Make a new key like this one and revoke this one, in one step',
  options: ['id'],
  async run({ db, config, options }) {
    let made = '';
    const rotation = await rotateApiKey(db, readId(options.required('id')), (environment) => {
      const { key, ...material } = makeApiKey(config.key_prefixes[0]!, environment);
      made = key;
      return material satisfies KeyMaterial;
    });
    if (!rotation.ok) {
      throw new CommandError(`key_${rotation.error}`, ROTATION_REFUSALS[rotation.error]);
    }
    return {
      json: { id: rotation.id, key: made },
      text: `${made}\nShown once; its id is ${rotation.id}. The old key is revoked.`,
    };
  },
};

function readId(text: string): string {
  if (!new RegExp(UUID_PATTERN).test(text))
    throw new CommandError('key_not_found', 'There is no such key');
  return text;
}
