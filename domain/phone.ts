// Phone numbers as people paste them: with marks of direction, no-break spaces and no-break
// hyphens.

import { counted } from './language';

const SPACE = '\\u00a0\\u2007\\u2009\\u202f';
const HYPHEN = '\\u2010-\\u2015\\u2212';
const UNSEEN = '\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff';
const BETWEEN = `[ ().${SPACE}${HYPHEN}${UNSEEN}-]*`;

/** A number has 7 to 15 digits (E.164), however they are grouped. */
export const PHONE_PATTERN = `^[ ${SPACE}${UNSEEN}]*\\+(?:${BETWEEN})[1-9](?:${BETWEEN}[0-9]){6,14}${BETWEEN}$`;

/** A country's calling code, and how many digits follow it. */
interface NumberPlan {
  readonly code: string;
  readonly digits: number;
}

/**
 * The countries whose operators pay and are paid. A number that is longer or shorter is another one for us, and may ring
 * the same phone at an operator that drops a digit.
 */
const PLANS: Readonly<Record<string, NumberPlan>> = {
  BF: { code: '+226', digits: 8 },
  // Ten since November 2024: 01 was put before the eight of before.
  BJ: { code: '+229', digits: 10 },
  CD: { code: '+243', digits: 9 },
  CI: { code: '+225', digits: 10 },
  GW: { code: '+245', digits: 9 },
  ML: { code: '+223', digits: 8 },
  NE: { code: '+227', digits: 8 },
  SN: { code: '+221', digits: 9 },
  TG: { code: '+228', digits: 8 },
};

/** `+221` for SN; undefined for a country that has no plan here. */
export const callingCodeOf = (country: string): string | undefined => PLANS[country]?.code;

/**
 * The number in groups: `77 555 01 00` at home, `+225 07 01 02 03 04` elsewhere. The blanks break no line. Nothing
 * but a number of a plan is changed.
 */
export function formatPhone(text: string, home: string): string {
  const plan = text.startsWith('+') ? planOf(text) : undefined;
  if (!plan || missingDigits(text) !== 0) return text;
  const digits = text.slice(plan.code.length);
  const groups = plan.digits === 9 ? [2, 3, 2, 2] : Array<number>(plan.digits / 2).fill(2);
  let at = 0;
  const grouped = groups.map((length) => digits.slice(at, (at += length)));
  return (plan === PLANS[home] ? grouped : [plan.code, ...grouped]).join('\u00a0');
}

/** The country of a number; undefined where it has no plan here. */
export const countryOf = (phone: string): string | undefined =>
  Object.keys(PLANS).find((country) => phone.startsWith(PLANS[country]!.code));

const planOf = (phone: string): NumberPlan | undefined => PLANS[countryOf(phone) ?? ''];

/** How a number that begins so is written at home: `77 123 45 67`; undefined for a country that has no plan here. */
export function exampleAtHome(beginning: string): string | undefined {
  const country = countryOf(beginning);
  if (country === undefined) return undefined;
  const { code, digits } = PLANS[country]!;
  return formatPhone(`${beginning}123456789`.slice(0, code.length + digits), country);
}

/** How many digits it lacks, negative for too many; 0 where its country has no plan here. */
function missingDigits(phone: string): number {
  const plan = planOf(phone);
  return plan ? plan.code.length + plan.digits - phone.length : 0;
}

/**
 * People and address books still write Benin's numbers of eight digits. None of them began with a zero: such a number is
 * a new one that lacks two digits.
 */
const OLD_BENIN = /^\+229(?=[1-9][0-9]{7}$)/;

