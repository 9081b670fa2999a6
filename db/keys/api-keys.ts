// API keys: who is calling and how often, and the life of a key.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { DEFAULT_SCOPES, type Scope } from '../../domain/scopes';
import type { Fingerprint, IdempotencyScope, StoredResponse } from '../../domain/idempotency';
import { columns, type RowOf } from '../columns';
import { callValue, execute, lookUp, lookUpBatched, type Db, type Tx } from '../connect';

export interface Caller {
  readonly key_id: string;
  readonly user_id: string;
  readonly username: string;
  readonly environment: Environment;
  /** False when a rate limit is reached; the call was then not counted. */
  readonly allowed: boolean;
  /** False when the key is for other addresses only; the call was then not counted. */
  readonly is_address_allowed: boolean;
  /** The key is no longer valid; the call was not counted. */
  readonly is_revoked: boolean;
  /** The same, because its time is over. */
  readonly is_expired: boolean;
  /** The account is frozen: nothing may be done with it. */
  readonly is_frozen: boolean;
  readonly scopes: readonly Scope[];
  /** How far the clock of the account's sandbox is ahead, in seconds; null when it was never moved, and in live. */
  readonly clock_seconds: number | null;
  /** Whether faults may be ordered in the account's sandbox; null as above. */
  readonly has_faults: boolean | null;
  /** The key's id when it has a daily limit, by which what it orders is counted. */
  readonly limited_key: string | null;
  readonly request_limit: number;
  readonly request_remaining: number;
  readonly write_limit: number;
  readonly write_remaining: number;
  readonly retry_after_seconds: number;
  /** The database's clock, ISO 8601: deadlines that the database checks start from it. */
  readonly now: string;
  /** The response stored for the request's idempotency key. */
  readonly stored: StoredResponse | undefined;
}

/** Calls that were counted in advance and may be let in without counting again, for a moment. */
export interface ReservedCalls {
  /** This call included. */
  readonly reserved_requests: number;
  readonly reserved_writes: number;
  /** How long they may be spent, from when the statement was sent. */
  readonly reservation_ms: number;
}

/** The part of an idempotency key's scope that the request itself names. */
export type OperationKey = Pick<IdempotencyScope, 'operation' | 'key'>;

export interface AuthenticateOptions {
  /**
   * The address from which the call comes. A key with a list of addresses is refused without it.
   */
  readonly address?: string | undefined;
  readonly operation_key?: OperationKey | undefined;
  /** Counts several calls at once when the key's limits are high; see authenticate.sql. */
  readonly may_reserve?: boolean;
}

const AUTHENTICATE = {
  name: 'authenticate_call',
  text: `select key_id, user_id, username, environment, allowed, request_limit, request_remaining,
                write_limit, write_remaining, retry_after_seconds, now,
                stored_status, stored_body, stored_fingerprint,
                reserved_requests, reserved_writes, reservation_ms,
                is_address_allowed, is_revoked, is_expired, is_frozen, scopes::text, clock_seconds, has_faults,
                limited_key
           from authenticate_call($1, $2, $3, $4, $5, $6)`,
};

/**
 * Authenticates, counts and looks up the idempotency key in one round trip. Undefined: the API key
 * is unknown.
 */
export async function authenticate(
  db: Db,
  key_hash: Buffer,
  is_write: boolean,
  { address, operation_key, may_reserve = false }: AuthenticateOptions = {},
): Promise<(Caller & ReservedCalls) | undefined> {
  const { operation = null, key = null } = operation_key ?? {};
  const values = [key_hash, address ?? null, is_write, operation, key, may_reserve];
  const [row] = await lookUp<Stored<Caller & ReservedCalls>>(db, AUTHENTICATE, values);
  return row && unpackStored(row);
}

// The same look-ups without counting. A key with a list of addresses never has a reserved call. Who is
// calling comes first, and then the caller's idempotency key by all four columns of its index: each `limit 1`
// is a border that no join crosses. In one join the planner read that index for the key alone, of all accounts.
export const IDENTIFY = {
  name: 'identify',
  text: `select q.position::int, k.*, i.status as stored_status, i.body as stored_body,
                i.fingerprint as stored_fingerprint
           from unnest($1::bytea[], $2::text[], $3::text[])
                with ordinality q (key_hash, operation, key, position)
          cross join lateral (
            select k.id as key_id, k.user_id, u.username, k.environment,
                   k.requests_per_minute as request_limit, k.writes_per_minute as write_limit,
                   u.frozen_at is not null as is_frozen, k.scopes::text,
                   clock_timestamp() as now,
                   case k.environment when 'sandbox' then sandbox_clock(k.user_id) end as clock_seconds,
                   case k.environment when 'sandbox' then has_sandbox_faults(k.user_id) end as has_faults,
                   case when k.daily_limit is not null then k.id end as limited_key
              from api_keys k
              join users u on u.id = k.user_id
             where k.key_hash = q.key_hash and k.allowed_ips is null
               and coalesce(least(k.revoked_at, k.expires_at) > clock_timestamp(), true)
             limit 1) k
           left join lateral (
             select x.status, x.body, x.fingerprint from idempotency_keys x
              where x.user_id = k.user_id and x.environment = k.environment
                and x.operation = q.operation and x.key = q.key
              limit 1) i on true`,
};

