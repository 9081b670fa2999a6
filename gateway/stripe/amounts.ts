// Amounts as Stripe counts them: in a currency's smallest unit, and XOF has none below the franc
// (https://docs.stripe.com/currencies#zero-decimal). Ours are at scale 2 for every currency.

import { EXPONENTS, isCurrency, type Currency } from '../../domain/currency';
import { MAX_MINOR, SCALE, type Minor } from '../../domain/money';

/** "Up to eight digits", says Stripe's reference of every amount. */
export const MAX_UNITS = 99_999_999n;

/**
 * Stripe takes 0.50 USD or 0.50 EUR, "or the equivalent" of what the account is paid out in
 * (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). For XOF it names no
 * figure: 328 is 0.50 EUR at the fixed rate of 655.957, rounded up. Where an account is paid out in
 * another currency, Stripe may ask for somewhat more, and refuses the checkout then.
 */
export const MINIMUM = {
  EUR: 50n as Minor,
  USD: 50n as Minor,
  XOF: 328_00n as Minor,
} as const satisfies Record<Currency, Minor>;

/** Undefined when Stripe has no such amount: a part of its unit, nothing, or too much. */
export function toStripeUnits(amount: Minor, currency: Currency): number | undefined {
  const divisor = minorPerUnit(currency);
  const units = amount / divisor;
  if (amount % divisor !== 0n || units <= 0n || units > MAX_UNITS) return undefined;
  return Number(units);
}

/** Undefined when it is no amount of ours. */
export function fromStripeUnits(units: unknown, currency: Currency): Minor | undefined {
  if (!Number.isSafeInteger(units)) return undefined;
  const amount = BigInt(units as number) * minorPerUnit(currency);
  return amount > 0n && amount <= MAX_MINOR ? (amount as Minor) : undefined;
}

export interface StripeMoney {
  readonly amount_minor: string;
  readonly currency: Currency;
}

/** Both as they travel: minor units as text, and Stripe writes its currencies in lower case. */
export function readMoney(units: unknown, currency: unknown): StripeMoney | undefined {
  const code = typeof currency === 'string' ? currency.toUpperCase() : '';
  if (!isCurrency(code)) return undefined;
  const amount = fromStripeUnits(units, code);
  return amount === undefined ? undefined : { amount_minor: amount.toString(), currency: code };
}

function minorPerUnit(currency: Currency): bigint {
  return 10n ** BigInt(SCALE - EXPONENTS[currency]);
}
