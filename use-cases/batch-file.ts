// Reads the items of a CSV file that a person has made: a header that names columns, and a line for each item. What
// spreadsheets add is understood: a byte order mark, a line `sep=;`, semicolons or tabs with decimal commas, rows and
// columns without any value, the encodings of Excel. A file that was exported here can be sent again, where it failed.
// The file is read in turns of a few milliseconds, with a bound on lines, columns and faults.

import { CsvError } from 'csv-parse';
import { MAX_BATCH_ITEMS } from '../domain/batch-limits';
import { plainCell } from '../domain/csv';
import type { Language } from '../domain/language';
import { createLimit } from '../domain/limit';
import { csvRows } from './csv-rows';

export type ItemFile<Item, Fault> =
  | RefusedFile
  | {
      readonly ok: true;
      readonly items: readonly Item[];
      /** The first MAX_LINE_FAULTS at most. When there are any, `items` lacks these. */
      readonly faults: readonly (Fault & { readonly line: number })[];
      /** There are more faults: the reading ended there. */
      readonly has_more_faults: boolean;
    };

/** The file as a whole cannot be read. */
export interface RefusedFile {
  readonly ok: false;
  readonly fault:
    'empty' | 'too_many' | 'workbook' | 'encoding' | 'syntax' | 'long_line' | 'wide' | 'header';
  readonly line?: number;
  /** One that the header lacks, or has without need. */
  readonly column?: string;
}

/** A merchant who mends these sees the others the next time. */
const MAX_LINE_FAULTS = 100;

/** A file's columns, and the reading of its lines. */
export interface FileForm<Item, Fault> {
  readonly required: readonly string[];
  /** One of these is required, too. */
  readonly one_of?: readonly string[];
  readonly columns: readonly string[];
  /** Other names of a column, in small letters without accents, marks and text in brackets. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** Columns of the exported file that say nothing to the reading, beside those of every export. */
  readonly ignored?: readonly string[];
  /** Begins the file: its lines are read once, in their order. */
  readonly begin: (language: Language) => (line: GivenLine) => ReadLine<Item, Fault>;
}

/** `columns`: it has others than the first line. `not_failed`: an exported line of what is under way or carried out. */
export type LineFault = 'columns' | 'not_failed';

export interface GivenLine {
  /** The cell by its column's name; empty where there is none. */
  readonly cell: (name: string) => string;
  readonly fault: LineFault | undefined;
}

export type ReadLine<Item, Fault> =
  { readonly ok: true; readonly item: Item } | { readonly ok: false; readonly fault: Fault };

/** A spreadsheet may write some empty ones beside the five. */
const MAX_COLUMNS = 32;
/** A spreadsheet writes empty rows, too. */
const MAX_ROWS = 2 * MAX_BATCH_ITEMS;
/** Names, keys and descriptions of the greatest length have half of it. */
const MAX_LINE = 4_096;

/**
 * Files are read two at a time, one of each account: all of them together leave others their turns.
 */
const READING = createLimit({ at_once: 2, each: 1 });

/** `reader`: the account whose turn it takes. */
export async function readItemFile<Item, Fault extends object>(
  bytes: Uint8Array,
  reader: string,
  form: FileForm<Item, Fault>,
): Promise<ItemFile<Item, Fault>> {
  if (isWorkbook(bytes)) return { ok: false, fault: 'workbook' };
  const text = decode(bytes);
  if (text === undefined) return { ok: false, fault: 'encoding' };
  return READING.run(async () => {
    try {
      return await readText(text, form);
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      const { lines: line } = error as { readonly lines?: number };
      const fault = error.code === 'CSV_MAX_RECORD_SIZE' ? 'long_line' : 'syntax';
      return { ok: false, fault, ...(line === undefined ? {} : { line }) };
    }
  }, reader);
}

/** How .xlsx and .ods begin, which are ZIP files, and .xls. */
const WORKBOOKS = ['504b0304', 'd0cf11e0'];
const isWorkbook = (bytes: Uint8Array): boolean =>
  WORKBOOKS.includes(Buffer.from(bytes.subarray(0, 4)).toString('hex'));

/** Undefined for another encoding, UTF-16 without a mark included: text of ours has no NUL. */
function decode(bytes: Uint8Array): string | undefined {
  const mark = bytes[0]! * 256 + bytes[1]!;
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
  let text: string | undefined;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    text = encoding === 'utf-8' ? fromWindows1252(bytes) : undefined;
  }
  return text?.includes('\0') ? undefined : text;
}