export type Identity = Omit<
  Caller,
  | 'allowed'
  | 'is_address_allowed'
  | 'is_revoked'
  | 'is_expired'
  | 'request_remaining'
  | 'write_remaining'
  | 'retry_after_seconds'
>;

/** Answers for a reserved call: who is calling, and is the key still valid? */
export async function identify(
  db: Db,
  key_hash: Buffer,
  operation_key?: OperationKey,
): Promise<Identity | undefined> {
  const { operation = null, key = null } = operation_key ?? {};
  const [row] = await lookUpBatched<Stored<Identity>>(db, IDENTIFY, [key_hash, operation, key]);
  return row && unpackStored(row);
}

type Stored<Row> = Omit<Row, 'stored' | 'scopes'> & {
  /** In the form in which Postgres writes a list: for each call the driver's own reading of lists costs a tenth of the look-up. */
  readonly scopes: string;
  readonly stored_status: number | null;
  readonly stored_body: string | null;
  readonly stored_fingerprint: Fingerprint | null;
};

function unpackStored<Row>(
  row: Stored<Row>,
): Omit<Row, 'stored' | 'scopes'> & Pick<Caller, 'stored' | 'scopes'> {
  const { stored_status: status, stored_body: body, stored_fingerprint: fingerprint } = row;
  const isStored = status !== null && body !== null && fingerprint !== null;
  const stored = isStored ? { status, body, fingerprint } : undefined;
  return { ...row, scopes: readScopes(row.scopes), stored };
}

/** The sets of scopes are few. */
const READ_SCOPES = new Map<string, readonly Scope[]>();

function readScopes(list: string): readonly Scope[] {
  let scopes = READ_SCOPES.get(list);
  if (!scopes) {
    scopes = list.slice(1, -1).split(',') as Scope[];
    READ_SCOPES.set(list, scopes);
  }
  return scopes;
}

const SHOWN = columns(`api_keys k:
  id environment name key_prefix last_four requests_per_minute writes_per_minute scopes expires_at
  created_at revoked_at`);
const COLUMNS = `${SHOWN}, k.allowed_ips::text[], k.daily_limit`;

/** When `revoked_at` lies in the future, during an overlap, the key is valid until then. */
export interface ApiKeyRow extends RowOf<typeof SHOWN> {
  /** Ranges such as `203.0.113.0/24`; null when it may be used from anywhere. */
  readonly allowed_ips: readonly string[] | null;
  readonly daily_limit: DailyLimit | null;
}

export interface OwnKey extends ApiKeyRow {
  /** The e-mail address of the person who made or rotated it; null of one that operators made. */
  readonly made_by: string | null;
}

export interface KeyMaterial {
  readonly key_hash: Buffer;
  readonly key_prefix: string;
  readonly last_four: string;
}

export interface KeyOptions {
  readonly user_id: string;
  readonly environment: Environment;
  readonly name: string;
  readonly requests_per_minute: number;
  readonly writes_per_minute: number;
  /** DEFAULT_SCOPES when left out. */
  readonly scopes?: readonly Scope[];
  /** Never when left out or null. */
  readonly expires_in_days?: number | null;
  /** Addresses and ranges; any when left out or null. */
  readonly allowed_ips?: readonly string[] | null;
  /** Minor units that may leave by this key in 24 hours, by currency; any when left out or null. */
  readonly daily_limit?: DailyLimit | null;
  /** A live key that pays out must have `allowed_ips`. */
  readonly payouts_need_addresses?: boolean;
}

/** A field that is left out stays as it is; null takes a limit away. */
export type KeyChanges = Partial<
  Pick<
    KeyOptions,
    'name' | 'scopes' | 'expires_in_days' | 'allowed_ips' | 'daily_limit' | 'payouts_need_addresses'
  >
>;

/** In minor units; nothing may leave of a currency that it leaves out. */
export type DailyLimit = Readonly<Partial<Record<Currency, string>>>;

