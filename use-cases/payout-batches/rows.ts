// Payouts to phones that a person types in rows, or pastes as lines. They are read as the lines of a file are.

import type { Language } from '../../domain/language';
import { isOnAnyNumber } from '../../domain/payout';
import type { PayoutBatchItem } from '../../domain/payout-batch';
import { callingCodeOf, countryOf } from '../../domain/phone';
import { readPayoutLine, type PayoutLineFault } from './file';

/** A row as it was typed. */
export interface TypedRow {
  readonly name: string;
  readonly phone: string;
  readonly amount: string;
  readonly operator: string;
}

/** More are easier to make in a spreadsheet, and to look through there. */
export const MOST_ROWS = 100;

const NUMBER = /^[+\d(][\d ().\u00a0\u202f-]{5,}$/;

/** Lines of a name, a number and an amount, apart by tabs, semicolons or commas; a first line without digits is a heading. */
export function splitLines(text: string): TypedRow[] {
  const lines = text.split(/\r\n|[\r\n]/).filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  const isHeading = lines.length > 1 && !/\d/.test(first) && /[\t;,]/.test(first);
  return lines.slice(isHeading ? 1 : 0).map(splitLine);
}

function splitLine(line: string): TypedRow {
  const mark = ['\t', ';', ','].find((one) => line.includes(one)) ?? '\t';
  const [name = '', phone = '', ...amount] = line.split(mark).map((cell) => cell.trim());
  const swapped = NUMBER.test(name) && !NUMBER.test(phone);
  return {
    ...(swapped ? { name: phone, phone: name } : { name, phone }),
    // In English a comma groups: `85,000`. What stands behind an amount makes it none.
    amount: amount.join(mark === ',' ? ',' : ' ').trim(),
    operator: '',
  };
}

export type RowFault = PayoutLineFault | 'no_operator';

export type ReadRow =
  | { readonly ok: true; readonly item: PayoutBatchItem }
  | { readonly ok: false; readonly fault: RowFault; readonly missing?: number };

/** Phones are paid in francs. `operators`: all that are paid. */
export function readTypedRow(
  row: TypedRow & { readonly description: string },
  of: {
    readonly country: string;
    readonly operators: readonly string[];
    readonly language: Language;
  },
): ReadRow {
  const cells: Readonly<Record<string, string>> = { ...row };
  const home = { currency: 'XOF', calling_code: callingCodeOf(of.country) } as const;
  const line = { cell: (name: string) => cells[name] ?? '', fault: undefined };
  const read = readPayoutLine(line, home, of.language);
  if (!read.ok) return { ...read.fault, ok: false };
  const { item } = read;
  const country = countryOf(item.phone!);
  const is_open = item.operator === null && of.operators.some((one) => isOnAnyNumber(one, country));
  return is_open ? { ok: false, fault: 'no_operator' } : { ok: true, item };
}
