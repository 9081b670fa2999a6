// JSON in which an amount is never a float: a decimal text here, a number there, digit for digit. Which names are
// amounts, the document of the API says; `metadata` is the merchant's own and is not touched.

import { InvalidArgument } from './errors.js';
import { AMOUNT_NAMES, MIXED_NAMES } from './generated/amounts.js';

const METADATA = 'metadata';
const AMOUNT = /^(?:0|[1-9]\d*)(?:\.\d{1,2})?$/;
// A string, with the colon of a key; a number; a bracket.
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([[\]{}])/g;

/** Every amount, and every other number with a fraction, becomes text of at least two decimals. */
export function parseJson(text: string): unknown {
  const outer: { key: string; isPlain: boolean }[] = [];
  let key = '';
  let isPlain = false;
  const exact = text.replace(
    TOKENS,
    (token: string, string?: string, colon?: string, number?: string, bracket?: string) => {
      if (colon !== undefined && string !== undefined) key = JSON.parse(string) as string;
      if (bracket === '{' || bracket === '[') {
        outer.push({ key, isPlain });
        isPlain ||= key === METADATA;
      } else if (bracket !== undefined) {
        ({ key, isPlain } = outer.pop() ?? { key: '', isPlain: false });
      }
      if (number === undefined || isPlain) return token;
      const isExact =
        AMOUNT_NAMES.has(key) || !Number.isSafeInteger(Number(number)) || /[.eE]/.test(number);
      return isExact ? `"${withDecimals(number)}"` : number;
    },
  );
  return JSON.parse(exact);
}

function withDecimals(number: string): string {
  const [, whole, decimals = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(number) ?? [];
  return whole === undefined ? number : `${whole}.${decimals.padEnd(2, '0')}`;
}

/** @throws InvalidArgument when an amount is neither a decimal text nor a whole number. */
export function writeJson(value: unknown): string {
  return write(value, '', '') ?? 'null';
}

function write(value: unknown, key: string, path: string): string | undefined {
  const isAmount = AMOUNT_NAMES.has(key) || MIXED_NAMES.has(key);
  const isPlain = value === undefined || value === null || key === METADATA;
  if (isPlain) return JSON.stringify(value);
  if (typeof value !== 'object') return isAmount ? writeAmount(value, path) : JSON.stringify(value);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => write(item, key, `${path}[${index}]`) ?? 'null');
    return `[${items.join(',')}]`;
  }
  if ('toJSON' in value) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => {
    const text = write(field, name, path === '' ? name : `${path}.${name}`);
    return text === undefined ? '' : `${JSON.stringify(name)}:${text}`;
  });
  return `{${fields.filter((text) => text !== '').join(',')}}`;
}

function writeAmount(value: unknown, path: string): string {
  if (typeof value === 'string' && AMOUNT.test(value)) return value;
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  if (isWhole && AMOUNT.test(String(value))) return String(value);
  const what = typeof value === 'string' ? JSON.stringify(value) : `a ${typeof value}`;
  throw new InvalidArgument(
    path,
    `${path} is a decimal text, such as "5000" or "49.90", with at most two decimals, or a whole number; this is ${what}.`,
  );
}

/** Hundredths, to reckon with: `49.90` is 4990n. */
export function toMinor(amount: string): bigint {
  const [, sign, whole, decimals = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(amount) ?? [];
  if (whole === undefined)
    throw new InvalidArgument('amount', `${JSON.stringify(amount)} is no amount.`);
  return BigInt(`${sign}${whole}${decimals.padEnd(2, '0')}`);
}

/** The amount of so many hundredths: 4990n is `49.90`. */
export function fromMinor(minor: bigint): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0');
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
