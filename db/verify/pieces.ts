// The checks of verify.ts in pieces, none of which reads a snapshot for longer than a minute, however large the ledger is:
// transfers and what their postings write by time, everything else as a whole. What holds of all transfers together
// only, `ledger verify` checks.

import { execute, type Db, type Tx } from '../connect';
import { isStatementTimeout } from '../errors';
import type { Check, Violation } from './checks';
import { CHECKS, type VerifyLimits } from './verify';
import { verifySeals } from './verify-seals';

/** Milliseconds of the epoch. Null: the first rows that are there, or the last. */
export interface Period {
  readonly from: number | null;
  readonly to: number | null;
}

/** No snapshot is older: old row versions of the whole database stay for as long. */
const STATEMENT_TIMEOUT_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** A piece of a day that takes too long is halved, down to this. */
const SHORTEST_MS = 60_000;
/** Rows of one posting have ids and moments of the same seconds, but for a clock that is set back. */
const MARGIN_MS = 60 * 60_000;

/**
 * Checks what was posted in the period, a day at a time. `onEntries` is told how many entries were read. Throws a
 * statement's timeout when a minute's rows cannot be checked within one.
 */
export async function verifyPeriod(
  db: Db,
  { from, to }: Period,
  limits: PieceLimits = {},
): Promise<Violation[]> {
  const found: Violation[] = [];
  const first = Math.max(from ?? 0, (await findFirstMoment(db)) ?? Date.now());
  const last = to ?? Date.now();
  for (let at = first; at < last; at += DAY_MS) {
    // The ends are open: a row is checked whatever moment its id tells.
    const piece = {
      from: at === first ? from : at,
      to: at + DAY_MS >= last ? to : at + DAY_MS,
    };
    found.push(
      ...(await verifyPiece(db, piece, { at, length_ms: Math.min(DAY_MS, last - at) }, limits)),
    );
  }
  return distinct(found);
}

export interface PieceLimits extends VerifyLimits {
  readonly onEntries?: (entries: number) => void;
}

async function verifyPiece(
  db: Db,
  piece: Period,
  { at, length_ms }: { readonly at: number; readonly length_ms: number },
  limits: PieceLimits,
): Promise<Violation[]> {
  try {
    const found: Violation[] = [];
    for (const check of CHECKS) {
      if (check.pieces !== 'time') continue;
      const references = await findReferences(db, check, piece, limits);
      if (references.length === 0) continue;
      // A row at the edge may belong to one beyond it: what does not hold is missed in a wider piece, too.
      const wider = {
        from: piece.from === null ? null : piece.from - MARGIN_MS,
        to: piece.to === null ? null : piece.to + MARGIN_MS,
      };
      const again = new Set(await findReferences(db, check, wider, limits));
      const missed = references.filter((reference) => again.has(reference));
      found.push(...violationsOf(check, missed));
    }
    limits.onEntries?.(await countEntries(db, piece, limits));
    return found;
  } catch (error) {
    if (!isStatementTimeout(error) || length_ms <= SHORTEST_MS) throw error;
    const half = Math.ceil(length_ms / 2);
    const [before, after] = [
      { from: piece.from, to: at + half },
      { from: at + half, to: piece.to },
    ];
    return [
      ...(await verifyPiece(db, before, { at, length_ms: half }, limits)),
      ...(await verifyPiece(db, after, { at: at + half, length_ms: length_ms - half }, limits)),
    ];
  }
}

/** Checks all that is not of a transfer, each check by one statement. Throws its timeout when one takes longer than a minute. */
export async function verifyOthers(db: Db, limits: VerifyLimits = {}): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const check of CHECKS) {
    if (check.pieces !== undefined) continue;
    found.push(...violationsOf(check, await findReferences(db, check, ALL_TIME, limits)));
  }
  return found;
}

const ALL_TIME: Period = { from: null, to: null };

function violationsOf(check: Check, references: readonly string[]): Violation[] {
  const { sql: _, pieces: __, ...what } = check;
  return references.map((reference) => ({ ...what, reference }));
}

/** Checks the seals that were made in the period, and that the first of them follows the one before it. */
export async function verifySealsOf(db: Db, { from, to }: Period): Promise<Violation[]> {
  return db.transaction(
    async (tx) => {
      await setLimits(tx, {});
      return verifySeals(tx, undefined, { from: instant(from), to: instant(to) });
    },
    { readOnly: true },
  );
}

/** The rows of a table that a check sees by the table's name. */
type Rows = Readonly<Record<string, string>>;

/** Cases of transfers that were held and released: the release is another posting, days after that of the order. */
const RELEASED = `public.risk_cases
    where subject_type = 'transfer' and decision = 'hold' and status = 'released'`;

const releasedJournals = (cases: string): string =>
  `select id from public.ledger_transactions
    where kind = 'transfer' and reference = any (array(select subject from ${cases}))`;

/** They, as a recipient's history shows them. The bounds have an index find the rows. */
const releasedHistory = (cases: string): string =>
  `select * from public.transactions
    where type = 'transfer_in' and environment = any ('{live,sandbox}')
      and user_id = any (array(select recipient_id from ${cases}))
      and reference = any (array(select subject from ${cases}))
      and created_at >= (select min(decided_at) - interval '1 hour' from ${cases})
      and created_at <= (select max(decided_at) + interval '1 hour' from ${cases})`;

/**
 * Ids begin with the time. The others have a moment, by which a block range index finds them; the moment of a history
 * may be later than its posting's. What a release wrote is in the piece that has the order.
 */
