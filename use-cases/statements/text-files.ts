// A statement as JSON and as CSV, written while its lines are read: a month of a million lines needs no more
// memory than one of a thousand.

import type { Db } from '../../db/connect';
import {
  csvHeader,
  csvLine,
  PLAIN_CSV,
  SPREADSHEET_CSV,
  spreadsheetTime,
  type Cell,
} from '../../domain/csv';
import { renderJson } from '../../domain/json';
import type { Language } from '../../domain/language';
import { amountJson } from '../../domain/money';
import { COLUMN_WORDS, DIRECTION_WORDS, TYPE_WORDS } from '../transactions/words';
import { readLines, type RunningLine, type Statement, type Sums } from './months';
import { WORDS } from './words';

/** The response of the API. What is known at the end, stands at the end. */
export async function* renderStatementJson(db: Db, statement: Statement): AsyncGenerator<string> {
  const { currency, month, is_closed, opening_minor, generated_at } = statement;
  const opening = amountJson(opening_minor);
  const head = renderJson({ ok: true, currency, month, is_closed, opening, generated_at });
  yield `${head.slice(0, -1)},"transactions":[`;
  const lines = readLines(db, statement);
  let separator = '';
  for (;;) {
    const { done, value } = await lines.next();
    if (done) {
      yield `],${renderSums(value).slice(1)}`;
      return;
    }
    yield separator + value.map(lineJson).join(',');
    separator = ',';
  }
}

/** Without its status, the one field of a transaction that changes: a payout may end after its month was closed. */
function lineJson({ line: { json, status } }: RunningLine): string {
  return json.replace(`"status":"${status}",`, '');
}

function renderSums({ closing_minor, totals }: Sums): string {
  return renderJson({
    closing: amountJson(closing_minor),
    totals: totals.map(({ type, direction, count, amount_minor, fee_minor, tax_minor }) => ({
      type,
      direction,
      count,
      amount: amountJson(amount_minor),
      fee: amountJson(fee_minor),
      tax: amountJson(tax_minor),
    })),
  });
}

const COLUMNS = [
  'created_at',
  'type',
  'direction',
  'reference',
  'counterparty',
  'description',
  'credit',
  'debit',
  'fee',
  'tax',
  'balance',
] as const;

/**
 * Writes the names of the fields for programs or, with a language, words for a person's
 * spreadsheet.
 */
export async function* renderStatementCsv(
  db: Db,
  statement: Statement,
  language?: Language,
): AsyncGenerator<string> {
  const { form, header, lineOf, opening, closing } = language ? wordsOf(language) : FOR_PROGRAMS;
  const { opening_minor, starts_at, generated_at } = statement;
  const balanceLine = (at: string, name: string, balance_minor: bigint): string =>
    csvLine([timeOf(at, language), name, ...Array<null>(8).fill(null), balance_minor], form);
  yield csvHeader(header, form) + balanceLine(starts_at, opening, opening_minor);
  const lines = readLines(db, statement);
  for (;;) {
    const { done, value } = await lines.next();
    if (done) {
      yield balanceLine(generated_at, closing, value.closing_minor);
      return;
    }
    yield value.map((line) => csvLine(lineOf(line), form)).join('');
  }
}

const FOR_PROGRAMS = {
  form: PLAIN_CSV,
  header: COLUMNS,
  lineOf: (line: RunningLine) => cellsOf(line, line.line.type, line.line.direction),
  opening: 'opening_balance',
  closing: 'closing_balance',
} as const;

function wordsOf(language: Language) {
  const words = WORDS[language];
  const { at, type, reference, counterparty, description, credit, debit, fee, tax, balance } =
    words;
  const direction = COLUMN_WORDS[language].direction;
  return {
    form: SPREADSHEET_CSV[language],
    header: [
      at,
      type,
      direction,
      reference,
      counterparty,
      description,
      credit,
      debit,
      fee,
      tax,
      balance,
    ],
    lineOf: (line: RunningLine) =>
      cellsOf(
        line,
        TYPE_WORDS[language][line.line.type],
        DIRECTION_WORDS[language][line.line.direction],
        language,
      ),
    opening: words.opening,
    closing: words.closing,
  };
}

function cellsOf(
  { line, moved_minor, balance_minor }: RunningLine,
  type: string,
  direction: string,
  language?: Language,
): Cell[] {
  return [
    timeOf(line.created_at, language),
    type,
    direction,
    line.reference,
    line.counterparty,
    line.description,
    moved_minor >= 0n ? moved_minor : null,
    moved_minor < 0n ? -moved_minor : null,
    line.fee_minor,
    line.tax_minor,
    balance_minor,
  ];
}

/** An instant, or what a spreadsheet takes for a time. */
function timeOf(instant: string, language?: Language): string {
  return language ? spreadsheetTime(instant) : instant;
}
