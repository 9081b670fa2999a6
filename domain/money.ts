// Exact money. Amounts are integers of minor units at scale 2 for every currency, read from the
// number's source text and never through a float: 0.29 * 100 is 28.999999999999996.

import { EXPONENTS, type Currency } from './currency';
import { Decimal } from './json';

export const SCALE = 2;

declare const minor: unique symbol;
/** An amount in minor units at scale 2, for XOF too: 5000 XOF is 500000n. */
export type Minor = bigint & { readonly [minor]: true };

/**
 * 15 digits: up to here every amount survives JSON text → double → text in the callers' clients;
 * of 16-digit amounts one in eight does not. The database holds the same bound.
 */
export const MAX_MINOR = 999_999_999_999_999n as Minor;

/** The price of several. It may be more than MAX_MINOR. */
export function timesQuantity(price: Minor, quantity: number): Minor {
  return (price * BigInt(quantity)) as Minor;
}

export type AmountFault = 'format' | 'too_precise' | 'zero' | 'too_large';
export type ParsedAmount =
  | { readonly ok: true; readonly amount: Minor }
  | { readonly ok: false; readonly fault: AmountFault };

// JSON's own grammar of plain decimals has no sign, exponent or leading zeros.
const PLAIN_DECIMAL = /^(0|[1-9]\d*)(?:\.(\d+))?$/;

/** The texts that a request may have as an amount: they are read as the numbers that look like them. */
export const AMOUNT_PATTERN = '^(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?$';

/** Reads the source text of a JSON number as a positive amount of `currency`. */
export function parseAmount(text: string, currency: Currency): ParsedAmount {
  // A longer text is beyond the bound: it is refused before BigInt has work to do.
  if (text.length > 64) return { ok: false, fault: 'too_large' };
  const match = PLAIN_DECIMAL.exec(text);
  if (!match) return { ok: false, fault: 'format' };
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > SCALE) return { ok: false, fault: 'too_precise' };
  if (EXPONENTS[currency] === 0 && /[1-9]/.test(fraction)) {
    return { ok: false, fault: 'too_precise' };
  }
  const amount = BigInt(whole + fraction.padEnd(SCALE, '0')) as Minor;
  if (amount === 0n) return { ok: false, fault: 'zero' };
  if (amount > MAX_MINOR) return { ok: false, fault: 'too_large' };
  return { ok: true, amount };
}

/** Writes an amount with exactly two decimals: 500000n → "5000.00". */
export function formatAmount(amount: bigint): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(SCALE + 1, '0');
  const sign = amount < 0n ? '-' : '';
  return `${sign}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
}

/** Makes the JSON number of responses, with two decimals literally in the bytes. */
export function amountJson(amount: bigint): Decimal {
  return new Decimal(formatAmount(amount));
}
