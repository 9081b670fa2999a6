// Reads JSON from outside field by field. Errors name the wrong field.

import { EXPONENTS, isCurrency, listCurrencies, type Currency } from '../domain/currency';
import { isRowId } from '../domain/ids';
import { parseInstant } from '../domain/instant';
import { scanJson } from '../domain/json-source';
import { counted } from '../domain/language';
import { formatAmount, parseAmount, type Minor } from '../domain/money';
import { parseWebUrl } from '../domain/url';

/** Nothing that we read is as deep; the limit bounds the work of walking the value. */
const MAX_DEPTH = 32;
/** Minor units at scale 2 have at most 15 digits (domain/money.ts). */
const MINOR_TEXT = /^[1-9]\d{0,14}$/;

// A byte order mark in front is left out (RFC 8259, section 8.1); bad bytes are not text.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** An error whose message names the field and what the field must be. */
export class FieldFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FieldFault';
  }
}

/** A JSON object, and the source text of its numbers, which `JSON.parse` discards. */
export interface Fields {
  readonly value: Readonly<Record<string, unknown>>;
  readonly numbers: ReadonlyMap<string, string>;
}

/** @throws FieldFault */
export function readFields(raw: Buffer): Fields {
  const { text, value } = parse(raw);
  if (!isObject(value)) throw new FieldFault('the body must be a JSON object');
  const { numbers, duplicate_key, depth } = scanJson(text);
  if (depth > MAX_DEPTH) throw new FieldFault(`the body is nested deeper than ${MAX_DEPTH} levels`);
  if (duplicate_key !== undefined) {
    throw new FieldFault(`the body has ${JSON.stringify(duplicate_key.slice(0, 100))} twice`);
  }
  return { value, numbers };
}

function parse(raw: Buffer): { text: string; value: unknown } {
  try {
    const text = utf8.decode(raw);
    return { text, value: JSON.parse(text) };
  } catch {
    // V8's message quotes the body, which must not get into logs.
    throw new FieldFault('the body must be JSON in UTF-8');
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a text of 1 to `limit` characters that Postgres can store. */
export function textField(object: Fields['value'], name: string, limit: number): string {
  const text = object[name];
  const isText = typeof text === 'string' && text !== '' && text.length <= limit;
  if (!isText || text.includes('\0') || !text.isWellFormed()) {
    throw new FieldFault(
      `${name} must be text of 1 to ${counted('en', limit, 'character', 'characters')}`,
    );
  }
  return text;
}

export function optionalText(object: Fields['value'], name: string, limit: number): string | null {
  return (object[name] ?? null) === null ? null : textField(object, name, limit);
}

/** Without a fallback the field is required. */
export function booleanField(object: Fields['value'], name: string, fallback?: boolean): boolean {
  const flag = object[name] === undefined ? fallback : object[name];
  if (typeof flag !== 'boolean') throw new FieldFault(`${name} must be true or false`);
  return flag;
}

export function integerField(
  object: Fields['value'],
  name: string,
  minimum: number,
  maximum: number,
): number {
  const number = object[name];
  if (!Number.isInteger(number) || Number(number) < minimum || Number(number) > maximum) {
    throw new FieldFault(`${name} must be a whole number from ${minimum} to ${maximum}`);
  }
  return Number(number);
}

export function wordField<Word extends string>(
  object: Fields['value'],
  name: string,
  words: readonly Word[],
): Word {
  const known = words.find((one) => one === object[name]);
  if (known === undefined) throw new FieldFault(`${name} must be one of ${words.join(', ')}`);
  return known;
}

export function currencyField(object: Fields['value']): Currency {
  const currency = object['currency'];
  if (typeof currency !== 'string' || !isCurrency(currency)) {
    throw new FieldFault(`currency must be ${listCurrencies()}`);
  }
  return currency;
}

/** Reads an amount from the source text of a JSON number. */
export function amountField({ value, numbers }: Fields, currency: Currency): Minor {
  const source = typeof value['amount'] === 'number' ? numbers.get('/amount') : undefined;
  const parsed = source === undefined ? undefined : parseAmount(source, currency);
  if (!parsed?.ok) throw new FieldFault(`amount must be a JSON number, positive in ${currency}`);
  return parsed.amount;
}

/** Reads minor units from decimal text, the form of domain/payment.ts. */
export function minorField(object: Fields['value'], currency: Currency): string {
  const text = object['amount_minor'];
  const isMinor = typeof text === 'string' && MINOR_TEXT.test(text);
  if (!isMinor || (EXPONENTS[currency] === 0 && !text.endsWith('00'))) {
    throw new FieldFault(`amount_minor must be minor units as text, whole in ${currency}`);
  }
  return text;
}

/** Decimal text, as operators write amounts; a balance may be below zero. */
const MAJOR_TEXT = /^-?(?:0|[1-9]\d{0,12})(?:\.\d\d)?$/;

/** Reads an amount of at least `least` minor units; with no decimals in a currency that has none. */
export function majorField(
  object: Fields['value'],
  name: string,
  currency: Currency,
  least: bigint,
): Minor {
  const text = object[name];
  const isMajor = typeof text === 'string' && MAJOR_TEXT.test(text);
  const isWhole = isMajor && !text.includes('.');
  if (!isMajor || (EXPONENTS[currency] === 0) !== isWhole) {
    throw new FieldFault(`${name} must be an amount as text, as ${currency} is written`);
  }
  const minor = BigInt(isWhole ? `${text}00` : text.replace('.', ''));
  if (minor < least) throw new FieldFault(`${name} is too small`);
  return minor as Minor;
}

/** Writes minor units as `majorField` reads them: 5000 XOF are "5000", and 5000 EUR "5000.00". */
export function majorText(minor: bigint, currency: Currency): string {
  const text = formatAmount(minor);
  if (EXPONENTS[currency] > 0) return text;
  if (!text.endsWith('.00')) throw new FieldFault(`${currency} has no decimals`);
  return text.slice(0, -'.00'.length);
}

/** Reads an ISO 8601 instant with its time and zone, and normalises it to microseconds in UTC. */
export function instantField(object: Fields['value'], name: string): string {
  const text = object[name];
  // A bare date is a day, not an instant.
  const isLong = typeof text === 'string' && text.length > 'YYYY-MM-DD'.length;
  const instant = isLong ? parseInstant(text) : undefined;
  if (instant === undefined) throw new FieldFault(`${name} must be an ISO 8601 instant`);
  return instant;
}

/** Reads an id of ours. */
export function rowIdField(object: Fields['value'], name: string): string {
  const id = object[name];
  if (!isRowId(id)) throw new FieldFault(`${name} must be an id of ours`);
  return id;
}

/** Reads an address to which customers are sent: any other scheme is refused, above all `javascript:`. */
export function urlField(object: Fields['value'], name: string): string {
  const url = parseWebUrl(textField(object, name, 2_000));
  if (url === undefined) throw new FieldFault(`${name} must be an http or https URL`);
  return url.href;
}

export function listField(object: Fields['value'], name: string): readonly Fields['value'][] {
  const list = object[name];
  if (!Array.isArray(list) || !list.every(isObject)) {
    throw new FieldFault(`${name} must be a list of objects`);
  }
  return list;
}

export function objectField(object: Fields['value'], name: string): Fields['value'] {
  const value = object[name];
  if (!isObject(value)) throw new FieldFault(`${name} must be an object`);
  return value;
}
