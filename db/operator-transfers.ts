// Transfers as operators see them: of every account, found by what a caller can name.

import type { Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import { execute, type Db } from './connect';

export interface OperatorTransfer {
  readonly reference: string;
  readonly environment: Environment;
  readonly status: string;
  readonly simulated: boolean;
  readonly from_username: string;
  readonly to_username: string;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  readonly fee_minor: bigint;
  /** Null for an item of a batch that has none of its own. */
  readonly idempotency_key: string | null;
  /** Of the bulk transfer that it was made for. */
  readonly batch_id: string | null;
  readonly request_id: string;
  readonly created_at: string;
}

export async function findOperatorTransfer(
  db: Db,
  reference: string,
): Promise<OperatorTransfer | undefined> {
  const text = `select t.reference, t.environment, t.status, t.simulated,
      s.username as from_username, r.username as to_username, t.currency, t.amount_minor, t.fee_minor,
      t.idempotency_key, t.batch_id, t.request_id, t.created_at
    from transfers t join users s on s.id = t.sender_id join users r on r.id = t.recipient_id
   where t.reference = $1`;
  const statement = { name: 'find_operator_transfer', text };
  return (await execute<OperatorTransfer>(db, statement, [reference]))[0];
}

/** What a request with this key came to. */
export interface KeyOutcome {
  readonly environment: Environment;
  /** Of the response: 200, or the refusal's. */
  readonly http_status: number;
  /** Of the transfer; null for a refusal. */
  readonly reference: string | null;
  readonly request_id: string;
  readonly created_at: string;
}

/** In each environment, live first. */
export async function listKeyOutcomes(db: Db, user_id: string, key: string): Promise<KeyOutcome[]> {
  const text = `select k.environment, k.status as http_status, k.reference, k.request_id, k.created_at
    from unnest(array['live', 'sandbox']) e
    join idempotency_keys k on k.user_id = $1 and k.environment = e and k.operation = 'transfer'
     and k.key = $2`;
  return execute<KeyOutcome>(db, { name: 'list_key_outcomes', text }, [user_id, key]);
}