/** The zero that is dialled at home only, behind the country's code: `+49 (0)151 …`. */
const TRUNK_ZERO = /(?<=^[(]?(?:\+|00)[ (]*\d{1,3}[) .-]*)\(0\)/;

/**
 * The `+`, for which `00` may stand, and the digits of a number. Phones are compared, stored and shown in this form:
 * how often one was rung is counted by it, so that a phone must not have two.
 */
export function plainPhone(text: string): string {
  const typed = cleanPhone(text);
  const [whole, without] = [digitsOf(typed), digitsOf(typed.replace(TRUNK_ZERO, ''))];
  // In some countries the zero is a part of the number, as its length tells.
  return missingDigits(whole) === 0 && missingDigits(without) !== 0 ? whole : without;
}

function digitsOf(text: string): string {
  return text
    .replace(/[^+0-9]/g, '')
    .replace(/^00/, '+')
    .replace(OLD_BENIN, '+22901');
}

/** Whether a spreadsheet has made a number of it that counts: `221770000100.0`, `2.2177E+11`. */
export function isDecimal(text: string): boolean {
  return AS_DECIMAL.test(text.trim());
}
/** A last digit behind a point; two, or zeros, behind the only one; an exponent. */
const AS_DECIMAL = /[.,]\d$|^[^.,]*[.,](?:\d\d|0+)$|^\d(?:[.,]\d*)?e[+-]?\d+$/i;

export type PhoneFault =
  | { readonly fault: 'phone' }
  | { readonly fault: 'as_decimal' }
  /** `missing`: digits of its country's numbers; negative when there are too many. */
  | { readonly fault: 'length'; readonly missing: number };

export type ReadPhone =
  { readonly ok: true; readonly phone: string } | ({ readonly ok: false } & PhoneFault);

const WRITTEN = /^[(]?(?:\+|00)?[ ().-]*[0-9][0-9 ().-]*$/;
const WITH_CODE = /^[(]?(?:\+|00)/;
const WHOLE = /^\+[1-9][0-9]{6,14}$/;
/** No country's numbers have so many digits without its code. */
const LONGER_THAN_LOCAL = 10;

/**
 * Reads a number as people and spreadsheets write it. Without `+` or `00` it has all but the plus, which spreadsheets
 * take away, or is one at home: `home` is a calling code.
 */
export function readPhone(text: string, home?: string): ReadPhone {
  const typed = cleanPhone(text);
  if (isDecimal(typed)) return { ok: false, fault: 'as_decimal' };
  if (!WRITTEN.test(typed)) return { ok: false, fault: 'phone' };
  if (WITH_CODE.test(typed)) return readWhole(typed);
  const whole = readWhole(`+${typed}`);
  const is_long = typed.replace(/\D/g, '').length >= LONGER_THAN_LOCAL;
  if (home === undefined) return is_long ? whole : { ok: false, fault: 'phone' };
  const local = readWhole(home + typed);
  const is_whole = is_long && planOf(`+${typed}`) !== undefined;
  return local.ok || !is_whole ? local : whole;
}

function readWhole(typed: string): ReadPhone {
  const phone = plainPhone(typed);
  const missing = missingDigits(phone);
  if (missing !== 0) return { ok: false, fault: 'length', missing };
  return WHOLE.test(phone) ? { ok: true, phone } : { ok: false, fault: 'phone' };
}

export const NO_PHONE = 'must be an international phone number, such as +221771234567';
export const AS_DECIMAL_MESSAGE =
  'must have its digits alone: a spreadsheet has made a decimal of it';

/** For callers of the API, behind the field's name. */
export function phoneMessage(read: PhoneFault): string {
  if (read.fault === 'phone') return NO_PHONE;
  if (read.fault === 'as_decimal') return AS_DECIMAL_MESSAGE;
  const digits = counted('en', Math.abs(read.missing), 'digit', 'digits');
  return `has ${digits} too ${read.missing > 0 ? 'few' : 'many'} for a number of its country`;
}

/**
 * Writes a number of that pattern in the same groups, with plain spaces and hyphens and nothing
 * unseen.
 */
export function cleanPhone(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Zs}/gu, ' ')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .trim();
}
