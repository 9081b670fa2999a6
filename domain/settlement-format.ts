// Formats of settlement files, as data: what a provider or a bank calls its columns and kinds of lines, and how it writes
// days and amounts. An operator adds others.

import type { JsonValue } from './json';

export const LINE_TYPES = ['payment', 'payout', 'refund', 'settlement', 'fee', 'topup'] as const;
export type LineType = (typeof LINE_TYPES)[number];

/** `ignore`: lines that say nothing of money. */
const WORD_TYPES = [...LINE_TYPES, 'ignore'] as const;

export const COLUMNS = [
  'id',
  'reference',
  'type',
  'date',
  'currency',
  'amount',
  'fee',
  'net',
  'balance',
  'status',
] as const;
export type Column = (typeof COLUMNS)[number];

export const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le'] as const;

export interface SettlementFormat {
  readonly name: string;
  /** Where its description is from. */
  readonly source: string;
  /** False: no real file of it was seen. */
  readonly verified: boolean;
  readonly encoding: (typeof ENCODINGS)[number];
  readonly delimiter: string;
  readonly decimal: '.' | ',';
  /** Blanks are read as thousands in any case. */
  readonly thousands: string | null;
  /** `iso`, or made of `YYYY MM DD HH mm ss`. A day without a time is that day, wherever it is. */
  readonly date: string;
  /** IANA's name. */
  readonly timezone: string;
  /** The line of the header. */
  readonly header: number;
  /** Header texts. `reference` may have several: other ids of the same thing, which are tried in turn. */
  readonly columns: {
    readonly [name in Exclude<Column, 'reference' | 'currency'>]?: string;
  } & {
    readonly reference?: string | readonly string[];
    readonly currency: string | { readonly fixed: string };
  };
  readonly types: { readonly [type in (typeof WORD_TYPES)[number]]?: readonly string[] };
  /** `by_type`: amounts have no sign. `signed`: what leaves the account is negative. */
  readonly direction: 'by_type' | 'signed';
  /** Lines with another status are left out; empty: there is no such column. */
  readonly completed: readonly string[];
}

const PLAIN = {
  verified: false,
  encoding: 'utf-8',
  delimiter: ',',
  decimal: '.',
  thousands: null,
  date: 'iso',
  timezone: 'UTC',
  header: 1,
  direction: 'by_type',
  completed: [],
} as const;

const NOT_SEEN = 'expected: no real file and no description of its columns was seen';

export const SHIPPED_FORMATS: readonly SettlementFormat[] = [
  {
    ...PLAIN,
    name: 'generic',
    source: 'this project',
    verified: true,
    columns: {
      id: 'id',
      reference: 'reference',
      type: 'type',
      date: 'date',
      currency: 'currency',
      amount: 'amount',
      fee: 'fee',
      balance: 'balance',
    },
    types: Object.fromEntries(WORD_TYPES.map((type) => [type, [type]])),
  },
  {
    ...PLAIN,
    name: 'wave',
    source: NOT_SEEN,
    date: 'YYYY-MM-DD HH:mm:ss',
    timezone: 'Africa/Dakar',
    columns: {
      id: 'Transaction ID',
      reference: 'Client reference',
      type: 'Transaction type',
      date: 'Timestamp',
      currency: 'Currency',
      amount: 'Amount',
      fee: 'Fee',
      balance: 'Balance',
    },
    types: {
      payment: ['merchant_payment', 'checkout_payment'],
      payout: ['payout', 'b2b_payment'],
      refund: ['merchant_payment_refund', 'refund'],
      settlement: ['withdrawal', 'bank_transfer'],
      fee: ['fee'],
      topup: ['deposit'],
    },
  },
  {
    ...PLAIN,
    name: 'orange_money',
    source: NOT_SEEN,
    encoding: 'windows-1252',
    delimiter: ';',
    decimal: ',',
    date: 'DD/MM/YYYY HH:mm:ss',
    timezone: 'Africa/Abidjan',
    columns: {
      id: 'ID transaction',
      reference: 'Référence',
      type: 'Type d’opération',
      date: 'Date',
      currency: { fixed: 'XOF' },
      amount: 'Montant',
      fee: 'Frais',
      balance: 'Solde',
      status: 'Statut',
    },
    types: {
      payment: ['Paiement marchand'],
      payout: ['Transfert', 'Cash in'],
      refund: ['Remboursement'],
      settlement: ['Virement bancaire'],
      fee: ['Frais'],
      topup: ['Approvisionnement'],
    },
    completed: ['Succès'],
  },
  {
    ...PLAIN,
    name: 'mtn_momo',
    source: NOT_SEEN,
    date: 'YYYY-MM-DD HH:mm:ss',
    timezone: 'Africa/Abidjan',
    columns: {
      id: 'Id',
      reference: 'External id',
      type: 'Type',
      date: 'Date',
      currency: 'Currency',
      amount: 'Amount',
      fee: 'Fee',
      balance: 'Balance',
      status: 'Status',
    },
    types: {
      payment: ['Debit', 'Payment'],
      payout: ['Transfer', 'Disbursement'],
      refund: ['Refund'],
      settlement: ['Withdrawal'],
      fee: ['Fee'],
      topup: ['Deposit'],
    },
    completed: ['Successful'],
  },
  {
    ...PLAIN,
    name: 'stripe_balance',
    source: "Stripe's documentation of the itemized balance report (balance_change_from_activity)",
    date: 'YYYY-MM-DD HH:mm:ss',
    columns: {
      id: 'balance_transaction_id',
      reference: ['source_id', 'payment_intent_id'],
      type: 'reporting_category',
      date: 'created_utc',
      currency: 'currency',
      amount: 'gross',
      fee: 'fee',
      net: 'net',
    },
    types: {
      payment: ['charge'],
      refund: ['refund'],
      settlement: ['payout'],
      fee: ['fee'],
      topup: ['topup'],
    },
    direction: 'signed',
  },
];

