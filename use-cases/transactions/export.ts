// The history as a file: read a batch at a time, as fast as the reader takes it, so that a file of
// a million rows needs no more memory or database time at once than one of a thousand.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../db/connect';
import { listHistory, type HistoryQuery, type HistoryRow } from '../../db/ledger/history';
import { csvHeader, csvLine, type CsvForm } from '../../domain/csv';
import { createLimit } from '../../domain/limit';

/** About 2 ms of this process, after which other requests have their turn. */
const BATCH = 500;

/** The fields of the API's JSON, in its order. */
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
];

export type ExportQuery = Omit<HistoryQuery, 'limit'>;

export interface ExportOptions {
  readonly form: CsvForm;
  readonly onError: (error: Error) => void;
}

/** Ends when the reader goes away. An error breaks it off, so that it does not look complete. */
export function exportHistory(
  db: Db,
  rows: ExportQuery | readonly HistoryRow[],
  { form, onError }: ExportOptions,
): Readable {
  const lines =
    'filters' in rows
      ? readLines(db, rows, form)
      : [csvHeader(COLUMNS, form), ...rows.map((row) => lineOf(row, form))];
  return Readable.from(lines, { objectMode: false }).on('error', onError);
}

async function* readLines(db: Db, query: ExportQuery, form: CsvForm): AsyncGenerator<string> {
  yield csvHeader(COLUMNS, form);
  let before = query.before;
  for (;;) {
    const reached = before;
    const { rows, next } = await READING.run(() =>
      listHistory(db, { ...query, before: reached, limit: BATCH }),
    );
    if (rows.length > 0) yield rows.map((row) => lineOf(row, form)).join('');
    if (next === null) return;
    before = next;
    await setImmediate();
  }
}

/** Files of one account at a time, in this process. */
export const FILES_OF_ACCOUNT = createLimit({ each: 2 });

/**
 * One batch of each file after the other: however many people export, their files take no more of
 * the pool's connections than this, and one that is read slowly holds up no other.
 */
const READING = createLimit({ at_once: 2 });

function lineOf(row: HistoryRow, form: CsvForm): string {
  const cells = [
    row.id,
    row.type,
    row.status,
    row.direction,
    row.currency,
    row.amount_minor,
    row.fee_minor,
    row.amount_minor - row.fee_minor,
    row.balance_after_minor,
    row.reference,
    row.counterparty,
    row.description,
    row.related,
    row.created_at,
  ];
  return csvLine(cells, form);
}