/** The characters of Windows-1252 that Latin-1 lacks and French writes. */
const BESIDE_LATIN_1: Readonly<Record<string, string>> = {
  '\x80': '€',
  '\x85': '…',
  '\x8c': 'Œ',
  '\x91': '‘',
  '\x92': '’',
  '\x93': '“',
  '\x94': '”',
  '\x96': '–',
  '\x97': '—',
  '\x9c': 'œ',
};
/** CP850, MacRoman and faulty UTF-8 have these for é and è: they are no letters of French in Windows-1252. */
const NO_WINDOWS_1252 = /[\x81-\x84\x86-\x8b\x8d-\x90\x95\x98-\x9b\x9d-\x9f]|[ÂÃ][\xa0-\xbf]/;

/** Digits and the marks of amounts are the same in all of these encodings, so that no guess changes one. */
function fromWindows1252(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  if (NO_WINDOWS_1252.test(text)) return undefined;
  return text.replace(/[\x80-\x9f]/g, (character) => BESIDE_LATIN_1[character]!);
}

async function readText<Item, Fault extends object>(
  text: string,
  form: FileForm<Item, Fault>,
): Promise<ItemFile<Item, Fault>> {
  const delimiter = delimiterOf(text);
  // A spreadsheet that divides by commas begins the cents with a point, as English does.
  const readLine = form.begin(delimiter === ',' ? 'en' : 'fr');
  const items: Item[] = [];
  const faults: (Fault & { readonly line: number })[] = [];
  let columns: readonly string[] | undefined;
  let count = 0;
  for await (const { record, info } of rowsOf(text, delimiter)) {
    const { lines: line } = info;
    if (record.length > MAX_COLUMNS) return { ok: false, fault: 'wide', line };
    if (columns === undefined) {
      columns = record.map((name) => columnOf(name, form));
      const column = wrongColumn(columns, form);
      if (column !== undefined) return { ok: false, fault: 'header', line, column };
      continue;
    }
    count += 1;
    if (count > MAX_ROWS) return { ok: false, fault: 'too_many' };
    if (record.every((cell) => cell === '')) continue;
    if (items.length + faults.length === MAX_BATCH_ITEMS) return { ok: false, fault: 'too_many' };
    const named = columns;
    const cell = (name: string): string => plainCell(record[named.indexOf(name)] ?? '');
    const fault = !hasItsColumns(record, named)
      ? 'columns'
      : ['', 'failed'].includes(cell('status'))
        ? undefined
        : 'not_failed';
    const read = readLine({ cell, fault });
    if (read.ok) items.push(read.item);
    else if (faults.length < MAX_LINE_FAULTS) faults.push({ ...read.fault, line });
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
  return ['\t', ';', ','].find((one) => header.includes(one)) ?? ',';
}

/** A formula that is a text, written without the quotation marks that CSV asks for. */
const TEXT_FORMULA = /(?<=[,;\t\r\n])="([^"\r\n]{0,140})"(?=[,;\t\r\n]|$)/g;

function rowsOf(written: string, delimiter: string): ReturnType<typeof csvRows> {
  const text = written.includes('="') ? written.replace(TEXT_FORMULA, '"$1"') : written;
  const from_line = SEPARATOR_LINE.test(text) ? 2 : 1;
  return csvRows(text, { delimiter, from_line, longest_row: MAX_LINE, piece: MAX_LINE });
}

type Columns = Pick<
  FileForm<never, never>,
  'required' | 'one_of' | 'columns' | 'names' | 'ignored'
>;
/** Every file that is exported here has these columns. */
const EXPORTED = ['index', 'status', 'reference', 'error_code', 'error_message'];

/** `Montant (FCFA) :` is `montant`. */
function columnOf(name: string, { names }: Columns): string {
  const written = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\([^()]*\)|\[[^[\]]*\]/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  const known = Object.entries(names).find(([, others]) => others.includes(written));
  return known?.[0] ?? written.replaceAll(' ', '_');
}

/** Columns without a name are a spreadsheet's own, as long as their cells are empty. */
function wrongColumn(
  columns: readonly string[],
  { required, one_of, columns: own, ignored = [] }: Columns,
): string | undefined {
  const known = [...own, ...ignored, ...EXPORTED];
  const isWrong = (name: string, i: number): boolean =>
    name !== '' && (!known.includes(name) || columns.indexOf(name) !== i);
  const lacks = one_of && !one_of.some((name) => columns.includes(name)) ? one_of[0] : undefined;
  return required.find((name) => !columns.includes(name)) ?? lacks ?? columns.find(isWrong);
}

function hasItsColumns(record: readonly string[], columns: readonly string[]): boolean {
  const named = columns.findLastIndex((name) => name !== '') + 1;
  return (
    record.length >= named && record.every((cell, i) => cell === '' || (columns[i] ?? '') !== '')
  );
}
