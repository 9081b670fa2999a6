// What a customer fills in to pay by phone: the number, as people write it at home, and the operator, which the
// number proposes.

import { CALLING_CODE, callingCodes, type PaymentMethod } from '../../domain/payment-attempt';
import { cleanPhone, PHONE_PATTERN, plainPhone } from '../../domain/phone';

export interface PhoneFields {
  readonly phone: string;
  readonly operator: string;
}

/** Operators through which this amount can be paid. */
export interface PhoneMethods {
  /** Those of the merchant's country. */
  readonly near: readonly PaymentMethod[];
  /** Those of others, by country. */
  readonly far: ReadonlyMap<string, readonly PaymentMethod[]>;
}

export type ReadPhone =
  | { readonly ok: true; readonly phone: string; readonly method: PaymentMethod }
  | { readonly ok: false; readonly fault: 'phone' | 'operator' }
  | { readonly ok: false; readonly fault: 'closed'; readonly method: PaymentMethod };

/** A number without its country's code has no fewer. */
const LEAST_DIGITS = 7;
/** No number has so many without its country's code. */
const WITH_COUNTRY_CODE = 11;

export function offerMethods(
  methods: readonly PaymentMethod[],
  link: {
    readonly amount_minor: bigint;
    readonly country: string | null;
    readonly merchant_country: string;
  },
): PhoneMethods {
  const fitting = methods.filter(
    ({ minimum, maximum }) => link.amount_minor >= minimum && link.amount_minor <= maximum,
  );
  const here = link.country ?? link.merchant_country;
  const near = fitting.filter(({ country }) => country === here);
  const others = fitting.filter((method) => !near.includes(method));
  const countries = new Set(others.map(({ country }) => country));
  const far = Array.from(countries, (country): [string, readonly PaymentMethod[]] => [
    country,
    others.filter((method) => method.country === country),
  ]);
  return { near, far: new Map(far) };
}

export function allOf({ near, far }: PhoneMethods): readonly PaymentMethod[] {
  return [...near, ...Array.from(far.values()).flat()];
}

/** The page's script proposes an operator by the same rule (pay.js). */
export function readPhoneFields(fields: PhoneFields, offered: PhoneMethods): ReadPhone {
  const methods = allOf(offered);
  const chosen = methods.find(({ operator }) => operator === fields.operator);
  const home = offered.near.length === 0 ? methods : offered.near;
  const countries = chosen ? [chosen.country] : home.map(({ country }) => country);
  const numbers = numbersOf(fields.phone, callingCodes(methods, countries));
  if (numbers.length === 0) return { ok: false, fault: 'phone' };
  for (const phone of numbers) {
    const method = chosen ?? methods.find(({ prefixes }) => prefixes.some(isOf(phone)));
    if (!method) continue;
    if (method.state === 'closed') return { ok: false, fault: 'closed', method };
    return { ok: true, phone, method };
  }
  return { ok: false, fault: 'operator' };
}

/** One that is only a country's code is no operator's own. */
function isOf(phone: string): (prefix: string) => boolean {
  return (prefix) => prefix.length > CALLING_CODE && phone.startsWith(prefix);
}

/** What the text may mean: one without its country's code may be of any of these. */
function numbersOf(text: string, codes: readonly string[]): readonly string[] {
  const typed = cleanPhone(text).replace(/^00/, '+');
  const digits = typed.replaceAll(/\D/g, '');
  const is_whole = (code: string): boolean =>
    digits.length >= WITH_COUNTRY_CODE && digits.startsWith(code.slice(1));
  const is_short = digits.length < LEAST_DIGITS;
  const candidates = typed.startsWith('+')
    ? [typed]
    : (is_short ? [] : codes).map((code) => (is_whole(code) ? `+${typed}` : code + typed));
  return candidates.filter((one) => new RegExp(PHONE_PATTERN, 'u').test(one)).map(plainPhone);
}
