// Money at a provider, and settlement files of it, written by the description of their format.

import {
  SHIPPED_FORMATS,
  heldSign,
  type LineType,
  type SettlementFormat,
} from '../../domain/settlement-format';
import type { Currency } from '../../domain/currency';
import { formatAmount } from '../../domain/money';
import { changeSetting } from '../../db/operators/settings';
import type { Db } from '../../db/connect';
import { importSettlement } from '../../use-cases/treasury/files';
import type { TestDatabase } from './database';

/** Live payments of a provider in XOF, `pay_1` and so on: the n-th has 1,000 F and n more, and waits in suspense. */
export async function bookPayments(
  { owner }: Pick<TestDatabase, 'owner'>,
  provider: string,
  count: number,
  prefix = 'pay',
): Promise<void> {
  // Each transaction books a few: the versions of one row that a transaction makes are walked through by the next.
  for (let first = 1; first <= count; first += 250) {
    await owner.raw(
      `do $$ declare n gateway_notifications; begin
         n.gateway := '${provider}'; n.environment := 'live';
         for k in ${first} .. ${Math.min(count, first + 249)} loop
           perform hold_in_suspense(n, null::payment_intents, 'unknown_intent', '${prefix}_' || k, 'XOF', 100 * (1000 + k));
         end loop; end $$`,
    );
  }
}

export interface WrittenLine {
  id: string;
  refs: string[];
  /** A type, or a word that no format has. */
  type: string;
  /** The type that moves the money of an unknown word. */
  moves: LineType;
  currency: Currency;
  amount: bigint;
  fee: bigint;
  day: string;
  /** The file says that so much is held after it. */
  balance?: bigint;
}

export const paymentLine = (n: number, fields: Partial<WrittenLine> = {}): WrittenLine => ({
  id: `pay_${n}`,
  refs: [],
  type: 'payment',
  moves: 'payment',
  currency: 'XOF',
  amount: BigInt(100 * (1_000 + n)),
  fee: 1_000n,
  day: today(),
  ...fields,
});

export const today = (days = 0): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** The sum that the lines bring to the account. */
export const movedBy = (lines: readonly WrittenLine[]): bigint =>
  lines.reduce((sum, one) => sum + heldSign(one.moves, 'provider') * one.amount - one.fee, 0n);

/** Gives each line the balance after it, in this order and from nothing. */
export function withBalances(lines: readonly WrittenLine[]): WrittenLine[] {
  return lines
    .map((line, i) => ({ ...line, balance: movedBy(lines.slice(i, i + 1)) }))
    .reduce<WrittenLine[]>((done, line) => {
      done.push({ ...line, balance: (done.at(-1)?.balance ?? 0n) + line.balance });
      return done;
    }, []);
}

export const shippedFormat = (name: string): SettlementFormat =>
  SHIPPED_FORMATS.find((one) => one.name === name)!;

/** The bytes of a file in a format. */
export function writeFile(format: SettlementFormat, lines: readonly WrittenLine[]): Buffer {
  const { columns, delimiter } = format;
  const headers = [...new Set(Object.values(columns).flat())].filter(
    (one) => typeof one === 'string',
  );
  const quoted = (cell: string): string =>
    /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const number = (minor: bigint): string => {
    const [whole = '', cents] = formatAmount(minor).split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, format.thousands ?? '');
    return `${grouped}${format.decimal}${cents}`;
  };
  const cellOf = (line: WrittenLine, header: string): string => {
    const [id, ...others] =
      format.name === 'stripe_balance'
        ? [`txn_${line.id}`, ...line.refs, line.id]
        : [line.id, ...line.refs];
    if (header === columns.id) return id;
    const place = [columns.reference ?? []].flat().indexOf(header);
    if (place >= 0) return others[place] ?? others.at(-1) ?? '';
    const signed =
      format.direction === 'signed' ? heldSign(line.moves, 'provider') * line.amount : line.amount;
    switch (header) {
      case columns.type:
        return format.types[line.type as LineType]?.[0] ?? line.type;
      case columns.date:
        return dateText(format.date, line.day);
      case columns.currency:
        return line.currency;
      case columns.amount:
        return number(signed);
      case columns.fee:
        return number(line.fee);
      case columns.net:
        return number(signed - line.fee);
      case columns.balance:
        return line.balance === undefined ? '' : number(line.balance);
      case columns.status:
        return format.completed[0]!;
      default:
        return '';
    }
  };
  const rows = [headers, ...lines.map((line) => headers.map((header) => cellOf(line, header)))];
  const before = 'Relevé\r\n'.repeat(format.header - 1);
  const text = before + rows.map((row) => row.map(quoted).join(delimiter)).join('\r\n');
  if (format.encoding === 'utf-8') return Buffer.from(`\ufeff${text}`);
  if (format.encoding === 'utf-16le') return Buffer.from(`\ufeff${text}`, 'utf16le');
  return Buffer.from(text.replaceAll('’', '\x92'), 'latin1');
}

function dateText(pattern: string, day: string): string {
  if (pattern === 'iso') return `${day}T12:00:00Z`;
  const [year, month, date] = day.split('-') as [string, string, string];
  const parts = { YYYY: year, MM: month, DD: date, HH: '12', mm: '00', ss: '00' };
  return Object.entries(parts).reduce((text, [part, value]) => text.replace(part, value), pattern);
}

/** A live one in XOF. */
export const openBank = (operator: Db, name: string): Promise<unknown> =>
  changeSetting(
    operator,
    'treasury.open',
    { name, currency: 'XOF', environment: 'live', iban_end: '3000' },
    'tests',
  );

/** 2,500 F that stand behind a credit. */
export const fundCredit = (operator: Db, bank: string): Promise<unknown> =>
  changeSetting(
    operator,
    'treasury.book',
    {
      kind: 'credit_funded',
      bank,
      provider: null,
      amount_minor: '250000',
      reference: `FUND-${bank.toUpperCase()}`,
      reason: 'paid in',
    },
    'tests',
  );

/** A bank, a provider, and a file with a break of most kinds. */
export async function buildTreasury(database: TestDatabase): Promise<void> {
  const { operator } = database;
  await bookPayments(database, 'wave', 6);
  await openBank(operator, 'Ecobank');
  await fundCredit(operator, 'Ecobank');
  const lines = [
    paymentLine(1),
    paymentLine(2, { amount: 250_000n }),
    paymentLine(3, { day: today(-4) }),
    paymentLine(4, { type: 'cashback' }),
    paymentLine(1),
    paymentLine(900),
  ];
  const done = await importSettlement(
    { db: operator, actor: 'tests' },
    {
      provider: 'wave',
      bank: null,
      environment: 'live',
      format: 'wave',
      from: null,
      to: null,
      bytes: writeFile(shippedFormat('wave'), withBalances(lines)),
    },
  );
  if (!done.ok) throw new Error(`the file is refused: ${done.error}`);
}
