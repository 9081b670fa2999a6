// A user's history, newest first.

import { CURRENCIES } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { TYPE_DIRECTIONS, type TransactionType } from '../../domain/transaction';
import { lookUp, lookUpBatched, type Db, type BoundStatement, type Statement } from '../connect';
import type { AccountPage } from '../list-filters';

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
                with ordinality q (user_id, environment, before, count, kinds, position)
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

// One scan of the index transactions_by_kind per type, direction and currency, each in order and no longer than
// the page: as fast for a rare type among millions as without a filter. Only that index has this order; see
// OF_SIDES in history.ts.
const KIND = '(t.user_id, t.environment, t.type, t.direction, t.currency, t.created_at)';
const kindAt = (moment: string): string =>
  `(q.user_id, q.environment, kind.type, kind.direction, kind.currency, ${moment})`;

const LIST_KINDS = listStatement(
  'list_transactions_of_kinds',
  `(select k.created_at
      from (select split_part(name, ' ', 1) as type, split_part(name, ' ', 2) as direction,
                   split_part(name, ' ', 3) as currency
              from unnest(string_to_array(q.kinds, ',')) name) kind
     cross join lateral (
       select t.created_at from transactions t
        where ${KIND} < ${kindAt("coalesce(q.before, 'infinity')")}
          and ${KIND} >= ${kindAt("'-infinity'::timestamptz")}
        order by t.user_id desc, t.environment desc, t.type desc, t.direction desc, t.currency desc,
                 t.created_at desc
        limit q.count + 1) k
     order by k.created_at desc limit q.count + 1) found
    cross join lateral (
      select x.json, x.created_at from transactions x
       where x.user_id = q.user_id and x.environment = q.environment
         and x.created_at = found.created_at limit 1) t`,
);

export interface TransactionQuery extends AccountPage {
  readonly types: readonly TransactionType[] | undefined;
}

export async function listTransactions(db: Db, query: TransactionQuery): Promise<TransactionPage> {
  const { statement, values } = transactionsStatement(query);
  const [page] = await lookUpBatched<TransactionPage>(db, statement, values);
  return page!;
}

/** The values are those of one caller. */
export function transactionsStatement(query: TransactionQuery): BoundStatement {
  const { user_id, environment, before = null, limit, types } = query;
  const scope = [user_id, environment, before, limit];
  if (!types) return { statement: LIST, values: [...scope, null] };
  const kinds = types.flatMap((type) =>
    TYPE_DIRECTIONS[type].flatMap((direction) =>
      CURRENCIES.map((currency) => `${type} ${direction} ${currency}`),
    ),
  );
  return { statement: LIST_KINDS, values: [...scope, kinds.join(',')] };
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