/** The author of a change: an operator by the operators' role, or its user by the application's. */
export type KeyAuthor =
  | { readonly actor: string }
  /** The person answers for what the key does: no payout that it orders is approved by them. */
  | { readonly user_id: string; readonly login_id: string };

/**
 * Undefined when a live key is asked for a user whose identity check is not approved. Only an operator
 * can choose the limits: a user's own keys have the usual ones. Throws 22P02 when one of `allowed_ips` is no
 * address or range, KY001 when the account has as many keys as it may, KY002 when a key that pays out lacks
 * addresses.
 */
export async function createApiKey(
  db: Db | Tx,
  material: KeyMaterial,
  options: KeyOptions,
  author: KeyAuthor,
): Promise<string | undefined> {
  const { scopes = DEFAULT_SCOPES } = options;
  const values = [JSON.stringify({ ...options, scopes }), materialJson(material, author)];
  const isOperator = 'actor' in author;
  const [row] = await execute<{ id: string | null }>(
    db,
    isOperator
      ? { name: 'create_api_key', text: 'select create_api_key($1::jsonb, $2::jsonb, $3) as id' }
      : { name: 'create_own_api_key', text: 'select create_api_key($1::jsonb, $2::jsonb) as id' },
    isOperator ? [...values, author.actor] : values,
  );
  return row!.id ?? undefined;
}

/** Undefined when the account has or had one. */
export async function createFirstApiKey(
  db: Db,
  material: KeyMaterial,
  { environment, name }: Pick<KeyOptions, 'environment' | 'name'>,
  author: Extract<KeyAuthor, { readonly user_id: string }>,
): Promise<string | undefined> {
  const options = { user_id: author.user_id, environment, name, scopes: DEFAULT_SCOPES };
  const values = [JSON.stringify(options), materialJson(material, author)];
  return (await callValue<string | null>(db, 'create_first_api_key', values)) ?? undefined;
}

function materialJson(
  { key_hash, key_prefix, last_four }: KeyMaterial,
  author: KeyAuthor,
  options: Omit<RotationOptions, 'overlap_seconds'> = {},
): string {
  const login_id = 'login_id' in author ? author.login_id : null;
  const hash = key_hash.toString('hex');
  return JSON.stringify({ key_hash: hash, key_prefix, last_four, login_id, ...options });
}

export async function listApiKeys(db: Db, user_id: string): Promise<ApiKeyRow[]> {
  const text = `select ${COLUMNS} from api_keys k where k.user_id = $1 order by k.created_at, k.id`;
  return execute<ApiKeyRow>(db, { name: 'list_api_keys', text }, [user_id]);
}

/** A key as its account sees it. */
export interface UsedKeyRow extends ApiKeyRow {
  /** The last request with it within USE_DAYS; null when there was none. */
  readonly last_used_at: string | null;
  /** An address, or of several requests the network that they share. */
  readonly last_used_ip: string | null;
}

