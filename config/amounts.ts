// Limits in money: one setting for each currency.

import { CURRENCIES, type Currency } from '../domain/currency';
import { parseAmount, type Minor } from '../domain/money';
import type { ProcessEnvironment } from './schema';

/** The default in production: about what a shop turns over in a good week. */
const APPROVAL_ABOVE = { XOF: '1000000', EUR: '1500', USD: '1500' } as const;

export interface Amounts {
  readonly max_transfer: Readonly<Record<Currency, Minor>>;
  readonly max_payment: Readonly<Record<Currency, Minor>>;
  /** More than this needs a second operator; null: nothing does. For `migrate`. */
  readonly approval_above: Readonly<Record<Currency, Minor | null>>;
}

/** Adds to `faults` what is no amount. */
export function readAmounts(settings: ProcessEnvironment, faults: string[]): Amounts {
  const read = <Value extends Minor | null>(
    limit: 'MAX_TRANSFER' | 'MAX_PAYMENT' | 'APPROVAL_ABOVE',
    valueOf: (text: string) => Value | undefined = () => undefined,
  ): Readonly<Record<Currency, Value>> => {
    const values = CURRENCIES.map((currency) => {
      const usual = settings.NODE_ENV === 'production' ? APPROVAL_ABOVE[currency] : 'off';
      const text = settings[`${limit}_${currency}`] ?? usual;
      const parsed = parseAmount(text, currency);
      const value = parsed.ok ? parsed.amount : valueOf(text);
      if (value === undefined && !parsed.ok) {
        faults.push(`${limit}_${currency} is not a valid amount of ${currency} (${parsed.fault})`);
      }
      return [currency, value];
    });
    return Object.freeze(Object.fromEntries(values)) as Readonly<Record<Currency, Value>>;
  };
  return {
    max_transfer: read('MAX_TRANSFER'),
    max_payment: read('MAX_PAYMENT'),
    approval_above: read('APPROVAL_ABOVE', approvalOf),
  };
}

/** Two values are no amount of money: nothing needs a second operator, or everything does. */
function approvalOf(text: string): Minor | null | undefined {
  if (text === 'off') return null;
  return Number(text) === 0 ? (0n as Minor) : undefined;
}
