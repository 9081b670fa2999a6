// What a merchant sees of the ledger, newest first.

import type { Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import type { TransactionType } from '../domain/transaction';
import { ask, type Db } from './connect';

export interface TransactionRow {
  readonly id: string;
  readonly type: TransactionType;
  readonly status: string;
  readonly direction: 'in' | 'out';
  readonly currency: Currency;
  readonly amount_minor: bigint;
  readonly fee_minor: bigint;
  readonly balance_after_minor: bigint;
  readonly reference: string;
  readonly counterparty: string | null;
  readonly description: string | null;
  readonly related: string | null;
  readonly created_at: string;
}

const COLUMNS = `t.id, t.type, t.status, t.direction, t.currency, t.amount_minor, t.fee_minor,
  t.balance_after_minor, t.reference, t.counterparty, t.description, t.related, t.created_at`;

const LIST = {
  name: 'list_transactions',
  text: `select ${COLUMNS} from transactions t
          where t.owner_id = $1 and t.environment = $2
            and t.created_at < coalesce($3::timestamptz, 'infinity')
          order by t.created_at desc limit $4`,
};

// One index scan per type, each already in order and no longer than the page: as fast for a rare
// type among millions as without a filter.
const LIST_TYPES = {
  name: 'list_transactions_of_types',
  text: `select ${COLUMNS}
           from unnest($5::text[]) wanted (type)
          cross join lateral (
            select * from transactions t
             where t.owner_id = $1 and t.environment = $2 and t.type = wanted.type
               and t.created_at < coalesce($3::timestamptz, 'infinity')
             order by t.created_at desc limit $4) t
          order by t.created_at desc limit $4`,
};

export interface TransactionQuery {
  readonly owner_id: string;
  readonly environment: Environment;
  /** An instant; rows strictly before it. */
  readonly before: string | undefined;
  readonly limit: number;
  readonly types: readonly TransactionType[] | undefined;
}

export async function listTransactions(db: Db, query: TransactionQuery): Promise<TransactionRow[]> {
  const { owner_id, environment, before = null, limit, types } = query;
  const values = [owner_id, environment, before, limit];
  return types
    ? ask<TransactionRow>(db, LIST_TYPES, [...values, types])
    : ask<TransactionRow>(db, LIST, values);
}

const FIND = {
  name: 'find_transaction',
  text: `select ${COLUMNS} from transactions t
          where t.id = $3 and t.owner_id = $1 and t.environment = $2`,
};

export async function findTransaction(
  db: Db,
  owner_id: string,
  environment: Environment,
  id: string,
): Promise<TransactionRow | undefined> {
  const rows = await ask<TransactionRow>(db, FIND, [owner_id, environment, id]);
  return rows[0];
}