function rowsOf(piece: Period): Rows {
  const within = (column: string, bound: (ms: number) => string): string =>
    [
      piece.from === null ? 'true' : `${column} >= ${bound(piece.from)}`,
      piece.to === null ? 'true' : `${column} < ${bound(piece.to)}`,
    ].join(' and ');
  const of = (table: string, column: string, bound: (ms: number) => string): string =>
    `select * from public.${table} where ${within(column, bound)}`;
  const moment = (ms: number): string => `'${instant(ms)}'::timestamptz`;
  const idAt = (ms: number): string => `first_id(${moment(ms)})`;
  const released = `${RELEASED} and ${within('created_at', moment)}`;
  return {
    ledger_transactions: `${of('ledger_transactions', 'id', idAt)} and id not in (${releasedJournals(RELEASED)})
      union all select * from public.ledger_transactions where id = any (array(${releasedJournals(released)}))`,
    ledger_entries: `${of('ledger_entries', 'transaction_id', idAt)}
        and transaction_id not in (${releasedJournals(RELEASED)})
      union all
      select * from public.ledger_entries where transaction_id = any (array(${releasedJournals(released)}))`,
    transactions: `${of('transactions', 'id', idAt)}
        and not (type = 'transfer_in' and reference in (select subject from ${RELEASED}))
      union all ${releasedHistory(released)}`,
    transfers: of('transfers', 'created_at', moment),
    idempotency_keys: of('idempotency_keys', 'created_at', moment),
    webhook_deliveries: of('webhook_deliveries', 'created_at', moment),
    events: of('events', 'created_at', moment),
  };
}

/** Each condition is that of an index. What was held is there, too, for the checks of cases. */
const OTHER_ROWS: Rows = {
  ledger_transactions: `select * from public.ledger_transactions where kind <> 'transfer'
    union all
    select * from public.ledger_transactions where id = any (array(${releasedJournals(RELEASED)}))`,
  ledger_entries: `select * from public.ledger_entries
    where transaction_id = any (array(select id from public.ledger_transactions where kind <> 'transfer'
                                      union all ${releasedJournals(RELEASED)}))`,
  transactions: `select * from public.transactions where type not in ('transfer_in', 'transfer_out')`,
  transfers: `select * from public.transfers
    where reference = any (array(select transfer_reference from public.reversals
                                 union select subject from public.risk_cases where subject_type = 'transfer'))`,
  idempotency_keys: `select * from public.idempotency_keys where operation <> 'transfer'`,
  events: `select * from public.events where transfer_reference is null`,
};

function instant(ms: number): string;
function instant(ms: number | null): string | null;
function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** The check's statement, with the rows that it sees by each table's name. Undefined when it is not made in pieces. */
export function pieceStatement({ sql, pieces }: Check, time: Period): string | undefined {
  return pieces === 'whole'
    ? undefined
    : seeing(pieces === 'time' ? rowsOf(time) : OTHER_ROWS, sql);
}

function seeing(rows: Rows, sql: string): string {
  const named = Object.entries(rows)
    .filter(([table]) => new RegExp(`\\b${table}\\b`).test(sql))
    .map(([table, select]) => `${table} as not materialized (${select})`);
  return `${named.length === 0 ? '' : `with ${named.join(', ')} `}select c.reference::text from (${sql}) c`;
}

/** A transaction for each statement, so that none holds another's snapshot. */
async function findReferences(
  db: Db,
  check: Check,
  time: Period,
  limits: VerifyLimits,
): Promise<string[]> {
  limits.onCheck?.();
  const text = pieceStatement(check, time);
  if (text === undefined) return [];
  const found = await readShortly<{ reference: string }>(db, text, limits);
  return found.map(({ reference }) => reference);
}

async function countEntries(db: Db, piece: Period, limits: VerifyLimits): Promise<number> {
  const text = `select count(*)::float8 as entries from (${rowsOf(piece)['ledger_entries']!}) e`;
  return (await readShortly<{ entries: number }>(db, text, limits))[0]!.entries;
}

async function readShortly<Row>(db: Db, text: string, limits: VerifyLimits): Promise<Row[]> {
  return db.transaction(
    async (tx) => {
      await setLimits(tx, limits);
      return ((await tx.raw(text)) as { rows: Row[] }).rows;
    },
    { readOnly: true },
  );
}

async function setLimits(tx: Tx, { statement_timeout_ms, is_modest }: VerifyLimits): Promise<void> {
  await tx.raw(`set local statement_timeout = ${statement_timeout_ms ?? STATEMENT_TIMEOUT_MS}`);
  await tx.raw("set local idle_in_transaction_session_timeout = '1min'");
  await tx.raw('set local enable_nestloop = off; set local jit = off');
  if (is_modest) await tx.raw('set local max_parallel_workers_per_gather = 0');
}

/** That of the oldest posting. */
async function findFirstMoment(db: Db): Promise<number | undefined> {
  const text = `select (extract(epoch from t.created_at) * 1000)::float8 as at
                  from ledger_transactions t order by t.id, t.environment limit 1`;
  return (await execute<{ at: number }>(db, { name: 'find_first_posting', text }, []))[0]?.at;
}

/**
 * One month of those between the first posting and this moment, another one each day: all had their turn after as many
 * days as there are. Undefined while there is no month before this one.
 */
export async function monthInTurn(db: Db, now: Date): Promise<Period | undefined> {
  const first = await findFirstMoment(db);
  if (first === undefined) return undefined;
  const monthOf = (at: Date): number => at.getUTCFullYear() * 12 + at.getUTCMonth();
  const oldest = monthOf(new Date(first));
  const months = monthOf(now) - oldest;
  if (months <= 0) return undefined;
  const month = oldest + (Math.floor(now.getTime() / DAY_MS) % months);
  const begins = (index: number): number => Date.UTC(Math.floor(index / 12), index % 12);
  return { from: begins(month), to: begins(month + 1) };
}

function distinct(found: readonly Violation[]): Violation[] {
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}
