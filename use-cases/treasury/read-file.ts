// Reads a settlement file by its format: every line, or the place of the first that cannot be read.

import { CsvError } from 'csv-parse';
import { plainCell } from '../../domain/csv';
import { isCurrency, EXPONENTS, type Currency } from '../../domain/currency';
import { parseInstant } from '../../domain/instant';
import { createLimit } from '../../domain/limit';
import { MAX_MINOR } from '../../domain/money';
import {
  datePattern,
  heldSign,
  LINE_TYPES,
  type Column,
  type LineType,
  type SettlementFormat,
} from '../../domain/settlement-format';
import { csvRows } from '../csv-rows';

export const MAX_FILE_BYTES = 64 * 1_024 * 1_024;
const MAX_LINES = 200_000;
/** Characters of a line. */
const MAX_RECORD = 65_536;
const PIECE = 32_768;
const MAX_ID = 255;
const MAX_WORD = 64;

export interface SettlementLine {
  readonly line: number;
  readonly provider_id: string;
  /** Without empty ones. */
  readonly refs: readonly string[];
  readonly word: string;
  /** Null: the format lacks the word. */
  readonly type: LineType | null;
  readonly day: string;
  /** A local time of the format's zone; null where only the day is known. */
  readonly clock: string | null;
  readonly currency: Currency;
  /** Positive where it moves as its type does; of an unknown type as the file has it. */
  readonly amount: bigint;
  readonly fee: bigint;
  readonly balance: bigint | null;
}

export type FileFault =
  | ('too_large' | 'encoding' | 'empty' | 'too_many' | 'header' | 'columns' | 'syntax')
  | ('text' | 'number' | 'date' | 'currency');

export type ReadSettlement =
  | {
      readonly ok: true;
      readonly lines: readonly SettlementLine[];
      /** So much is held at the end, by the file; null where it has no balances. */
      readonly closing: bigint | null;
    }
  | {
      readonly ok: false;
      readonly fault: FileFault;
      readonly line: number;
      /** The header's text, where one cell is at fault. */
      readonly column: string | null;
    };

class Fault extends Error {
  readonly fault: FileFault;
  readonly line: number;
  readonly column: string | null;
  constructor(fault: FileFault, line: number, column: string | null = null) {
    super(fault);
    this.fault = fault;
    this.line = line;
    this.column = column;
  }
}

/** One at a time: a large file takes a process's memory. */
const READING = createLimit({ at_once: 1 });

export async function readSettlementFile(
  bytes: Uint8Array,
  format: SettlementFormat,
  of: 'provider' | 'bank',
): Promise<ReadSettlement> {
  return READING.run(async () => {
    try {
      const lines = await readLines(decode(bytes, format.encoding), format, of);
      return { ok: true, lines, closing: closingOf(lines, format, of) };
    } catch (error) {
      if (error instanceof Fault) {
        const { fault, line, column } = error;
        return { ok: false, fault, line, column };
      }
      if (!(error instanceof CsvError)) throw error;
      const { lines: line = 1 } = error as { readonly lines?: number };
      return { ok: false, fault: 'syntax', line, column: null };
    }
  });
}

