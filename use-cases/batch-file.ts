// Reads the transfers of a CSV file: a header with to_username, currency and amount, and if wanted
// idempotency_key and description, in any order. Spreadsheets that write decimals with a comma separate by semicolons.

import { CsvError, parse } from 'csv-parse/sync';
import { MAX_BATCH_ITEMS } from '../domain/batch-limits';
import { isCurrency, type Currency } from '../domain/currency';
import { MAX_TRANSFER_DESCRIPTION } from '../domain/transfer';
import type { Minor } from '../domain/money';
import { createItemReader, type BatchItem, type ItemFault } from '../domain/transfer-batch';

export type LineFault =
  | ItemFault
  | { readonly field: 'to_username'; readonly fault: 'missing' | 'too_long' }
  | { readonly field: 'currency'; readonly fault: 'unknown' }
  | { readonly field: 'description'; readonly fault: 'long_description' }
  | { readonly field: 'line'; readonly fault: 'columns' };

export interface FileLine {
  /** In the file, from 1. */
  readonly line: number;
  /** As it stands there. */
  readonly to_username: string;
  readonly currency: string;
  readonly amount: string;
}

export type BatchFile =
  /** The file as a whole cannot be read. `column`: one that the header lacks. */
  | {
      readonly ok: false;
      readonly fault: 'empty' | 'too_many' | 'encoding' | 'syntax' | 'header';
      readonly line?: number;
      readonly column?: string;
    }
  | {
      readonly ok: true;
      readonly items: readonly BatchItem[];
      /** In the order of the items. */
      readonly lines: readonly FileLine[];
      /** When there are any, `items` lacks these. */
      readonly faults: readonly (FileLine & LineFault)[];
    };

const REQUIRED = ['to_username', 'currency', 'amount'] as const;
const COLUMNS: readonly string[] = [...REQUIRED, 'idempotency_key', 'description'];
const LONGEST_NAME = 64;

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

export function readBatchFile(
  bytes: Uint8Array,
  sender_username: string,
  max_transfer: Readonly<Record<Currency, Minor>>,
): BatchFile {
  const text = decode(bytes);
  if (text === undefined) return { ok: false, fault: 'encoding' };
  const [header = ''] = text.split('\n', 1);
  const delimiter = header.includes(';') && !header.includes(',') ? ';' : ',';
  const rows = parseRows(text, delimiter);
  if (!Array.isArray(rows)) return rows;
  const [names, ...records] = rows;
  const columns = (names?.record ?? []).map((name) => name.trim().toLowerCase());
  const missing = REQUIRED.find((name) => !columns.includes(name));
  const unknown = columns.find((name, i) => !COLUMNS.includes(name) || columns.indexOf(name) !== i);
  const column = missing ?? unknown;
  if (column !== undefined) return { ok: false, fault: 'header', line: 1, column };
  if (records.length === 0) return { ok: false, fault: 'empty' };
  if (records.length > MAX_BATCH_ITEMS) return { ok: false, fault: 'too_many' };
  return readLines(records, columns, { delimiter, sender_username, max_transfer });
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parseRows(text: string, delimiter: string): Row[] | (BatchFile & { readonly ok: false }) {
  try {
    return parse(text, {
      ...{ delimiter, info: true, relax_column_count: true, skip_empty_lines: true, trim: true },
      // One more than may be, and the header: enough to say that there are too many.
      to: MAX_BATCH_ITEMS + 2,
    }) as unknown as Row[];
  } catch (error) {
    const { lines } = error as { readonly lines?: number };
    if (!(error instanceof CsvError)) throw error;
    return { ok: false, fault: 'syntax', ...(lines === undefined ? {} : { line: lines }) };
  }
}

interface Reading {
  readonly delimiter: string;
  readonly sender_username: string;
  readonly max_transfer: Readonly<Record<Currency, Minor>>;
}

function readLines(
  rows: readonly Row[],
  columns: readonly string[],
  { delimiter, sender_username, max_transfer }: Reading,
): BatchFile {
  const readItem = createItemReader(sender_username, max_transfer);
  const items: BatchItem[] = [];
  const lines: FileLine[] = [];
  const faults: (FileLine & LineFault)[] = [];
  for (const { record, info } of rows) {
    const cell = (name: string): string => record[columns.indexOf(name)] ?? '';
    const to_username = cell('to_username').replace(/^@/, '');
    const currency = cell('currency').toUpperCase();
    const amount = cell('amount');
    const line = { line: info.lines, to_username, currency, amount };
    lines.push(line);
    const key = cell('idempotency_key');
    const description = cell('description');
    const given = {
      to_username,
      // Its own fault is found below; this place in the order is taken all the same.
      currency: isCurrency(currency) ? currency : 'XOF',
      amount_text: delimiter === ';' ? amount.replace(/^(\d+),(\d{1,2})$/, '$1.$2') : amount,
      ...(key === '' ? {} : { idempotency_key: key }),
      ...(description === '' ? {} : { description }),
    } as const;
    const read = readItem(given);
    const fault =
      faultOf(record.length === columns.length, line) ??
      (read.ok ? faultOfDescription(description) : read);
    if (fault) faults.push({ ...line, ...fault });
    else if (read.ok) items.push(read.item);
  }
  return { ok: true, items, lines, faults };
}

function faultOf(
  has_all_columns: boolean,
  { to_username, currency }: FileLine,
): LineFault | undefined {
  if (!has_all_columns) return { field: 'line', fault: 'columns' };
  if (to_username === '') return { field: 'to_username', fault: 'missing' };
  if (to_username.length > LONGEST_NAME || !isStorable(to_username)) {
    return { field: 'to_username', fault: 'too_long' };
  }
  return isCurrency(currency) ? undefined : { field: 'currency', fault: 'unknown' };
}

function faultOfDescription(text: string): LineFault | undefined {
  const is_short = Array.from(text).length <= MAX_TRANSFER_DESCRIPTION;
  return is_short && isStorable(text)
    ? undefined
    : { field: 'description', fault: 'long_description' };
}

/** Postgres has no text with a NUL. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
