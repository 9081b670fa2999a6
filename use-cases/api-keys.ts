// Creates, changes, rotates and revokes API keys. A live key needs an approved identity check.

import {
  createApiKey,
  createFirstApiKey,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
  type ApiKeyRow,
  type KeyAuthor,
  type KeyChanges,
  type KeyMaterial,
  type KeyOptions,
  type RotationOptions,
} from '../db/keys/api-keys';
import type { Db } from '../db/connect';
import { isAddressesRequired, isInvalidText, isTooManyKeys } from '../db/errors';
import type { Environment } from '../domain/environment';
import { isUuid, KEY_PREFIX } from '../domain/ids';
import { DEFAULT_SCOPES } from '../domain/scopes';
import { makeApiKey } from '../secrets/api-key';

export interface KeyDependencies {
  readonly db: Db;
  /** Whether a live key that pays out must have addresses from which it may be used. */
  readonly payout_keys_need_addresses: boolean;
  readonly author: KeyAuthor;
}

/** A field that is left out has its usual value: all scopes but those of payouts, from any address, for ever, without a daily limit. */
export type KeyFields = Pick<KeyOptions, 'user_id' | 'environment'> & {
  readonly [name in Exclude<keyof KeyOptions, 'payouts_need_addresses'>]?:
    KeyOptions[name] | undefined;
};

/** Specification, section 8. */
export const DEFAULT_REQUESTS_PER_MINUTE = 60;
export const DEFAULT_WRITES_PER_MINUTE = 30;
export const MAX_KEY_NAME = 100;
/** The bound that the check of `api_keys.allowed_ips` has, too. */
export const MAX_ALLOWED_IPS = 32;
/** Active keys of an account, test and live together, as in `require_place_for_key`. */
export const MAX_ACTIVE_KEYS = 50;
/** Ten years: a longer time is a key that never expires. */
export const MAX_EXPIRY_DAYS = 3_650;

export interface CreatedKey {
  readonly ok: true;
  readonly id: string;
  /** Shown once: only its hash is stored. */
  readonly key: string;
}

export interface RefusedKey<
  Code extends
    | 'not_found'
    | 'revoked'
    | 'kyc_required'
    | 'no_scope'
    | 'invalid_allowed_ips'
    | 'addresses_required'
    | 'too_many_keys',
> {
  readonly ok: false;
  readonly error: Code;
}

export async function createKey(
  { db, payout_keys_need_addresses, author }: KeyDependencies,
  {
    user_id,
    environment,
    name = '',
    requests_per_minute = DEFAULT_REQUESTS_PER_MINUTE,
    writes_per_minute = DEFAULT_WRITES_PER_MINUTE,
    scopes = DEFAULT_SCOPES,
    expires_in_days = null,
    allowed_ips = null,
    daily_limit = null,
  }: KeyFields,
): Promise<CreatedKey | RefusedKey<LimitFault | 'kyc_required' | 'too_many_keys'>> {
  const fault = faultOf({ scopes, allowed_ips });
  if (fault) return { ok: false, error: fault };
  const { key, ...material } = makeApiKey(KEY_PREFIX, environment);
  const options = {
    user_id,
    environment,
    name: name.slice(0, MAX_KEY_NAME),
    requests_per_minute,
    writes_per_minute,
    scopes,
    expires_in_days,
    allowed_ips,
    daily_limit,
    payouts_need_addresses: payout_keys_need_addresses,
  };
  try {
    const id = await createApiKey(db, material, options, author);
    return id === undefined ? { ok: false, error: 'kyc_required' } : { ok: true, id, key };
  } catch (error) {
    if (isTooManyKeys(error)) return { ok: false, error: 'too_many_keys' };
    return { ok: false, error: refusedLimit(error) };
  }
}

export type LimitFault = 'no_scope' | 'invalid_allowed_ips' | 'addresses_required';

function faultOf({
  scopes,
  allowed_ips,
}: Pick<KeyChanges, 'scopes' | 'allowed_ips'>): LimitFault | undefined {
  if (scopes?.length === 0) return 'no_scope';
  // An empty list is a mistake, and not the wish for a key that works from anywhere.
  if (allowed_ips && (allowed_ips.length === 0 || allowed_ips.length > MAX_ALLOWED_IPS)) {
    return 'invalid_allowed_ips';
  }
  return undefined;
}

function refusedLimit(error: unknown): LimitFault {
  if (isAddressesRequired(error)) return 'addresses_required';
  if (!isInvalidText(error)) throw error;
  return 'invalid_allowed_ips';
}

/** Changes what is given; the next request with the key has it. */
export async function updateKey(
  {
    db,
    payout_keys_need_addresses,
    author,
  }: Pick<KeyDependencies, 'db' | 'payout_keys_need_addresses' | 'author'>,
  id: string,
  changes: Omit<KeyChanges, 'payouts_need_addresses'>,
): Promise<KeptKey | RefusedKey<LimitFault | 'not_found'>> {
  const fault = faultOf(changes);
  if (fault) return { ok: false, error: fault };
  if (!isUuid(id)) return { ok: false, error: 'not_found' };
  try {
    const all = { ...changes, payouts_need_addresses: payout_keys_need_addresses };
    const key = await updateApiKey(db, id, all, author);
    return key ? { ok: true, key } : { ok: false, error: 'not_found' };
  } catch (error) {
    return { ok: false, error: refusedLimit(error) };
  }
}

/** A test key for an account that has never had a key; undefined for another. */
export async function createFirstKey(
  {
    db,
    author,
  }: Pick<KeyDependencies, 'db'> & {
    readonly author: Extract<KeyAuthor, { readonly user_id: string }>;
  },
  name: string,
): Promise<CreatedKey | undefined> {
  const environment = 'sandbox';
  const { key, ...material } = makeApiKey(KEY_PREFIX, environment);
  const id = await createFirstApiKey(db, material, { environment, name }, author);
  return id === undefined ? undefined : { ok: true, id, key };
}

/** How long the old key may stay valid beside the new one. */
export const MAX_KEY_OVERLAP_SECONDS = 24 * 60 * 60;

/**
 * Creates a key like the old one and revokes the old one, both or neither: at once, or after an overlap. It
 * expires with the old one unless another time is given.
 */
export async function rotateKey(
  { db, author }: Pick<KeyDependencies, 'db' | 'author'>,
  id: string,
  options: RotationOptions,
): Promise<CreatedKey | RefusedKey<'not_found' | 'revoked' | 'kyc_required'>> {
  if (!isUuid(id)) return { ok: false, error: 'not_found' };
  let new_key = '';
  const makeKey = (environment: Environment): KeyMaterial => {
    const { key, ...material } = makeApiKey(KEY_PREFIX, environment);
    new_key = key;
    return material;
  };
  const rotation = await rotateApiKey(db, id, makeKey, options, author);
  return rotation.ok ? { ...rotation, key: new_key } : rotation;
}

export interface KeptKey {
  readonly ok: true;
  /** The key as it is now. */
  readonly key: ApiKeyRow;
}

/** The next request with the key is refused. Revoking it again keeps the first time. */
export async function revokeKey(
  { db, author }: Pick<KeyDependencies, 'db' | 'author'>,
  id: string,
): Promise<KeptKey | RefusedKey<'not_found'>> {
  const key = isUuid(id) ? await revokeApiKey(db, id, author) : undefined;
  return key ? { ok: true, key } : { ok: false, error: 'not_found' };
}
