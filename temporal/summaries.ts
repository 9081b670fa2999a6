// How workflows read in Temporal's lists: the reference first, which operators look for, then the amount as people
// write it. Like arguments, summaries go through the payload codec (temporal/payload-codec.ts).

import { EXPONENTS, type Currency } from '../domain/currency';
import { formatAmount } from '../domain/money';

/** `85 000 XOF`, `1 234.50 EUR`. */
export function readableAmount(amount_minor: bigint | string, currency: Currency): string {
  const [whole = '', cents = ''] = formatAmount(BigInt(amount_minor)).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ' ');
  return `${grouped}${EXPONENTS[currency] === 0 ? '' : `.${cents}`} ${currency}`;
}

/** Nothing unknown is shown. */
export const summaryOf = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null).join(' · ');
