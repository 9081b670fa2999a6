// A user's history as its pages and files show it: filtered, a page at a time, each page at a cost that
// does not depend on how long the history is. Sent on the pool's connections: the short look-ups of API
// calls do not queue behind it.

import type { Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import type {
  Direction,
  TransactionFilter,
  TransactionStatus,
  TransactionType,
} from '../domain/transaction';
import { typesMatching } from '../domain/transaction';
import { execute, type Db } from './connect';
import { filterSql } from './list-filters';

export interface HistoryRow {
  readonly id: string;
  readonly type: TransactionType;
  readonly status: TransactionStatus;
  readonly direction: Direction;
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

export interface HistoryFilters {
  readonly type?: TransactionFilter | undefined;
  readonly currency?: Currency | undefined;
  readonly status?: TransactionStatus | undefined;
  readonly direction?: Direction | undefined;
  /** An instant; rows at it or later. */
  readonly created_from?: string | undefined;
}

export interface HistoryQuery {
  readonly user_id: string;
  readonly environment: Environment;
  readonly filters: HistoryFilters;
  /** An instant; rows strictly before it. */
  readonly before: string | undefined;
  readonly limit: number;
}

export interface HistoryPage {
  /** Newest first. */
  readonly rows: readonly HistoryRow[];
  /** Where the next page begins; null when there is none. */
  readonly next: string | null;
  /** False when the page ended because enough rows were looked at, and not because it was full. */
  readonly is_full: boolean;
}

/**
 * How many rows a page may look at. One type has an index of its own; the other filters are conditions on
 * rows in the order of time, and a filter that matches one row in a million must not read a million.
 */
const LOOKED_AT = 20_000;

const CONDITIONS = {
  currency: 't.currency = ?',
  status: 't.status = ?',
  direction: 't.direction = ?',
  types: 't.type = any (?::text[])',
} as const;

/** Newest first. A page may have fewer rows than the limit, or none, and a next page all the same. */
export async function listHistory(db: Db, query: HistoryQuery): Promise<HistoryPage> {
  const { user_id, environment, before, limit, filters } = query;
  const { type, created_from, ...others } = filters;
  const types = type && typesMatching(type);
  const values: unknown[] = [user_id, environment, before ?? 'infinity', limit + 1];
  values.push(created_from ?? '-infinity');
  // The index of one type is in the order of time, that of two is not.
  const indexed = types?.length === 1 ? ` and t.type = $${values.push(types[0])}` : '';
  const of_owner = `t.user_id = $1 and t.environment = $2${indexed} and t.created_at < $3::timestamptz`;
  const { given, conditions } = filterSql(
    CONDITIONS,
    { ...others, types: indexed === '' ? types : undefined },
    values,
  );
  // Without a condition every row looked at is one of the page: the limit is bound enough.
  const down_to =
    conditions === ''
      ? '$5::timestamptz'
      : `greatest($5::timestamptz, coalesce((
          select t.created_at from transactions t where ${of_owner}
           order by t.created_at desc offset $${values.push(LOOKED_AT)} limit 1), '-infinity'))`;
  const text = `with looked_at as (select ${down_to} as down_to)
    select l.down_to, l.down_to > $5::timestamptz as is_cut, h.*
      from looked_at l left join lateral (
        select ${COLUMNS} from transactions t
         where ${of_owner} and t.created_at >= l.down_to${conditions}
         order by t.created_at desc limit $4) h on true`;
  const name = `list_history_${given}${indexed === '' ? '' : '_type'}`;
  type Row = { readonly down_to: string; readonly is_cut: boolean } & HistoryRow;
  const found = await execute<Row>(db, { name, text }, values);
  // Without a row of the history there is one that says how far was looked.
  const matching = found.filter(({ id }) => (id as string | null) !== null);
  const rows = matching.slice(0, limit);
  if (matching.length > limit) return { rows, next: rows.at(-1)!.created_at, is_full: true };
  const [first] = found;
  return { rows, next: first!.is_cut ? first!.down_to : null, is_full: !first!.is_cut };
}

// The history has no index by reference, which every posting would have to keep. The ledger and the
// transfers have one, and the history shows a posting at its moment or the first free microsecond after.
const FIND_REFERENCE = {
  name: 'find_history_of_reference',
  text: `select ${COLUMNS}
           -- The second is a refund's way back, which has the refund's reference in the history.
           from (select l.created_at as at from ledger_transactions l
                  where l.reference in ($3, $3 || '/returned')
                 union all
                 select s.created_at from transfers s where s.reference = $3 and s.simulated) posted
          cross join lateral (
            select ${COLUMNS} from transactions t
             where t.user_id = $1 and t.environment = $2 and t.created_at >= posted.at
               and t.created_at < posted.at + interval '10 milliseconds'
             order by t.created_at limit 10000) t
          where t.reference = $3
          order by t.created_at desc limit 100`,
};

/** Those of the user, newest first; there are never many. */
export async function listHistoryOfReference(
  db: Db,
  user_id: string,
  environment: Environment,
  reference: string,
): Promise<HistoryRow[]> {
  return execute<HistoryRow>(db, FIND_REFERENCE, [user_id, environment, reference]);
}

const FIND = {
  name: 'find_history_row',
  text: `select ${COLUMNS} from transactions t
          where t.id = $3 and t.user_id = $1 and t.environment = $2`,
};

export async function findHistoryRow(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<HistoryRow | undefined> {
  return (await execute<HistoryRow>(db, FIND, [user_id, environment, id]))[0];
}
