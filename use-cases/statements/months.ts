// Monthly statements of a wallet: which there are, and what one says. Months are those of UTC. Everything is
// read from the history of the wallet, which `ledger verify` holds to the journal.

import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../db/connect';
import {
  closeMonths,
  listBalancesBefore,
  listStatementLines,
  type StatementLine,
  type WalletClosing,
} from '../../db/ledger/statements';
import type { Owner } from '../../db/list-filters';
import { forLongReads } from '../../db/standby';
import { CURRENCIES, type Currency } from '../../domain/currency';
import { createLimit } from '../../domain/limit';
import type { Direction, TransactionType } from '../../domain/transaction';

/** `2026-11`. */
export type Month = string;

export interface StatementRow {
  readonly currency: Currency;
  readonly month: Month;
  readonly opening_minor: bigint;
  /** The balance at the month's end; in the running month, the balance now. */
  readonly closing_minor: bigint;
  /** Nothing enters the month any more: what its statement says stays so. */
  readonly is_closed: boolean;
}

/** A month's statement; its lines are read with `readLines`. */
export interface Statement extends Omit<StatementRow, 'closing_minor'> {
  readonly owner: Owner;
  /** Instants: the first of the month, and the first of the next one. */
  readonly starts_at: string;
  readonly ends_at: string;
  /** The month's end once it is closed, so that its bytes stay the same. */
  readonly generated_at: string;
}

export interface StatementPosition {
  readonly month: Month;
  readonly currency: Currency;
}

/** Newest first, and in a month by currency. `after` is the last one that the caller has. */
export async function listStatements(
  db: Db,
  owner: Owner,
  { after, limit }: { readonly after: StatementPosition | undefined; readonly limit: number },
): Promise<StatementRow[]> {
  const wallets = await closeMonths(db, owner);
  const positions = positionsOf(wallets, after, limit);
  const balances = await listBalancesBefore(
    db,
    owner,
    positions.flatMap(({ month, currency }) =>
      [startOf(month), startOf(nextMonth(month))].map((at) => ({ currency, at })),
    ),
  );
  return positions.map(({ month, currency }, index) => ({
    currency,
    month,
    opening_minor: balances[2 * index]!,
    closing_minor: balances[2 * index + 1]!,
    is_closed: isClosed(wallets, currency, month),
  }));
}

function positionsOf(
  wallets: readonly WalletClosing[],
  after: StatementPosition | undefined,
  limit: number,
): StatementPosition[] {
  const [newest, oldest] = rangeOf(wallets);
  const positions: StatementPosition[] = [];
  let month = after !== undefined && after.month < newest ? after.month : newest;
  for (; month >= oldest && positions.length < limit; month = previousMonth(month)) {
    for (const currency of CURRENCIES) {
      const isSeen =
        after?.month === month &&
        CURRENCIES.indexOf(currency) <= CURRENCIES.indexOf(after.currency);
      if (!isSeen && positions.length < limit) positions.push({ month, currency });
    }
  }
  return positions;
}

/** Undefined for a month before the account's first, and for one to come. */
export async function findStatement(
  db: Db,
  owner: Owner,
  { month, currency }: StatementPosition,
): Promise<Statement | undefined> {
  const wallets = await closeMonths(db, owner);
  const [newest, oldest] = rangeOf(wallets);
  if (month < oldest || month > newest) return undefined;
  const [starts_at, ends_at] = [startOf(month), startOf(nextMonth(month))];
  const [opening_minor] = await listBalancesBefore(db, owner, [{ currency, at: starts_at }]);
  const is_closed = isClosed(wallets, currency, month);
  const generated_at = is_closed ? ends_at : wallets[0]!.read_at;
  return {
    owner,
    currency,
    month,
    is_closed,
    opening_minor: opening_minor!,
    starts_at,
    ends_at,
    generated_at,
  };
}

function rangeOf([wallet]: readonly WalletClosing[]): readonly [newest: Month, oldest: Month] {
  return [wallet!.read_at.slice(0, 7), wallet!.opened_at.slice(0, 7)];
}

function isClosed(wallets: readonly WalletClosing[], currency: Currency, month: Month): boolean {
  const wallet = wallets.find((one) => one.currency === currency);
  return wallet!.complete_until >= startOf(nextMonth(month));
}

/** A year and a month as a path has them; undefined for another text. */
export function readMonth(text: string): Month | undefined {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : undefined;
}

const startOf = (month: Month): string => `${month}-01T00:00:00.000000Z`;
const nextMonth = (month: Month): Month => shifted(month, 1);
const previousMonth = (month: Month): Month => shifted(month, -1);

function shifted(month: Month, by: number): Month {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + by);
  return date.toISOString().slice(0, 7);
}

/** A line, and what the wallet held after it. */
export interface RunningLine {
  readonly line: StatementLine;
  /** The wallet's gain, negative for a loss. The account bears the fee of what comes in. */
  readonly moved_minor: bigint;
  readonly balance_minor: bigint;
}

export interface Total {
  readonly type: TransactionType;
  readonly direction: Direction;
  readonly count: number;
  readonly amount_minor: bigint;
  readonly fee_minor: bigint;
  readonly tax_minor: bigint;
}

export interface Sums {
  readonly closing_minor: bigint;
  /** Totals by type and direction, in the order of the alphabet. */
  readonly totals: readonly Total[];
}

/** About 2 ms of this process, after which other requests have their turn. */
const BATCH = 500;
/** However many people read statements, they take no more of the pool's connections than this. */
const READING = createLimit({ at_once: 2 });

/** The lines, oldest first, a batch at a time, as fast as they are taken; at the end what they come to. */
export async function* readLines(
  db: Db,
  { owner, currency, starts_at, ends_at, opening_minor }: Statement,
): AsyncGenerator<readonly RunningLine[], Sums> {
  const totals = new Map<string, Total>();
  const source = await forLongReads(db);
  let balance_minor = opening_minor;
  let after = microsecondBefore(starts_at);
  for (;;) {
    const reached = after;
    const lines = await READING.run(() =>
      listStatementLines(source, {
        user_id: owner.user_id,
        environment: owner.environment,
        currency,
        after: reached,
        before: ends_at,
        limit: BATCH,
      }),
    );
    const batch = lines.map((line) => {
      const moved_minor =
        line.direction === 'in' ? line.amount_minor - line.fee_minor : -line.amount_minor;
      balance_minor += moved_minor;
      addTo(totals, line);
      return { line, moved_minor, balance_minor };
    });
    if (batch.length > 0) yield batch;
    if (lines.length < BATCH) break;
    after = lines.at(-1)!.created_at;
    await setImmediate();
  }
  const sorted = [...totals].sort(([one], [other]) => (one < other ? -1 : 1));
  return { closing_minor: balance_minor, totals: sorted.map(([, total]) => total) };
}

function microsecondBefore(start: string): string {
  return new Date(Date.parse(start) - 1).toISOString().replace('Z', '999Z');
}

function addTo(totals: Map<string, Total>, line: StatementLine): void {
  const { type, direction, amount_minor, fee_minor, tax_minor } = line;
  const name = `${type} ${direction}`;
  const so_far = totals.get(name);
  totals.set(name, {
    type,
    direction,
    count: (so_far?.count ?? 0) + 1,
    amount_minor: (so_far?.amount_minor ?? 0n) + amount_minor,
    fee_minor: (so_far?.fee_minor ?? 0n) + fee_minor,
    tax_minor: (so_far?.tax_minor ?? 0n) + tax_minor,
  });
}
