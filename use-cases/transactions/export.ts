// The history as a file: read a batch at a time, as fast as the reader takes it, so that a file of
// a million rows needs no more memory or database time at once than one of a thousand.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../db/connect';
import { listHistory, type HistoryQuery, type HistoryRow } from '../../db/ledger/history';
import { csvHeader, csvLine, PLAIN_CSV, SPREADSHEET_CSV, spreadsheetTime } from '../../domain/csv';
import type { Language } from '../../domain/language';
import { createLimit } from '../../domain/limit';
import { COLUMN_WORDS, DIRECTION_WORDS, STATUS_WORDS, TYPE_WORDS } from './words';

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
] as const;

export type ExportQuery = Omit<HistoryQuery, 'limit'>;

export interface ExportOptions {
  /**
   * Set for the spreadsheet of a person who reads it; the default is the form that programs read.
   */
  readonly language?: Language;
  readonly onError: (error: Error) => void;
}

/** Ends when the reader goes away. An error breaks it off, so that it does not look complete. */
export function exportHistory(
  db: Db,
  rows: ExportQuery | readonly HistoryRow[],
  { language, onError }: ExportOptions,
): Readable {
  const lines =
    'filters' in rows
      ? readLines(db, rows, language)
      : [header(language), ...rows.map((row) => lineOf(row, language))];
  return Readable.from(lines, { objectMode: false }).on('error', onError);
}

async function* readLines(
  db: Db,
  query: ExportQuery,
  language: Language | undefined,
): AsyncGenerator<string> {
  yield header(language);
  let before = query.before;
  for (;;) {
    const reached = before;
    const { rows, next } = await READING.run(() =>
      listHistory(db, { ...query, before: reached, limit: BATCH }),
    );
    if (rows.length > 0) yield rows.map((row) => lineOf(row, language)).join('');
    if (next === null) return;
    before = next;
    await setImmediate();
  }
}

/**
 * One batch of each file after the other: however many people export, their files take no more of
 * the pool's connections than this, and one that is read slowly holds up no other.
 */
const READING = createLimit({ at_once: 2 });

function header(language: Language | undefined): string {
  if (!language) return csvHeader(COLUMNS, PLAIN_CSV);
  const words = COLUMN_WORDS[language];
  return csvHeader(
    COLUMNS.map((name) => words[name]),
    SPREADSHEET_CSV[language],
  );
}

function lineOf(row: HistoryRow, language: Language | undefined): string {
  const cells = [
    row.id,
    language ? TYPE_WORDS[language][row.type] : row.type,
    language ? STATUS_WORDS[language][row.status] : row.status,
    language ? DIRECTION_WORDS[language][row.direction] : row.direction,
    row.currency,
    row.amount_minor,
    row.fee_minor,
    row.amount_minor - row.fee_minor,
    row.balance_after_minor,
    row.reference,
    row.counterparty,
    row.description,
    row.related,
    language ? spreadsheetTime(row.created_at) : row.created_at,
  ];
  return csvLine(cells, language ? SPREADSHEET_CSV[language] : PLAIN_CSV);
}