export interface KeyQuery {
  readonly user_id: string;
  readonly environment: Environment;
  /** Those that are revoked or have expired, or those that are valid. */
  readonly revoked: boolean;
  /** A key's id: those made before it. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** Each day of the log is a table, so a key that was not used costs a look into as many. */
export const USE_DAYS = 30;

const LIST_USED = {
  name: 'list_used_keys',
  text: `select ${COLUMNS}, last_used_at, last_used_ip
           from (select k.*, used.at as last_used_at, used.ip as last_used_ip
             from (select x.* from api_keys x
                    where x.user_id = $1 and x.environment = $2
                      and coalesce(least(x.revoked_at, x.expires_at) <= now(), false) = $3::boolean
                      and ($4::uuid is null or (x.created_at, x.id) <
                        (select o.created_at, o.id from api_keys o where o.id = $4 and o.user_id = $1))
                    order by x.created_at desc, x.id desc limit $5) k
             left join lateral (
               select e.at, e.ip from access_entries e
                where e.key_id = k.id and e.at >= now() - interval '${USE_DAYS} days'
                  and e.at < now() + interval '1 day'
                order by e.at desc limit 1) used on true) k
          order by k.created_at desc, k.id desc`,
};

/** Newest first. */
export async function listUsedKeys(db: Db, query: KeyQuery): Promise<UsedKeyRow[]> {
  const { user_id, environment, revoked, before, limit } = query;
  return lookUp<UsedKeyRow>(db, LIST_USED, [user_id, environment, revoked, before ?? null, limit]);
}

export interface KeyName {
  readonly id: string;
  readonly name: string;
  readonly last_four: string;
}

/** Lists keys to choose one from: the newest hundred, those that are revoked last. */
export async function listKeyNames(
  db: Db,
  user_id: string,
  environment: Environment,
): Promise<KeyName[]> {
  const text = `select id, name, last_four from api_keys where user_id = $1 and environment = $2
                 order by revoked_at is not null, created_at desc, id limit 100`;
  return lookUp<KeyName>(db, { name: 'list_key_names', text }, [user_id, environment]);
}

/** Finds a key of this user and environment only. */
export async function findOwnKey(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<OwnKey | undefined> {
  const text = `select ${COLUMNS}, (select l.email from logins l where l.id = k.login_id) as made_by from api_keys k
                 where k.id = $3 and k.user_id = $1 and k.environment = $2`;
  const statement = { name: 'find_own_key', text };
  return (await lookUp<OwnKey>(db, statement, [user_id, environment, id]))[0];
}

/** True when a key with this hash would be let in. */
export async function isKeyActive(db: Db, key_hash: Buffer): Promise<boolean> {
  const text = `select 1 from api_keys
                 where key_hash = $1 and coalesce(least(revoked_at, expires_at) > clock_timestamp(), true)`;
  return (await execute(db, { name: 'is_key_active', text }, [key_hash])).length > 0;
}

/** Revoking again keeps the first time, and ends an overlap. Undefined when there is no such key, or not of this user. */
export async function revokeApiKey(
  db: Db,
  id: string,
  author: KeyAuthor,
): Promise<ApiKeyRow | undefined> {
  const [name, by, type] =
    'actor' in author
      ? (['revoke_api_key', author.actor, 'text'] as const)
      : (['revoke_own_api_key', author.user_id, 'uuid'] as const);
  const text = `select ${COLUMNS} from revoke_api_key($1::uuid, $2::${type}) k`;
  return (await execute<ApiKeyRow>(db, { name, text }, [id, by]))[0];
}

/**
 * Undefined when there is no such key, or not of this user, or it is no longer valid. Throws as createApiKey does.
 */
export async function updateApiKey(
  db: Db,
  id: string,
  changes: KeyChanges,
  author: KeyAuthor,
): Promise<ApiKeyRow | undefined> {
  const json = JSON.stringify(changes);
  const [row] =
    'actor' in author
      ? await execute<ApiKeyRow>(db, UPDATE, [id, json, author.actor])
      : await execute<ApiKeyRow>(db, UPDATE_OWN, [id, author.user_id, json]);
  return row;
}

const UPDATE = {
  name: 'update_api_key',
  text: `select ${COLUMNS} from update_api_key($1::uuid, $2::jsonb, $3::text) k`,
};
const UPDATE_OWN = {
  name: 'update_own_api_key',
  text: `select ${COLUMNS} from update_api_key($1::uuid, $2::uuid, $3::jsonb) k`,
};

export interface RotationOptions {
  /** How long the old key stays valid, a day at most. */
  readonly overlap_seconds: number;
  /** The new key's end; with the old one when left out, never when null. */
  readonly expires_in_days?: number | null;
}

export type Rotation =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly error: 'not_found' | 'revoked' | 'kyc_required' };

interface RotatedRow {
  readonly outcome: 'rotated' | 'not_found' | 'revoked' | 'kyc_required';
  readonly new_id: string | null;
}

/**
 * Makes the new key and revokes the old, at once or after an overlap of at most a day, in one transaction.
 */
export async function rotateApiKey(
  db: Db,
  id: string,
  makeKey: (environment: Environment) => KeyMaterial,
  { overlap_seconds, ...options }: RotationOptions,
  author: KeyAuthor,
): Promise<Rotation> {
  // The environment and the user of a key never change.
  const find = { name: 'find_api_key', text: 'select environment from api_keys where id = $1' };
  const [old] = await execute<{ environment: Environment }>(db, find, [id]);
  if (!old) return { ok: false, error: 'not_found' };
  const material = materialJson(makeKey(old.environment), author, options);
  const [row] =
    'actor' in author
      ? await execute<RotatedRow>(db, ROTATE, [id, material, overlap_seconds, author.actor])
      : await execute<RotatedRow>(db, ROTATE_OWN, [id, author.user_id, material, overlap_seconds]);
  const { outcome, new_id } = row!;
  return outcome === 'rotated' ? { ok: true, id: new_id! } : { ok: false, error: outcome };
}

const ROTATE = {
  name: 'rotate_api_key',
  text: 'select outcome, new_id from rotate_api_key($1::uuid, $2::jsonb, $3::integer, $4)',
};
const ROTATE_OWN = {
  name: 'rotate_own_api_key',
  text: 'select outcome, new_id from rotate_api_key($1::uuid, $2::uuid, $3::jsonb, $4::integer)',
};
