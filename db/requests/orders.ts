// Orders under idempotency keys: the functions that carry out an order once per key, and the first final response of
// each key, which is kept for ever.

import type { Currency } from '../../domain/currency';
import type { IdempotencyScope, KeyedOrder, StoredResponse } from '../../domain/idempotency';
import { call, lookUp, type Db, type Tx } from '../connect';
import { findKeyLimit, type KeyLimit } from '../keys/daily-limits';

/** The response is stored for the key: by this request, or by an earlier one. */
export interface StoredOrder<Outcome extends string> {
  readonly outcome: Outcome;
  readonly response: StoredResponse;
  readonly is_replay: boolean;
}

/** Nothing was written. */
export type Unwritten =
  | { readonly outcome: 'lapsed' }
  /** The daily limit of the API key; undefined when it could not be read. */
  | { readonly outcome: 'key_limit'; readonly limit: KeyLimit | undefined };

export type Ordered<Stored extends string, Refused extends { readonly outcome: string }> =
  StoredOrder<Stored> | Refused | Unwritten;

/**
 * Calls the function of the database that carries out such an order. It returns the response that is stored, or why
 * nothing was.
 */
export async function order<Stored extends string, Refused extends { readonly outcome: string }>(
  db: Db | Tx,
  name: string,
  request: KeyedOrder & { readonly currency?: Currency },
  ...values: unknown[]
): Promise<Ordered<Stored, Refused>> {
  type Row = MaybeStored & {
    readonly outcome: Stored;
    readonly is_replay?: boolean;
    readonly limit_name?: string | null;
  };
  const [row] = await call<Row>(db, name, [JSON.stringify(request), ...values]);
  const { outcome, is_replay = outcome === 'stored', limit_name } = row!;
  const response = storedOf(row!);
  if (response) return { outcome, response, is_replay };
  // Limits of accounts have a name.
  if (outcome === 'limit_exceeded' && (limit_name ?? 'key_daily') === 'key_daily') {
    const limit = await findKeyLimit(db, request.limited_key, request.currency);
    return { outcome: 'key_limit', limit };
  }
  return row as unknown as Refused;
}

type MaybeStored = { readonly [field in keyof StoredResponse]: StoredResponse[field] | null };

function storedOf({ status, body, fingerprint }: MaybeStored): StoredResponse | undefined {
  if (status === null || body === null || fingerprint === null) return undefined;
  return { status, body, fingerprint };
}

const FIND = {
  name: 'find_stored_response',
  text: `select status, body, fingerprint from idempotency_keys
          where user_id = $1 and environment = $2 and operation = $3 and key = $4`,
};

export async function findStoredResponse(
  db: Db,
  scope: IdempotencyScope,
): Promise<StoredResponse | undefined> {
  const rows = await lookUp<StoredResponse>(db, FIND, scopeValues(scope));
  return rows[0];
}

const READ_BEFORE = {
  name: 'read_before_operation',
  text: `select clock_timestamp() as now, k.status, k.body, k.fingerprint
           from (values (1)) one
           left join idempotency_keys k
             on k.user_id = $1 and k.environment = $2 and k.operation = $3 and k.key = $4`,
};

export interface BeforeOperation {
  /** The database's clock, ISO 8601. */
  readonly now: string;
  /** The response that the key has already. */
  readonly stored: StoredResponse | undefined;
}

/** Reads what an operation needs to know before it begins, when no API key was authenticated for it. */
export async function readBeforeOperation(
  db: Db,
  scope: IdempotencyScope,
): Promise<BeforeOperation> {
  type Row = Pick<BeforeOperation, 'now'> & MaybeStored;
  const [row] = await lookUp<Row>(db, READ_BEFORE, scopeValues(scope));
  return { now: row!.now, stored: storedOf(row!) };
}

/** Those of the keys with which the account has made a link of either kind. */
export async function listMadeLinks(
  db: Db,
  { user_id, environment }: Pick<IdempotencyScope, 'user_id' | 'environment'>,
  keys: readonly string[],
): Promise<string[]> {
  const text = `select i.key from idempotency_keys i
                 where i.user_id = $1 and i.environment = $2 and i.key = any ($3) and i.status < 300
                   and i.operation in ('payment_intent', 'payment_link')`;
  const values = [user_id, environment, keys];
  const rows = await lookUp<{ key: string }>(db, { name: 'list_made_links', text }, values);
  return rows.map(({ key }) => key);
}

export type KeyState =
  | { readonly state: 'answered'; readonly response: StoredResponse }
  /** It did not happen and can no longer happen. */
  | { readonly state: 'lapsed' }
  /** It has not happened, but still may. */
  | { readonly state: 'pending' };

/** Waits for a posting with this key that is under way, then says what became of the request. */
export async function resolveOutcome(
  db: Db,
  scope: IdempotencyScope,
  accept_before: string,
): Promise<KeyState> {
  type Row = MaybeStored & { readonly lapsed: boolean };
  const [row] = await call<Row>(db, 'resolve_idempotency_key', [
    ...scopeValues(scope),
    accept_before,
  ]);
  const { lapsed } = row!;
  const response = storedOf(row!);
  return response ? { state: 'answered', response } : { state: lapsed ? 'lapsed' : 'pending' };
}

function scopeValues(scope: IdempotencyScope): unknown[] {
  return [scope.user_id, scope.environment, scope.operation, scope.key];
}
