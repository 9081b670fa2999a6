// A user's history as pages and files show it: filtered, a page at a time, each page at a cost that
// does not depend on how long the history is. Sent on the pool's connections: the short look-ups of API
// calls do not queue behind it.

import { CURRENCIES, type Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { PAYOUT_PREFIX } from '../../domain/ids';
import {
  TRANSACTION_TYPES,
  TYPE_DIRECTIONS,
  typesMatching,
  type Direction,
  type TransactionFilter,
  type TransactionStatus,
  type TransactionType,
} from '../../domain/transaction';
import { columns, type RowOf } from '../columns';
import { execute, type Db, type BoundStatement } from '../connect';
import type { AccountPage } from '../list-filters';

export const HISTORY_COLUMNS = columns(`transactions t:
  id type status direction currency amount_minor fee_minor tax_minor balance_after_minor reference counterparty
  description related created_at`);
export type HistoryRow = RowOf<typeof HISTORY_COLUMNS>;

/** A row as the API shows it. */
export interface RenderedRow {
  readonly json: string;
  readonly created_at: string;
}

export interface HistoryFilters {
  readonly type?: TransactionFilter | undefined;
  readonly currency?: Currency | undefined;
  readonly status?: TransactionStatus | undefined;
  readonly direction?: Direction | undefined;
  /** An instant; rows at it or later. */
  readonly created_from?: string | undefined;
}

export interface HistoryQuery extends AccountPage {
  readonly filters: HistoryFilters;
}

/** Newest first. */
export async function listHistory(db: Db, query: HistoryQuery): Promise<HistoryRow[]> {
  const { statement, values } = historyStatement('list_history', HISTORY_COLUMNS, query);
  return execute<HistoryRow>(db, statement, values);
}

/** Lists rows as the API shows them. */
export async function listRenderedHistory(db: Db, query: HistoryQuery): Promise<RenderedRow[]> {
  const { statement, values } = historyStatement('list_rendered', 't.json, t.created_at', query);
  return execute<RenderedRow>(db, statement, values);
}

export function historyStatement(
  name: string,
  columns: string,
  { user_id, environment, filters, before = 'infinity', limit }: HistoryQuery,
): BoundStatement {
  const { type, currency, status, direction, created_from = '-infinity' } = filters;
  const values = [user_id, environment, before, created_from, limit];
  if ([type, currency, status, direction].every((filter) => filter === undefined)) {
    return { statement: { name, text: select(columns, ofOwner(PERIOD_OF_OWNER)) }, values };
  }
  if (status !== undefined && RARE.has(status)) {
    const types = type === undefined ? null : typesMatching(type);
    return {
      statement: { name: `${name}_of_status`, text: select(columns, ofOwner(OF_RARE_STATUS)) },
      values: [...values, status, types, currency ?? null, direction ?? null],
    };
  }
  const sides = sidesMatching(filters, environment);
  return {
    statement: { name: `${name}_of_sides`, text: select(columns, OF_SIDES) },
    values: [
      ...values,
      sides.map((side) => side.type),
      sides.map((side) => side.direction),
      currency === undefined ? CURRENCIES : [currency],
      status ?? null,
    ],
  };
}

const select = (columns: string, rows: string): string =>
  `select ${columns} from ${rows} order by t.created_at desc limit $5`;

const ofOwner = (condition: string): string => `transactions t where ${condition}`;

const OF_OWNER = 't.user_id = $1 and t.environment = $2';
const IN_PERIOD = 't.created_at < $3::timestamptz and t.created_at >= $4::timestamptz';
const PERIOD_OF_OWNER = `${OF_OWNER} and ${IN_PERIOD}`;

// One scan of the index transactions_by_kind per type, direction and currency, each in order and no longer
// than the page: as fast for a rare kind among millions as without a filter. Only that index has this order.
// With equal signs and the order of time, a plan that is made for all values takes transactions_cursor,
// because it expects few rows between two unknown moments, and reads the whole history for a kind that it does
// not have. The rows themselves are looked up one by one, because a join by the time would read the history
// from its newest row on.
const KIND = '(t.user_id, t.environment, t.type, t.direction, t.currency, t.created_at)';
const kindAt = (moment: string): string =>
  `($1::uuid, $2::text, side.type, side.direction, c.currency, ${moment}::timestamptz)`;

const OF_SIDES = `(
  select k.created_at
    from unnest($6::text[], $7::text[]) side (type, direction)
   cross join unnest($8::text[]) c (currency)
   cross join lateral (
     select t.created_at from transactions t
      where ${KIND} < ${kindAt('$3')} and ${KIND} >= ${kindAt('$4')}
        and ($9::text is null or t.status = $9)
      order by t.user_id desc, t.environment desc, t.type desc, t.direction desc, t.currency desc,
               t.created_at desc
      limit $5) k
   order by k.created_at desc limit $5) found
  cross join lateral (
    select * from transactions x
     where x.user_id = $1 and x.environment = $2 and x.created_at = found.created_at limit 1) t`;

/** A posting never writes these: an index of its own holds these rows only. */
const RARE: ReadonlySet<TransactionStatus> = new Set(['pending', 'failed', 'reversed']);

const OF_RARE_STATUS = `${PERIOD_OF_OWNER}
  and t.status = $6 and t.status in ('pending', 'failed', 'reversed')
  and ($7::text[] is null or t.type = any ($7)) and ($8::text is null or t.currency = $8)
  and ($9::text is null or t.direction = $9)`;

interface Side {
  readonly type: TransactionType;
  readonly direction: Direction;
}

function sidesMatching(
  { type, direction, status }: HistoryFilters,
  environment: Environment,
): Side[] {
  const types = type === undefined ? TRANSACTION_TYPES : typesMatching(type);
  return types
    .filter((one) => status === undefined || mayHaveStatus(one, status, environment))
    .flatMap((one) =>
      TYPE_DIRECTIONS[one]
        .filter((side) => direction === undefined || side === direction)
        .map((side) => ({ type: one, direction: side })),
    );
}

/** Whether it is worth looking: a million transfers of the sandbox hold none that is completed. */
function mayHaveStatus(
  type: TransactionType,
  status: TransactionStatus,
  environment: Environment,
): boolean {
  const may_be_simulated = environment === 'sandbox' && SIMULATED_TYPES.has(type);
  if (status === 'simulated') return may_be_simulated;
  return !(may_be_simulated && type !== 'reversal');
}

/** A reversal may also give back what a sandbox wallet has paid. */
const SIMULATED_TYPES: ReadonlySet<TransactionType> = new Set([
  'transfer_in',
  'transfer_out',
  'reversal',
]);

// The history has no index by reference, which every posting would have to keep. The ledger, transfers and
// reversals have one, and the history shows a posting at its moment or the first free microsecond after.
const FIND_REFERENCE = {
  name: 'find_history_of_reference',
  // Two postings of one reference may be so close that each finds both rows.
  text: `select distinct on (t.created_at) ${HISTORY_COLUMNS}, t.json
           from (select l.created_at as at from ledger_transactions l
                  where l.reference = any ($4)
                 union all
                 select l.created_at from disputes d
                  cross join lateral (select d.reference || '/won' as step union all
                    select d.reference || '/' || n from generate_series(1, d.takes) n) of_dispute
                   join ledger_transactions l on l.reference = of_dispute.step
                  where d.reference = $3
                 union all
                 select s.created_at from transfers s where s.reference = $3 and s.simulated
                 union all
                 select v.created_at from reversals v
                  where v.reference = $3 and v.environment = 'sandbox') posted
          cross join lateral (
            select ${HISTORY_COLUMNS}, t.json from transactions t
             where t.user_id = $1 and t.environment = $2 and t.created_at >= posted.at
               and t.created_at < posted.at + interval '10 milliseconds'
             order by t.created_at limit 10000) t
          where t.reference = $3
          order by t.created_at desc limit 100`,
};

/** A payout that comes back in more parts has more; they are in the history like all others. */
const MAX_RETURNS = 20;

/** The references in the journal of what has this one in a history. */
function postingsOf(reference: string): string[] {
  const returns = Array.from({ length: MAX_RETURNS }, (_, n) => `/returned/${n + 1}`);
  return [
    '',
    '/returned',
    '/given-back',
    ...(reference.startsWith(PAYOUT_PREFIX) ? returns : []),
  ].map((end) => reference + end);
}

/** Those of the user that match the filters, newest first; a reference never has many. */
export async function listHistoryOfReference(
  db: Db,
  { user_id, environment, filters, before }: Omit<HistoryQuery, 'limit'>,
  reference: string,
): Promise<(HistoryRow & RenderedRow)[]> {
  const rows = await execute<HistoryRow & RenderedRow>(db, FIND_REFERENCE, [
    user_id,
    environment,
    reference,
    postingsOf(reference),
  ]);
  return rows.filter(
    (row) => (before === undefined || row.created_at < before) && matches(row, filters),
  );
}

function matches(row: HistoryRow, { type, created_from, ...exact }: HistoryFilters): boolean {
  return (
    (type === undefined || typesMatching(type).includes(row.type)) &&
    (created_from === undefined || row.created_at >= created_from) &&
    (['currency', 'status', 'direction'] as const).every(
      (name) => exact[name] === undefined || exact[name] === row[name],
    )
  );
}

const FIND = {
  name: 'find_history_row',
  text: `select ${HISTORY_COLUMNS} from transactions t
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
