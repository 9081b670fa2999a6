// Lines of CSV files (RFC 4180) that a spreadsheet shows and does not run.

import type { Translated } from './language';
import { formatAmount } from './money';

/** A bigint is an amount of money. */
export type Cell = string | number | bigint | null;

export interface CsvForm {
  readonly start: string;
  readonly separator: ',' | ';';
  readonly decimal: '.' | ',';
  readonly end: '\n' | '\r\n';
}

/** The form that programs read. */
export const PLAIN_CSV: CsvForm = { start: '', separator: ',', decimal: '.', end: '\n' };

const EXCEL = { start: '\ufeff', end: '\r\n' } as const;

/**
 * The form that Excel opens with columns, accents and numbers: without the mark it reads the bytes
 * as Windows-1252.
 */
export const SPREADSHEET_CSV: Translated<CsvForm> = {
  en: { ...EXCEL, separator: ',', decimal: '.' },
  fr: { ...EXCEL, separator: ';', decimal: ',' },
};

/** Writes the first line of a file. */
export function csvHeader(names: readonly string[], form: CsvForm): string {
  return form.start + csvLine(names, form);
}

/** Writes one line with its end. Null is an empty cell. */
export function csvLine(cells: readonly Cell[], form: CsvForm): string {
  const texts = cells.map((cell) =>
    typeof cell === 'bigint' ? formatAmount(cell).replace('.', form.decimal) : cellText(cell),
  );
  return texts.join(form.separator) + form.end;
}

/** `2026-11-21 04:39:12`: an instant as spreadsheets of every country read one. */
export function spreadsheetTime(instant: string): string {
  return instant.slice(0, 19).replace('T', ' ');
}

/**
 * A cell that begins with one of these would be a formula in a spreadsheet, also behind what is not
 * seen. A spreadsheet of another country divides a line at semicolons or tabs, quoted or not, so
 * what stands behind one begins a cell as well: each gets a leading apostrophe.
 */
const FORMULA = /(^|[;,\t\r\n])(?=[\s"\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/gu;

const GUARD = /(^|[;,\t\r\n])'(?=[\s"\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/gu;
/** `="0012"`: how people keep a spreadsheet from making a number of a text. */
const TEXT_FORMULA = /^="(.*)"$/s;

/** A cell without what keeps a spreadsheet from running or counting it. */
export function plainCell(text: string): string {
  const [, quoted = text] = TEXT_FORMULA.exec(text) ?? [];
  return quoted.replace(GUARD, '$1');
}

function cellText(cell: Exclude<Cell, bigint>): string {
  if (cell === null) return '';
  const text = String(cell);
  const safe = (/^[\t\r]/.test(text) ? `'${text}` : text).replace(FORMULA, "$1'");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
