// Stripe's amounts: in the currency's smallest unit, which for XOF is the franc
// (https://docs.stripe.com/currencies#zero-decimal). Ours have scale 2 for every currency.

import { EXPONENTS, isCurrency, type Currency } from '../../domain/currency';
import { MAX_MINOR, SCALE, type Minor } from '../../domain/money';

/** Stripe's API reference: every amount has "up to eight digits". */
export const MAX_UNITS = 99_999_999n;

/**
 * Stripe's minimum is 0.50 USD or 0.50 EUR, or the equivalent in the account's payout currency
 * (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). It documents none for
 * XOF: 328 is 0.50 EUR at the fixed rate of 655.957, rounded up. For an account with another payout
 * currency the minimum may be somewhat higher, and Stripe then refuses the checkout.
 */
export const MINIMUM = {
  EUR: 50n as Minor,
  USD: 50n as Minor,
  XOF: 328_00n as Minor,
} as const satisfies Record<Currency, Minor>;

/** Returns undefined when Stripe cannot express the amount: not whole units, zero, or too large. */
export function toStripeUnits(amount: Minor, currency: Currency): number | undefined {
  const divisor = minorPerUnit(currency);
  const units = amount / divisor;
  if (amount % divisor !== 0n || units <= 0n || units > MAX_UNITS) return undefined;
  return Number(units);
}

/** Returns undefined for a value that is no valid amount. */
export function fromStripeUnits(units: unknown, currency: Currency): Minor | undefined {
  if (!Number.isSafeInteger(units)) return undefined;
  const amount = BigInt(units as number) * minorPerUnit(currency);
  return amount > 0n && amount <= MAX_MINOR ? (amount as Minor) : undefined;
}

export interface StripeMoney {
  readonly amount_minor: string;
  readonly currency: Currency;
}

/** Turns Stripe's units and lower-case currency into minor units as text and our currency. */
export function readMoney(units: unknown, currency: unknown): StripeMoney | undefined {
  const code = typeof currency === 'string' ? currency.toUpperCase() : '';
  if (!isCurrency(code)) return undefined;
  const amount = fromStripeUnits(units, code);
  return amount === undefined ? undefined : { amount_minor: amount.toString(), currency: code };
}

function minorPerUnit(currency: Currency): bigint {
  return 10n ** BigInt(SCALE - EXPONENTS[currency]);
}
