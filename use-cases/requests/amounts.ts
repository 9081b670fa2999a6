// Reads a request's amount from its source text, which a float would change.

import type { Currency } from '../../domain/currency';
import { formatAmount, parseAmount, type Minor } from '../../domain/money';
import { invalidRequest, type Refusal } from '../../domain/refusal';

export const AMOUNT_FAULTS = {
  format: 'must be a plain decimal number, without a sign or an exponent',
  too_precise: 'has more decimals than its currency allows',
  zero: 'must be more than zero',
  too_large: 'is too large',
} as const;

/** @throws Refusal invalid_request */
export function readAmount(text: string, currency: Currency, maximum: Minor): Minor {
  const parsed = parseAmount(text, currency);
  if (!parsed.ok) throw invalidAmount(`amount ${AMOUNT_FAULTS[parsed.fault]}.`);
  if (parsed.amount > maximum) {
    throw invalidAmount(`amount must be at most ${formatAmount(maximum)} ${currency}.`);
  }
  return parsed.amount;
}

export function invalidAmount(message: string): Refusal {
  return invalidRequest('amount', message);
}
