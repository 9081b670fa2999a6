// Creates, rotates and revokes API keys. A live key needs an approved identity check.

import {
  createApiKey,
  createFirstApiKey,
  revokeApiKey,
  rotateApiKey,
  type ApiKeyRow,
  type KeyAuthor,
  type KeyMaterial,
} from '../db/keys/api-keys';
import type { Db } from '../db/connect';
import { isInvalidText, isTooManyKeys } from '../db/errors';
import type { Environment } from '../domain/environment';
import { isUuid } from '../domain/ids';
import { makeApiKey } from '../secrets/api-key';

export interface KeyDependencies {
  readonly db: Db;
  /** New keys begin with it, then `_live_` or `_test_`. */
  readonly key_prefix: string;
  readonly author: KeyAuthor;
}

export interface KeyFields {
  readonly user_id: string;
  readonly environment: Environment;
  readonly name?: string | undefined;
  readonly requests_per_minute?: number | undefined;
  readonly writes_per_minute?: number | undefined;
  /** False when left out. */
  readonly read_only?: boolean | undefined;
  /** Addresses and CIDR ranges, IPv4 or IPv6; any address when left out. */
  readonly allowed_ips?: readonly string[] | undefined;
}

/** Specification, section 8. */
export const DEFAULT_REQUESTS_PER_MINUTE = 60;
export const DEFAULT_WRITES_PER_MINUTE = 30;
const MAX_NAME = 100;
/** The bound that the check of `api_keys.allowed_ips` has, too. */
export const MAX_ALLOWED_IPS = 32;
/** Active keys of an account in an environment, as in `require_place_for_key`. */
export const MAX_ACTIVE_KEYS = 20;

export interface CreatedKey {
  readonly ok: true;
  readonly id: string;
  /** Shown once: only its hash is stored. */
  readonly key: string;
}

export interface RefusedKey<
  Code extends 'not_found' | 'revoked' | 'kyc_required' | 'invalid_allowed_ips' | 'too_many_keys',
> {
  readonly ok: false;
  readonly error: Code;
}

export async function createKey(
  { db, key_prefix, author }: KeyDependencies,
  {
    user_id,
    environment,
    name = '',
    requests_per_minute = DEFAULT_REQUESTS_PER_MINUTE,
    writes_per_minute = DEFAULT_WRITES_PER_MINUTE,
    read_only = false,
    allowed_ips,
  }: KeyFields,
): Promise<CreatedKey | RefusedKey<'kyc_required' | 'invalid_allowed_ips' | 'too_many_keys'>> {
  // An empty list is a mistake, and not the wish for a key that works from anywhere.
  if (allowed_ips && (allowed_ips.length === 0 || allowed_ips.length > MAX_ALLOWED_IPS)) {
    return { ok: false, error: 'invalid_allowed_ips' };
  }
  const { key, ...material } = makeApiKey(key_prefix, environment);
  const options = {
    user_id,
    environment,
    name: name.slice(0, MAX_NAME),
    requests_per_minute,
    writes_per_minute,
    read_only,
    allowed_ips: allowed_ips ?? null,
  };
  try {
    const id = await createApiKey(db, material, options, author);
    return id === undefined ? { ok: false, error: 'kyc_required' } : { ok: true, id, key };
  } catch (error) {
    if (isTooManyKeys(error)) return { ok: false, error: 'too_many_keys' };
    if (!isInvalidText(error)) throw error;
    return { ok: false, error: 'invalid_allowed_ips' };
  }
}

/** A test key for an account that has never had a key; undefined for another. */
export async function createFirstKey(
  {
    db,
    key_prefix,
    author,
  }: KeyDependencies & { readonly author: Extract<KeyAuthor, { readonly user_id: string }> },
  name: string,
): Promise<CreatedKey | undefined> {
  const environment = 'sandbox';
  const { key, ...material } = makeApiKey(key_prefix, environment);
  const id = await createFirstApiKey(db, material, { environment, name }, author);
  return id === undefined ? undefined : { ok: true, id, key };
}

/** How long the old key may stay valid beside the new one. */
export const MAX_KEY_OVERLAP_SECONDS = 24 * 60 * 60;

/**
 * Creates a key like the old one and revokes the old one, both or neither: at once, or after an overlap.
 */
export async function rotateKey(
  { db, key_prefix, author }: KeyDependencies,
  id: string,
  overlap_seconds = 0,
): Promise<CreatedKey | RefusedKey<'not_found' | 'revoked' | 'kyc_required'>> {
  if (!isUuid(id)) return { ok: false, error: 'not_found' };
  let new_key = '';
  const makeKey = (environment: Environment): KeyMaterial => {
    const { key, ...material } = makeApiKey(key_prefix, environment);
    new_key = key;
    return material;
  };
  const rotation = await rotateApiKey(db, id, makeKey, overlap_seconds, author);
  return rotation.ok ? { ...rotation, key: new_key } : rotation;
}

export interface RevokedKey {
  readonly ok: true;
  readonly key: ApiKeyRow;
}

/** The next request with the key is refused. Revoking it again keeps the first time. */
export async function revokeKey(
  { db, author }: Pick<KeyDependencies, 'db' | 'author'>,
  id: string,
): Promise<RevokedKey | RefusedKey<'not_found'>> {
  const key = isUuid(id) ? await revokeApiKey(db, id, author) : undefined;
  return key ? { ok: true, key } : { ok: false, error: 'not_found' };
}