/** Node decodes it as Latin-1, which lacks these. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decode(bytes: Uint8Array, encoding: SettlementFormat['encoding']): string {
  if (bytes.length > MAX_FILE_BYTES) throw new Fault('too_large', 1);
  if (encoding === 'windows-1252') {
    const latin = Buffer.from(bytes).toString('latin1');
    const text = latin.replace(/[\x80-\x9f]/g, (one) => WINDOWS_1252[one.charCodeAt(0) - 0x80]!);
    return refuse(text, /[\0\x81\x8d\x8f\x90\x9d]/);
  }
  return refuse(new TextDecoder(encoding).decode(bytes), /[\0\ufffd]/);
}

function refuse(text: string, unreadable: RegExp): string {
  const at = text.search(unreadable);
  if (at < 0) return text;
  throw new Fault('encoding', text.slice(0, at).split('\n').length);
}

async function readLines(
  text: string,
  format: SettlementFormat,
  of: 'provider' | 'bank',
): Promise<SettlementLine[]> {
  const { delimiter, header: from_line } = format;
  const rows = csvRows(text, { delimiter, from_line, longest_row: MAX_RECORD, piece: PIECE });
  const lines: SettlementLine[] = [];
  let readLine: ReturnType<typeof lineReader> | undefined;
  let header = 0;
  for await (const { record, info } of rows) {
    const { lines: line } = info;
    if (readLine === undefined) {
      readLine = lineReader(record, line, format, of);
      header = record.findLastIndex((cell) => cell !== '') + 1;
      continue;
    }
    if (record.every((cell) => cell === '')) continue;
    if (record.length < header || record.slice(header).some((cell) => cell !== '')) {
      throw new Fault('columns', line);
    }
    const read = readLine(record, line);
    if (read === undefined) continue;
    if (lines.length === MAX_LINES) throw new Fault('too_many', line);
    lines.push(read);
  }
  if (lines.length === 0) throw new Fault('empty', 1);
  return lines;
}

/** Reads a line; undefined for one that does not count. */
function lineReader(
  header: readonly string[],
  header_line: number,
  format: SettlementFormat,
  of: 'provider' | 'bank',
): (record: readonly string[], line: number) => SettlementLine | undefined {
  const { columns } = format;
  const places = new Map(
    Object.values(columns)
      .flat()
      .filter((text) => typeof text === 'string')
      .map((text) => {
        const at = header.indexOf(text);
        if (at < 0 || header.includes(text, at + 1)) throw new Fault('header', header_line, text);
        return [text, at] as const;
      }),
  );
  const typeOf = new Map(
    Object.entries(format.types).flatMap(([type, words]) => words.map((word) => [word, type])),
  );
  const pattern = format.date === 'iso' ? undefined : datePattern(format.date);
  const references = [columns.reference ?? []].flat();
  return (record, line) => {
    const cell = (text: string): string => plainCell(record[places.get(text)!] ?? '');
    const named = (column: Exclude<Column, 'reference' | 'currency'>): string =>
      columns[column] === undefined ? '' : cell(columns[column]);
    const fault = (kind: FileFault, column: Column): Fault => {
      const text = columns[column];
      return new Fault(kind, line, typeof text === 'string' ? text : column);
    };
    const short = (text: string, longest: number, column: Column): string => {
      if (text.length <= longest) return text;
      throw fault('text', column);
    };
    if (format.completed.length > 0 && !format.completed.includes(named('status'))) {
      return undefined;
    }
    const word = short(named('type'), MAX_WORD, 'type');
    const found = typeOf.get(word) ?? null;
    if (found === 'ignore') return undefined;
    const type = LINE_TYPES.find((one) => one === found) ?? null;
    const provider_id = short(named('id'), MAX_ID, 'id');
    if (provider_id === '') throw fault('text', 'id');
    const currency = (
      typeof columns.currency === 'string' ? cell(columns.currency) : columns.currency.fixed
    ).toUpperCase();
    if (!isCurrency(currency)) throw fault('currency', 'currency');
    const when = readDate(named('date'), pattern);
    if (when === undefined) throw fault('date', 'date');
    const number = (column: 'amount' | 'fee' | 'net' | 'balance'): bigint | null => {
      const text = named(column);
      if (text === '') return null;
      const read = readNumber(text, currency, format);
      if (read === undefined) throw fault('number', column);
      return read;
    };
    const raw = number('amount');
    const is_signed = format.direction === 'signed';
    if (raw === null || (!is_signed && raw < 0n)) throw fault('number', 'amount');
    const amount = is_signed && type !== null ? heldSign(type, of) * raw : raw;
    const net = number('net');
    const sign = type === null ? 1n : heldSign(type, of);
    const fee = number('fee') ?? (net === null ? 0n : is_signed ? raw - net : sign * (raw - net));
    return {
      line,
      provider_id,
      refs: references.map((text) => short(cell(text), MAX_ID, 'reference')).filter(Boolean),
      word,
      type,
      ...when,
      currency,
      amount,
      fee,
      balance: number('balance'),
    };
  };
}

