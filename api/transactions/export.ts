// The history as a file: read a batch at a time, as fast as the reader takes it, so that a file of a
// million rows needs no more memory or database time at once than one of a thousand.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../db/connect';
import { listHistory, type HistoryQuery, type HistoryRow } from '../../db/history';
import { csvLine } from '../../domain/csv';
import { formatAmount } from '../../domain/money';

/** About 2 ms of this process, after which other requests have their turn. */
const BATCH = 500;

/** As in the API's JSON, and in its order. */
const HEADER =
  'id,type,status,direction,currency,amount,fee,net_amount,balance_after,reference,counterparty,' +
  'description,related,created_at\n';

export type ExportQuery = Omit<HistoryQuery, 'limit'>;

/** Ends when the reader goes away. An error breaks it off, so that it does not look complete. */
export function exportHistory(
  db: Db,
  rows: ExportQuery | readonly HistoryRow[],
  onError: (error: Error) => void,
): Readable {
  const lines = 'filters' in rows ? readLines(db, rows) : [HEADER, ...rows.map(lineOf)];
  return Readable.from(lines, { objectMode: false }).on('error', onError);
}

async function* readLines(db: Db, query: ExportQuery): AsyncGenerator<string> {
  yield HEADER;
  let before = query.before;
  for (;;) {
    const reached = before;
    const { rows, next } = await inTurn(() =>
      listHistory(db, { ...query, before: reached, limit: BATCH }),
    );
    if (rows.length > 0) yield rows.map(lineOf).join('');
    if (next === null) return;
    before = next;
    await setImmediate();
  }
}

/** Files of one account at a time, in this process. */
const FILES_OF_ACCOUNT = 2;

const files = new Map<string, number>();

/**
 * Returns what ends the reservation; undefined when the account has as many files as it may. A file takes one
 * turn at a time, so that an account takes no more of the turns than others can bear.
 */
export function reserveExport(user_id: string): (() => void) | undefined {
  const count = files.get(user_id) ?? 0;
  if (count === FILES_OF_ACCOUNT) return undefined;
  files.set(user_id, count + 1);
  return () => {
    const left = files.get(user_id)! - 1;
    if (left === 0) files.delete(user_id);
    else files.set(user_id, left);
  };
}

/** How many batches this process reads at once. */
const AT_ONCE = 2;

let reading = 0;
const waiting: (() => void)[] = [];

/**
 * One batch of each file after the other: however many people export, their files take no more of the
 * pool's connections than this, and one that is read slowly holds up no other.
 */
export async function inTurn<T>(read: () => Promise<T>): Promise<T> {
  if (reading < AT_ONCE) reading += 1;
  // Whoever ends passes its place on.
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await read();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else reading -= 1;
  }
}

function lineOf(row: HistoryRow): string {
  return csvLine([
    row.id,
    row.type,
    row.status,
    row.direction,
    row.currency,
    formatAmount(row.amount_minor),
    formatAmount(row.fee_minor),
    formatAmount(row.amount_minor - row.fee_minor),
    formatAmount(row.balance_after_minor),
    row.reference,
    row.counterparty,
    row.description,
    row.related,
    row.created_at,
  ]);
}
