// The history as a file: read a batch at a time, as fast as the reader takes it, so that a file of a
// million rows needs no more memory or database time at once than one of a thousand.

import { Readable, pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { stringify } from 'csv-stringify';
import type { Db } from '../../db/connect';
import { listHistory, type HistoryQuery, type HistoryRow } from '../../db/history';
import { formatAmount } from '../../domain/money';

/** About 2 ms of this process, after which other requests have their turn. */
const BATCH = 500;

/** As in the API's responses, and in their order. */
const COLUMNS = [
  'id',
  'type',
  'status',
  'direction',
  'currency',
  'amount',
  'fee',
  'net_amount',
  'balance_after',
  'reference',
  'counterparty',
  'description',
  'related',
  'created_at',
] as const;

export type ExportQuery = Omit<HistoryQuery, 'limit'>;

/** Ends when the reader goes away. An error ends it too: `onError` must let the file look incomplete. */
export function exportHistory(
  db: Db,
  rows: ExportQuery | readonly HistoryRow[],
  onError: (error: Error) => void,
): Readable {
  const source = Readable.from('filters' in rows ? readRows(db, rows) : rows.map(cellsOf));
  // A cell that begins with = + - @ would be a formula in a spreadsheet: it gets a leading '.
  const csv = stringify({ header: true, columns: [...COLUMNS], escape_formulas: true });
  pipeline(source, csv, (error) => {
    if (error) onError(error);
  });
  return csv;
}

async function* readRows(db: Db, query: ExportQuery): AsyncGenerator<Cells> {
  let before = query.before;
  for (;;) {
    const reached = before;
    const { rows, next } = await inTurn(() =>
      listHistory(db, { ...query, before: reached, limit: BATCH }),
    );
    yield* rows.map(cellsOf);
    if (next === null) return;
    before = next;
    await setImmediate();
  }
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

type Cells = Readonly<Record<(typeof COLUMNS)[number], string | null>>;

function cellsOf({ amount_minor, fee_minor, balance_after_minor, ...row }: HistoryRow): Cells {
  return {
    ...row,
    amount: formatAmount(amount_minor),
    fee: formatAmount(fee_minor),
    net_amount: formatAmount(amount_minor - fee_minor),
    balance_after: formatAmount(balance_after_minor),
  };
}