/** The day, and the local time where there is one. An ISO instant with a zone has its day in UTC. */
function readDate(
  text: string,
  pattern: RegExp | undefined,
): Pick<SettlementLine, 'day' | 'clock'> | undefined {
  if (pattern === undefined) {
    const at = parseInstant(text);
    if (at === undefined) return undefined;
    const has_zone = /(?:[Zz]|[+-]\d\d:?\d\d)$/.test(text.slice(10));
    const clock = `${at.slice(0, 10)} ${at.slice(11, 19)}`;
    return { day: at.slice(0, 10), clock: has_zone || text.length === 10 ? null : clock };
  }
  const parts = pattern.exec(text)?.groups;
  if (!parts) return undefined;
  const { YYYY, MM, DD, HH, mm = '00', ss = '00' } = parts;
  const day = `${YYYY}-${MM}-${DD}`;
  const clock = `${HH ?? '00'}:${mm}:${ss}`;
  if (parseInstant(`${day}T${clock}Z`) === undefined) return undefined;
  return { day, clock: HH === undefined ? null : `${day} ${clock}` };
}

function readNumber(
  text: string,
  currency: Currency,
  { decimal, thousands }: SettlementFormat,
): bigint | undefined {
  const [, sign = '', digits = ''] = /^([+\-−]?)[\s\u00a0\u202f]*(.*)$/.exec(text) ?? [];
  const [whole = '', fraction = '', ...more] = digits.split(decimal);
  if (more.length > 0 || !/^\d*$/.test(fraction)) return undefined;
  const grouped = whole.replace(/[\s\u00a0\u202f]/g, ' ').replaceAll(thousands ?? ' ', ' ');
  // Groups of another length are a misread format: the amount may be a thousand times another.
  if (!/^(?:\d+|\d{1,3}(?: \d{3})+)$/.test(grouped)) return undefined;
  const decimals = EXPONENTS[currency];
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined;
  const cents = fraction.slice(0, 2).padEnd(2, '0');
  const minor = BigInt(grouped.replaceAll(' ', '') + cents);
  if (minor > MAX_MINOR) return undefined;
  return sign === '-' || sign === '−' ? -minor : minor;
}

/**
 * The balance that no other line goes on from, in whatever order the lines are; with several, the latest. Lines of
 * the currency that most lines have count.
 */
function closingOf(
  all: readonly SettlementLine[],
  { direction }: SettlementFormat,
  of: 'provider' | 'bank',
): bigint | null {
  const currency = mostOf(all.map((line) => line.currency));
  const lines = all.filter((line) => line.balance !== null && line.currency === currency);
  if (lines.length === 0) return null;
  const left = new Map<bigint, number>();
  const count = (balance: bigint, by: number): unknown =>
    left.set(balance, (left.get(balance) ?? 0) + by);
  const balances = new Set(lines.map(({ balance }) => balance!));
  for (const { balance } of lines) count(balance!, 1);
  for (const { type, amount, fee, balance } of lines) {
    const moved = type === null ? amount : heldSign(type, of) * amount;
    const before = balance! - moved + fee;
    // Without a type or a sign the direction shows in the balances only.
    const other = balance! + moved + fee;
    const is_other = type === null && direction === 'by_type' && !balances.has(before);
    count(is_other && balances.has(other) ? other : before, -1);
  }
  const ends = lines.filter(({ balance }) => left.get(balance!)! > 0);
  const timeOf = ({ day, clock }: SettlementLine): string => clock ?? day;
  const is_descending = timeOf(lines[0]!) > timeOf(lines.at(-1)!);
  const latest = (one: SettlementLine, two: SettlementLine): SettlementLine =>
    timeOf(two) > timeOf(one) || (timeOf(two) === timeOf(one) && !is_descending) ? two : one;
  return (ends.length > 0 ? ends : lines).reduce(latest).balance;
}

function mostOf(words: readonly Currency[]): Currency {
  const counts = new Map<Currency, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}
