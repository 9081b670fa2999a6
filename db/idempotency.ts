// The first final answer of each idempotency key, kept for ever.

import type { Environment } from '../domain/environment';
import type { IdempotentOperation, StoredAnswer } from '../domain/transfer';
import { ask, run, type Db } from './connect';

export interface KeyScope {
  readonly account_id: string;
  readonly environment: Environment;
  readonly operation: IdempotentOperation;
  readonly key: string;
}

const FIND = {
  name: 'find_stored_answer',
  text: `select status, body, fingerprint from idempotency_keys
          where account_id = $1 and environment = $2 and operation = $3 and key = $4`,
};

export async function findStoredAnswer(db: Db, scope: KeyScope): Promise<StoredAnswer | undefined> {
  const rows = await ask<StoredAnswer>(db, FIND, scopeValues(scope));
  return rows[0];
}

const SETTLE = {
  name: 'settle_idempotency_key',
  text: `select lapsed, status, body, fingerprint
           from settle_idempotency_key($1, $2, $3, $4, $5)`,
};

export type Settlement =
  | ({ readonly state: 'answered' } & StoredAnswer)
  /** It did not happen and can no longer happen. */
  | { readonly state: 'lapsed' }
  /** Not yet, but it still may. */
  | { readonly state: 'pending' };

/** Waits for a posting of this key that is under way, then tells what became of the attempt. */
export async function settleAttempt(
  db: Db,
  scope: KeyScope,
  accept_before: string,
): Promise<Settlement> {
  type Row = { lapsed: boolean } & { [field in keyof StoredAnswer]: StoredAnswer[field] | null };
  const [row] = await run<Row>(db, SETTLE, [...scopeValues(scope), accept_before]);
  const { lapsed, status, body, fingerprint } = row!;
  if (status !== null && body !== null && fingerprint !== null) {
    return { state: 'answered', status, body, fingerprint };
  }
  return { state: lapsed ? 'lapsed' : 'pending' };
}

function scopeValues(scope: KeyScope): unknown[] {
  return [scope.account_id, scope.environment, scope.operation, scope.key];
}
