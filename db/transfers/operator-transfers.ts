// Transfers as operators see them: of every account, found by what a caller can name.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { columns, type RowOf } from '../columns';
import { execute, type Db } from '../connect';
import { TRANSFER, type TransferView } from './transfers';

const ONLY = columns('transfers t: idempotency_key batch_id request_id');

export interface OperatorTransfer
  extends
    RowOf<typeof ONLY>,
    Pick<TransferView, 'status' | 'simulated' | 'from_username' | 'to_username'>,
    RowOf<typeof TRANSFER> {}

export async function findOperatorTransfer(
  db: Db,
  reference: string,
): Promise<OperatorTransfer | undefined> {
  const text = `select ${TRANSFER}, ${ONLY}, transfer_status(t) as status, t.simulated,
      s.username as from_username, r.username as to_username
    from transfers t join users s on s.id = t.sender_id join users r on r.id = t.recipient_id
   where t.reference = $1`;
  const statement = { name: 'find_operator_transfer', text };
  return (await execute<OperatorTransfer>(db, statement, [reference]))[0];
}

/** The outcome of a request with this key. */
export interface KeyOutcome {
  readonly environment: Environment;
  /** The response's status: 200, or the refusal's. */
  readonly http_status: number;
  /** The transfer's reference; null for a refusal. */
  readonly reference: string | null;
  readonly request_id: string;
  readonly created_at: string;
}

/** Lists those of both environments, live first. */
export async function listKeyOutcomes(db: Db, user_id: string, key: string): Promise<KeyOutcome[]> {
  const text = `select k.environment, k.status as http_status, k.reference, k.request_id, k.created_at
    from unnest(array['live', 'sandbox']) e
    join idempotency_keys k on k.user_id = $1 and k.environment = e and k.operation = 'transfer'
     and k.key = $2`;
  return execute<KeyOutcome>(db, { name: 'list_key_outcomes', text }, [user_id, key]);
}

/** A posting did this to one account. */
export interface TransferEntry {
  readonly reference: string;
  /** The username of a wallet's owner, or the kind of an account of the system. */
  readonly account: string;
  readonly currency: Currency;
  /** Negative: a debit. */
  readonly amount_minor: bigint;
  readonly balance_after_minor: bigint;
}

/** The postings of these references, one after the other; empty when nothing was posted, as in the sandbox. */
export async function listTransferEntries(
  db: Db,
  references: readonly string[],
): Promise<TransferEntry[]> {
  const text = `select t.reference, coalesce(u.username, a.kind) as account, e.currency, e.amount_minor,
      e.balance_after_minor
    from ledger_transactions t
    join ledger_entries e on e.transaction_id = t.id and e.environment = t.environment
    join ledger_accounts a on a.id = e.account_id left join users u on u.id = a.user_id
   where t.reference = any ($1) order by array_position($1, t.reference), e.amount_minor`;
  return execute<TransferEntry>(db, { name: 'list_transfer_entries', text }, [references]);
}

/** An item of a bulk transfer that has not been posted, or was refused. */
export interface UnpostedItem {
  readonly batch_id: string;
  readonly index: number;
  readonly environment: Environment;
  readonly status: 'pending' | 'failed';
  readonly refusal: string | null;
}

/** Lists items by their own key, of a sender's newest batches. */
export async function listUnpostedItems(
  db: Db,
  user_id: string,
  key: string,
): Promise<UnpostedItem[]> {
  const text = `select i.batch_id, i.index, b.environment, i.status, i.refusal
    from (select * from transfer_batches where user_id = $1 order by created_at desc limit 100) b
    join transfer_batch_items i on i.batch_id = b.id
   where i.idempotency_key = $2 and i.status <> 'completed'
   order by b.created_at desc, i.index limit 5`;
  return execute<UnpostedItem>(db, { name: 'list_unposted_items', text }, [user_id, key]);
}

/** The ids of bulk transfers that a sender ordered with this key, live first. */
export async function listBatchesOfKey(db: Db, user_id: string, key: string): Promise<string[]> {
  const text = `select id from transfer_batches where user_id = $1 and idempotency_key = $2
    order by environment, created_at desc limit 2`;
  const statement = { name: 'list_batches_of_key', text };
  return (await execute<{ id: string }>(db, statement, [user_id, key])).map(({ id }) => id);
}