export const isShipped = (name: string): boolean =>
  SHIPPED_FORMATS.some((format) => format.name === name);

/** Positive: a line of this type brings money to the account whose file it is in; held_sign of db/treasury/files.sql. */
export function heldSign(type: LineType, of: 'provider' | 'bank'): bigint {
  if (type === 'payment') return 1n;
  if (type === 'topup') return of === 'provider' ? 1n : -1n;
  if (type === 'settlement') return of === 'provider' ? -1n : 1n;
  return -1n;
}

const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const DATE_PARTS = /YYYY|MM|DD|HH|mm|ss/g;
const MAX_TEXT = 200;
const MAX_WORDS = 50;

type Checked =
  | { readonly ok: true; readonly format: SettlementFormat }
  | { readonly ok: false; readonly field: string };

/** Reads a format; `field` names the first that is wrong. */
export function readFormat(value: JsonValue): Checked {
  if (!isRecord(value)) return { ok: false, field: 'format' };
  const given: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(value));
  const format = { source: '', verified: false, thousands: null, completed: [], ...given };
  const wrong = Object.entries(CHECKS).find(
    ([name, isRight]) => !isRight((format as Record<string, unknown>)[name]),
  );
  const unknown = Object.keys(format).find((name) => !(name in CHECKS));
  const field = wrong?.[0] ?? unknown;
  if (field !== undefined) return { ok: false, field };
  const made = format as unknown as SettlementFormat;
  if ((made.columns.status === undefined) !== (made.completed.length === 0)) {
    return { ok: false, field: 'completed' };
  }
  if (made.thousands === made.delimiter) return { ok: false, field: 'delimiter' };
  if (made.thousands === made.decimal) return { ok: false, field: 'thousands' };
  return { ok: true, format: made };
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;
const isOneOf =
  (...words: readonly unknown[]) =>
  (value: unknown): boolean =>
    words.includes(value);
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= MAX_WORDS && value.every(isText);

const CHECKS: Readonly<Record<keyof SettlementFormat, (value: unknown) => boolean>> = {
  name: (value) => isText(value) && NAME.test(value),
  source: (value) => typeof value === 'string' && value.length <= MAX_TEXT,
  verified: isOneOf(true, false),
  encoding: isOneOf(...ENCODINGS),
  delimiter: isOneOf(',', ';', '\t', '|'),
  decimal: isOneOf('.', ','),
  thousands: isOneOf(null, '.', ',', "'", '’', ' '),
  date: (value) => isText(value) && (value === 'iso' || datePattern(value) !== undefined),
  timezone: isTimezone,
  header: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 20,
  columns: (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, text]) => isColumn(name, text)) &&
    ['id', 'type', 'date', 'currency', 'amount'].every((name) => name in value),
  types: (value) => {
    if (!isRecord(value)) return false;
    const entries = Object.entries(value);
    const words = entries.flatMap(([, given]) => given as unknown);
    return (
      entries.every(([type, given]) => isOneOf(...WORD_TYPES)(type) && isTexts(given)) &&
      new Set(words).size === words.length
    );
  },
  direction: isOneOf('by_type', 'signed'),
  completed: isTexts,
};

function isColumn(name: string, text: unknown): boolean {
  if (!isOneOf(...COLUMNS)(name)) return false;
  if (name === 'reference') return isText(text) || (isTexts(text) && text.length > 0);
  if (name !== 'currency' || typeof text === 'string') return isText(text);
  return isRecord(text) && /^[A-Z]{3}$/.test(String((text as { fixed?: unknown }).fixed));
}

function isTimezone(value: unknown): boolean {
  if (!isText(value)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

/** Matches a date with the parts as groups; undefined for one that lacks the day, or has a part twice. */
export function datePattern(date: string): RegExp | undefined {
  const parts: readonly string[] = date.match(DATE_PARTS) ?? [];
  if (new Set(parts).size < parts.length) return undefined;
  if (!['YYYY', 'MM', 'DD'].every((part) => parts.includes(part))) return undefined;
  const text = date
    .split(/(YYYY|MM|DD|HH|mm|ss)/)
    .map((piece) =>
      parts.includes(piece)
        ? `(?<${piece}>\\d{${piece.length}})`
        : piece.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'),
    );
  return new RegExp(`^${text.join('')}$`);
}
