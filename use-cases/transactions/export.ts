// The history as a file.

import type { Readable } from 'node:stream';
import type { Db } from '../../db/connect';
import { listHistory, type HistoryQuery, type HistoryRow } from '../../db/ledger/history';
import { PLAIN_CSV, SPREADSHEET_CSV, spreadsheetTime, type Cell } from '../../domain/csv';
import type { Language } from '../../domain/language';
import { csvOfPages } from '../csv-pages';
import { COLUMN_WORDS, DIRECTION_WORDS, STATUS_WORDS, TYPE_WORDS } from './words';

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

/** The rows that a query finds, or these. */
export function exportHistory(
  db: Db,
  rows: ExportQuery | readonly HistoryRow[],
  { language, onError }: ExportOptions,
): Readable {
  const list =
    'filters' in rows
      ? (before: string | undefined, limit: number) => listHistory(db, { ...rows, before, limit })
      : (before: string | undefined) => Promise.resolve(before === undefined ? rows : []);
  const words = language && COLUMN_WORDS[language];
  return csvOfPages({
    columns: words ? COLUMNS.map((name) => words[name]) : COLUMNS,
    cellsOf: (row) => cellsOf(row, language),
    form: language ? SPREADSHEET_CSV[language] : PLAIN_CSV,
    list,
    from: 'filters' in rows ? rows.before : undefined,
    positionOf: ({ created_at }) => created_at,
    onError,
  });
}

function cellsOf(row: HistoryRow, language: Language | undefined): readonly Cell[] {
  return [
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
}
