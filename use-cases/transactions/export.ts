// The history as a file.

import type { Readable } from 'node:stream';
import type { Db } from '../../db/connect';
import { listHistory, type HistoryQuery, type HistoryRow } from '../../db/ledger/history';
import { PLAIN_CSV, SPREADSHEET_CSV, spreadsheetTime } from '../../domain/csv';
import type { Language } from '../../domain/language';
import { csvOfPages, fields, type Columns } from '../csv-pages';
import { COLUMN_WORDS, DIRECTION_WORDS, STATUS_WORDS, TYPE_WORDS } from './words';

/** The fields of the API's JSON, in its order. */
const columnsIn = (language: Language | undefined): Columns<HistoryRow> => ({
  ...fields<HistoryRow>('id'),
  type: ({ type }) => (language ? TYPE_WORDS[language][type] : type),
  status: ({ status }) => (language ? STATUS_WORDS[language][status] : status),
  direction: ({ direction }) => (language ? DIRECTION_WORDS[language][direction] : direction),
  ...fields<HistoryRow>('currency', 'amount_minor', 'fee_minor', 'tax_minor'),
  net_amount: ({ amount_minor, fee_minor }) => amount_minor - fee_minor,
  ...fields<HistoryRow>(
    'balance_after_minor',
    'reference',
    'counterparty',
    'description',
    'related',
  ),
  created_at: ({ created_at }) => (language ? spreadsheetTime(created_at) : created_at),
});

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
      ? (source: Db, before: string | undefined, limit: number) =>
          listHistory(source, { ...rows, before, limit })
      : (_: Db, before: string | undefined) => Promise.resolve(before === undefined ? rows : []);
  const columns = columnsIn(language);
  const words: Readonly<Record<string, unknown>> | undefined = language && COLUMN_WORDS[language];
  return csvOfPages({
    db,
    columns,
    heads: words && Object.keys(columns).map((name) => String(words[name])),
    form: language ? SPREADSHEET_CSV[language] : PLAIN_CSV,
    list,
    from: 'filters' in rows ? rows.before : undefined,
    positionOf: ({ created_at }) => created_at,
    onError,
  });
}
