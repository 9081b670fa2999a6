// Reads the transfers of a CSV file: a header with to_username, currency and amount, and if wanted
// idempotency_key and description, in any order, or in French bénéficiaire, devise, montant and motif.
// What spreadsheets add is understood: a byte order mark, a line `sep=;`, semicolons or tabs with
// decimal commas, rows and columns without any value. Amounts are read as people write them.
// The file is a person's own, so it is read in turns of a few milliseconds, with a bound on lines,
// columns and faults.

import { pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse, type Parser } from 'csv-parse';
import { MAX_BATCH_ITEMS } from '../../domain/batch-limits';
import { isCurrency, type Currency } from '../../domain/currency';
import { createLimit } from '../../domain/limit';
import { MAX_TRANSFER_DESCRIPTION } from '../../domain/transfer';
import type { Minor } from '../../domain/money';
import { readTypedAmount, type TypedAmountFault } from '../../domain/typed-amount';
import {
  createItemReader,
  type BatchItem,
  type ItemFault,
  type ItemReader,
  type ReadItem,
} from '../../domain/transfer-batch';

export type LineFault =
  | ItemFault<TypedAmountFault>
  | { readonly field: 'to_username'; readonly fault: 'missing' | 'too_long' }
  | { readonly field: 'currency'; readonly fault: 'unknown' }
  | { readonly field: 'description'; readonly fault: 'long_description' }
  | { readonly field: 'line'; readonly fault: 'columns' };

export interface FileLine {
  /** The line's number in the file, from 1. */
  readonly line: number;
  /** The recipient as the file has it. */
  readonly to_username: string;
  readonly currency: string;
  readonly amount: string;
}

export type BatchFile =
  | RefusedFile
  | {
      readonly ok: true;
      readonly items: readonly BatchItem[];
      /** The first MAX_LINE_FAULTS at most. When there are any, `items` lacks these. */
      readonly faults: readonly (FileLine & LineFault)[];
      /** There are more faults: the reading ended there. */
      readonly has_more_faults: boolean;
    };

/** The file as a whole cannot be read. */
export interface RefusedFile {
  readonly ok: false;
  readonly fault: 'empty' | 'too_many' | 'encoding' | 'syntax' | 'long_line' | 'wide' | 'header';
  readonly line?: number;
  /** One that the header lacks, or has without need. */
  readonly column?: string;
}

/** A merchant who mends these sees the others the next time. */
export const MAX_LINE_FAULTS = 100;

const REQUIRED = ['to_username', 'currency', 'amount'] as const;
const COLUMNS: readonly string[] = [...REQUIRED, 'idempotency_key', 'description'];
/** What spreadsheets in French call them. */
const FRENCH: ReadonlyMap<string, string> = new Map([
  ['bénéficiaire', 'to_username'],
  ['beneficiaire', 'to_username'],
  ['devise', 'currency'],
  ['montant', 'amount'],
  ['motif', 'description'],
]);
const LONGEST_NAME = 64;
/** A spreadsheet may write some empty ones beside the five. */
const MAX_COLUMNS = 32;
/** A spreadsheet writes empty rows, too. */
const MAX_ROWS = 2 * MAX_BATCH_ITEMS;
/** Names, keys and descriptions of the greatest length have half of it. */
const MAX_LINE = 4_096;

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Files are read two at a time, one of each sender: all of them together leave others their turns.
 */
const READING = createLimit({ at_once: 2, each: 1 });

export async function readBatchFile(
  bytes: Uint8Array,
  sender_username: string,
  max_transfer: Readonly<Record<Currency, Minor>>,
): Promise<BatchFile> {
  const text = decode(bytes);
  if (text === undefined) return { ok: false, fault: 'encoding' };
  return READING.run(async () => {
    try {
      const delimiter = delimiterOf(text);
      // A spreadsheet that divides by commas begins the cents with a point, as English does.
      const language = delimiter === ',' ? 'en' : 'fr';
      const readItem = createItemReader(sender_username, max_transfer, (amount, currency) =>
        readTypedAmount(amount, currency, language),
      );
      return await readText(text, delimiter, readItem);
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      const { lines: line } = error as { readonly lines?: number };
      const fault = error.code === 'CSV_MAX_RECORD_SIZE' ? 'long_line' : 'syntax';
      return { ok: false, fault, ...(line === undefined ? {} : { line }) };
    }
  }, sender_username);
}

