// A user's history, newest first.

import type { Environment } from '../domain/environment';
import type { TransactionType } from '../domain/transaction';
import { lookUp, lookUpBatched, type Db, type Statement } from './connect';

export interface TransactionPage {
  /** JSON texts joined by commas; see the column in 0002-ledger.sql. */
  readonly transactions: string;
  /** The last row's, and null on an empty page. */
  readonly last_created_at: string | null;
  readonly has_more: boolean;
}

// One row more than the page: when it exists, another page follows.
const listStatement = (name: string, rows: string): Statement => ({
  name,
  text: `select q.position::int, p.transactions, p.last_created_at, p.has_more
           from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::integer[], $5::text[])
                with ordinality q (user_id, environment, before, count, types, position)
          cross join lateral (
            select coalesce(string_agg(t.json, ',') filter (where t.place <= q.count), '')
                     as transactions,
                   min(t.created_at) filter (where t.place <= q.count) as last_created_at,
                   count(*) > q.count as has_more
              from (select t.json, t.created_at,
                           row_number() over (order by t.created_at desc) as place
                      from ${rows}
                     order by t.created_at desc limit q.count + 1) t) p`,
});

const OF_OWNER = `t.user_id = q.user_id and t.environment = q.environment
  and t.created_at < coalesce(q.before, 'infinity')`;

const LIST = listStatement('list_transactions', `transactions t where ${OF_OWNER}`);

// One index scan per type, each already in order and no longer than the page: as fast for a rare
// type among millions as without a filter.
const LIST_TYPES = listStatement(
  'list_transactions_of_types',
  `unnest(string_to_array(q.types, ',')) wanted (type)
    cross join lateral (
      select t.json, t.created_at from transactions t
       where ${OF_OWNER} and t.type = wanted.type
       order by t.created_at desc limit q.count + 1) t`,
);

export interface TransactionQuery {
  readonly user_id: string;
  readonly environment: Environment;
  /** An instant; rows strictly before it. */
  readonly before: string | undefined;
  readonly limit: number;
  readonly types: readonly TransactionType[] | undefined;
}

export async function listTransactions(db: Db, query: TransactionQuery): Promise<TransactionPage> {
  const { user_id, environment, before = null, limit, types } = query;
  const [page] = await lookUpBatched<TransactionPage>(db, types ? LIST_TYPES : LIST, [
    ...[user_id, environment, before, limit],
    types ? types.join(',') : null,
  ]);
  return page!;
}

const FIND = {
  name: 'find_transaction',
  text: `select t.json from transactions t
          where t.id = $3 and t.user_id = $1 and t.environment = $2`,
};

/** Its JSON text. */
export async function findTransaction(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<string | undefined> {
  const [row] = await lookUp<{ json: string }>(db, FIND, [user_id, environment, id]);
  return row?.json;
}
