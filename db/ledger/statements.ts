// The months of a user's wallets: which are over, what the wallets held, and what moved them, oldest first.

import type { Currency } from '../../domain/currency';
import { TRANSACTION_TYPES, TYPE_DIRECTIONS } from '../../domain/transaction';
import { call, execute, type BoundStatement, type Db } from '../connect';
import type { Owner } from '../list-filters';
import { HISTORY_COLUMNS, type HistoryRow, type RenderedRow } from './history';

export interface WalletClosing {
  readonly currency: Currency;
  /** Nothing is posted at this moment or before it any more. */
  readonly complete_until: string;
  readonly opened_at: string;
  readonly read_at: string;
}

/** See db/ledger/statements.sql. What is read after it is all that a closed month will ever have. */
export async function closeMonths(
  db: Db,
  { user_id, environment }: Owner,
): Promise<WalletClosing[]> {
  return call<WalletClosing>(db, 'close_months', [user_id, environment]);
}

// One scan of the index transactions_by_kind per type and direction, as in history.ts. What is simulated has
// moved nothing.
const KIND = '(t.user_id, t.environment, t.type, t.direction, t.currency, t.created_at)';
const ORDER = ['user_id', 'environment', 'type', 'direction', 'currency', 'created_at'];
const orderBy = (way: 'asc' | 'desc'): string =>
  ORDER.map((column) => `t.${column} ${way}`).join(', ');
const kindAt = (currency: string, moment: string): string =>
  `($1::uuid, $2::text, side.type, side.direction, ${currency}, ${moment}::timestamptz)`;

const BALANCES = {
  name: 'list_balances_before',
  text: `select coalesce(l.balance_after_minor, n.balance_minor, w.balance_minor, 0) as balance_minor
           from unnest($5::text[], $6::timestamptz[]) with ordinality q (currency, at, position)
           left join lateral (
             select k.balance_after_minor
               from unnest($3::text[], $4::text[]) side (type, direction)
              cross join lateral (
                select t.created_at, t.balance_after_minor from transactions t
                 where ${KIND} < ${kindAt('q.currency', 'q.at')}
                   and ${KIND} >= ${kindAt('q.currency', "'-infinity'")}
                   and t.status <> 'simulated'
                 order by ${orderBy('desc')} limit 1) k
              order by k.created_at desc limit 1) l on true
           -- The rows before may have been dropped: then the journal says what the next movement found.
           left join ledger_accounts w on l.balance_after_minor is null and (select history_since()) > '-infinity'
                and w.user_id = $1 and w.environment = $2 and w.currency = q.currency
           left join lateral (
             select e.balance_after_minor - e.amount_minor as balance_minor
               from (select t.ledger_transaction_id from transactions t
                      where w.id is not null and t.user_id = $1 and t.environment = $2
                        and t.created_at >= q.at and t.currency = q.currency
                        and t.ledger_transaction_id is not null
                      order by t.created_at limit 1) k
               join ledger_entries e on e.transaction_id = k.ledger_transaction_id and e.account_id = w.id) n on true
          order by q.position`,
};

export interface Moment {
  readonly currency: Currency;
  /** An instant. */
  readonly at: string;
}

/** The balance of each currency's wallet right before each moment. */
export async function listBalancesBefore(
  db: Db,
  owner: Owner,
  moments: readonly Moment[],
): Promise<bigint[]> {
  const { statement, values } = balancesStatement(owner, moments);
  const rows = await execute<{ balance_minor: bigint }>(db, statement, values);
  return rows.map(({ balance_minor }) => balance_minor);
}

export function balancesStatement(owner: Owner, moments: readonly Moment[]): BoundStatement {
  const currencies = moments.map(({ currency }) => currency);
  const values = [...ownerAndSides(owner), currencies, moments.map(({ at }) => at)];
  return { statement: BALANCES, values };
}

const LINES = {
  name: 'list_statement_lines',
  text: `select ${HISTORY_COLUMNS}, t.json
           from (
             select k.created_at
               from unnest($3::text[], $4::text[]) side (type, direction)
              cross join lateral (
                select t.created_at from transactions t
                 where ${KIND} > ${kindAt('$5::text', '$6')} and ${KIND} < ${kindAt('$5::text', '$7')}
                   and t.status <> 'simulated'
                 order by ${orderBy('asc')} limit $8) k
              order by k.created_at limit $8) found
          cross join lateral (
            select * from transactions x
             where x.user_id = $1 and x.environment = $2 and x.created_at = found.created_at limit 1) t
          order by t.created_at`,
};

export interface LinesQuery extends Owner {
  readonly currency: Currency;
  /** Instants; rows between the two. */
  readonly after: string;
  readonly before: string;
  readonly limit: number;
}

/** The movements of the wallet, oldest first. */
export async function listStatementLines(db: Db, query: LinesQuery): Promise<StatementLine[]> {
  const { statement, values } = linesStatement(query);
  return execute<StatementLine>(db, statement, values);
}

export type StatementLine = HistoryRow & RenderedRow;

export function linesStatement({
  currency,
  after,
  before,
  limit,
  ...owner
}: LinesQuery): BoundStatement {
  return { statement: LINES, values: [...ownerAndSides(owner), currency, after, before, limit] };
}

/**
 * Leaves out transfers in the sandbox, which are all simulated: a million of them need not be read.
 */
function ownerAndSides({ user_id, environment }: Owner): unknown[] {
  const sides = TRANSACTION_TYPES.filter(
    (type) => environment === 'live' || (type !== 'transfer_in' && type !== 'transfer_out'),
  ).flatMap((type) => TYPE_DIRECTIONS[type].map((direction) => ({ type, direction })));
  return [
    user_id,
    environment,
    sides.map(({ type }) => type),
    sides.map(({ direction }) => direction),
  ];
}