/** Undefined for another encoding, UTF-16 without a mark included: text of ours has no NUL. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

type ReadLine = ItemReader<TypedAmountFault>;

async function readText(text: string, delimiter: string, readItem: ReadLine): Promise<BatchFile> {
  const items: BatchItem[] = [];
  const faults: (FileLine & LineFault)[] = [];
  let columns: readonly string[] | undefined;
  let count = 0;
  for await (const { record, info } of rowsOf(text, delimiter)) {
    const { lines: line } = info;
    if (record.length > MAX_COLUMNS) return { ok: false, fault: 'wide', line };
    if (columns === undefined) {
      columns = record.map(columnOf);
      const column = wrongColumn(columns);
      if (column !== undefined) return { ok: false, fault: 'header', line, column };
      continue;
    }
    count += 1;
    if (count > MAX_ROWS) return { ok: false, fault: 'too_many' };
    if (record.every((cell) => cell === '')) continue;
    if (items.length + faults.length === MAX_BATCH_ITEMS) return { ok: false, fault: 'too_many' };
    const read = readRow({ record, columns, line }, readItem);
    if (read.ok) items.push(read.item);
    else if (faults.length < MAX_LINE_FAULTS) faults.push(read.fault);
    else return { ok: true, items, faults, has_more_faults: true };
  }
  if (items.length + faults.length === 0) return { ok: false, fault: 'empty' };
  return { ok: true, items, faults, has_more_faults: false };
}
/** The separator that a spreadsheet's own first line names, or the one that the header has. */
const SEPARATOR_LINE = /^"?sep=([,;\t|])"?[ \t]*(?:\r\n|[\r\n]|$)/i;

function delimiterOf(text: string): string {
  const named = SEPARATOR_LINE.exec(text)?.[1];
  if (named !== undefined) return named;
  const [header = ''] = text
    .slice(0, MAX_LINE)
    .trimStart()
    .split(/[\r\n]/, 1);
  return [',', ';', '\t'].find((one) => header.includes(one)) ?? ',';
}

/** Some 2 ms of this process; others have their turn in between. */
const PIECE = 4_096;

function rowsOf(text: string, delimiter: string): AsyncIterable<Row> {
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: MAX_LINE,
    from_line: SEPARATOR_LINE.test(text) ? 2 : 1,
  });
  // An error of either ends both, and the loop over the parser throws it.
  pipeline(Readable.from(piecesOf(text, parser)), parser, () => undefined);
  return parser as AsyncIterable<Row>;
}

async function* piecesOf(text: string, parser: Parser): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += PIECE) {
    const piece = text.slice(at, at + PIECE);
    // The parser counts the characters of cells, and has no bound on empty ones.
    if (piece.length === PIECE && !/[\r\n]/.test(piece)) {
      throw new CsvError('CSV_MAX_RECORD_SIZE', 'too long', parser.options, parser.info);
    }
    yield piece;
    await setImmediate();
  }
}

function columnOf(name: string): string {
  const written = name.normalize('NFC').toLowerCase();
  return FRENCH.get(written) ?? written;
}

/** Columns without a name are a spreadsheet's own, as long as their cells are empty. */
function wrongColumn(columns: readonly string[]): string | undefined {
  const isWrong = (name: string, i: number): boolean =>
    name !== '' && (!COLUMNS.includes(name) || columns.indexOf(name) !== i);
  return REQUIRED.find((name) => !columns.includes(name)) ?? columns.find(isWrong);
}

interface GivenRow {
  readonly record: readonly string[];
  readonly columns: readonly string[];
  readonly line: number;
}

function readRow(
  { record, columns, line }: GivenRow,
  readItem: ReadLine,
):
  | { readonly ok: true; readonly item: BatchItem }
  | { readonly ok: false; readonly fault: FileLine & LineFault } {
  const cell = (name: string): string => record[columns.indexOf(name)] ?? '';
  const to_username = cell('to_username').replace(/^@/, '');
  const currency = cell('currency').toUpperCase();
  const amount = cell('amount');
  const key = cell('idempotency_key');
  const description = cell('description');
  const given = {
    to_username,
    // The currency's own fault is found below; this place in the order is taken all the same.
    currency: isCurrency(currency) ? currency : 'XOF',
    amount_text: amount,
    ...(key === '' ? {} : { idempotency_key: key }),
    ...(description === '' ? {} : { description }),
  } as const;
  const read = readItem(given);
  const shown = { line, to_username, currency, amount };
  const fault =
    faultOf(hasItsColumns(record, columns), shown) ??
    (read.ok ? faultOfDescription(description) : read);
  if (fault) return { ok: false, fault: { ...shown, ...fault } };
  return read as ReadItem & { readonly ok: true };
}

function hasItsColumns(record: readonly string[], columns: readonly string[]): boolean {
  const named = columns.findLastIndex((name) => name !== '') + 1;
  return (
    record.length >= named && record.every((cell, i) => cell === '' || (columns[i] ?? '') !== '')
  );
}

function faultOf(
  has_all_columns: boolean,
  { to_username, currency }: FileLine,
): LineFault | undefined {
  if (!has_all_columns) return { field: 'line', fault: 'columns' };
  if (to_username === '') return { field: 'to_username', fault: 'missing' };
  if (to_username.length > LONGEST_NAME) return { field: 'to_username', fault: 'too_long' };
  return isCurrency(currency) ? undefined : { field: 'currency', fault: 'unknown' };
}

function faultOfDescription(text: string): LineFault | undefined {
  return Array.from(text).length <= MAX_TRANSFER_DESCRIPTION
    ? undefined
    : { field: 'description', fault: 'long_description' };
}
