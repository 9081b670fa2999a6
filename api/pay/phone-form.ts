// The form to pay by phone: the number, as people write it at home, and the operator, which the number proposes.

import { CALLING_CODE, callingCodes, type PaymentMethod } from '../../domain/payment-attempt';
import { readPhone, type PhoneFault } from '../../domain/phone';

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
  | ({ readonly ok: false } & PhoneFault)
  | { readonly ok: false; readonly fault: 'operator' }
  | { readonly ok: false; readonly fault: 'closed'; readonly method: PaymentMethod };

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
  const codes = callingCodes(methods, countries);
  // One without its country's code may be of any of these.
  const homes = codes.length === 1 ? codes : [...codes, undefined];
  const reads = homes.map((code) => readPhone(fields.phone, code));
  const numbers = reads.filter((read) => read.ok);
  const last = reads.at(-1)!;
  if (numbers.length === 0 && !last.ok) {
    const is_long = last.fault === 'length' && last.missing < 0;
    return is_long && !chosen && isOfAnother(fields.phone, methods)
      ? { ok: false, fault: 'operator' }
      : last;
  }
  for (const { phone } of numbers) {
    const method = chosen ?? methods.find(({ prefixes }) => prefixes.some(isOf(phone)));
    if (!method) continue;
    if (method.state === 'closed') return { ok: false, fault: 'closed', method };
    return { ok: true, phone, method };
  }
  return { ok: false, fault: 'operator' };
}

/** Whether it is a number of another country without its code: the operator has to be chosen. */
function isOfAnother(text: string, methods: readonly PaymentMethod[]): boolean {
  return methods.some(({ country, prefixes }) =>
    callingCodes(methods, [country]).some((code) => {
      const read = readPhone(text, code);
      return read.ok && prefixes.some(isOf(read.phone));
    }),
  );
}

/** One that is only a country's code is no operator's own. */
function isOf(phone: string): (prefix: string) => boolean {
  return (prefix) => prefix.length > CALLING_CODE && phone.startsWith(prefix);
}
