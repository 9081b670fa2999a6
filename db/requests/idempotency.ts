// The first final response of each idempotency key, kept for ever.

import type { IdempotencyScope, StoredResponse } from '../../domain/idempotency';
import { call, lookUp, type Db } from '../connect';

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
  type Row = Pick<BeforeOperation, 'now'> & {
    [field in keyof StoredResponse]: StoredResponse[field] | null;
  };
  const [row] = await lookUp<Row>(db, READ_BEFORE, scopeValues(scope));
  const { now, status, body, fingerprint } = row!;
  const isStored = status !== null && body !== null && fingerprint !== null;
  return { now, stored: isStored ? { status, body, fingerprint } : undefined };
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
  type Row = { lapsed: boolean } & {
    [field in keyof StoredResponse]: StoredResponse[field] | null;
  };
  const [row] = await call<Row>(db, 'resolve_idempotency_key', [
    ...scopeValues(scope),
    accept_before,
  ]);
  const { lapsed, status, body, fingerprint } = row!;
  if (status !== null && body !== null && fingerprint !== null) {
    return { state: 'answered', response: { status, body, fingerprint } };
  }
  return { state: lapsed ? 'lapsed' : 'pending' };
}

function scopeValues(scope: IdempotencyScope): unknown[] {
  return [scope.user_id, scope.environment, scope.operation, scope.key];
}
