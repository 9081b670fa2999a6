// Giving money back, whole or in parts: the fields of a refund and of a reversal.

import type { Currency } from '../domain/currency';
import type { Minor } from '../domain/money';
import { CURRENCY_LABELS } from '../pages/formats';
import { typedAmount } from '../pages/amounts';
import type { MemberVisit } from './context';
import type { Shapes } from './form-fields';

/** The payment or transfer that is given back. */
interface Given {
  readonly currency: Currency;
  readonly whole: Minor;
  readonly left: Minor;
}

export function giveBackShapes(
  { ctx }: MemberVisit,
  words: Readonly<Record<'amount' | 'reason' | 'reason_hint', string>>,
  { currency, whole, left }: Given,
): Shapes {
  return {
    amount: {
      label: `${words.amount} · ${CURRENCY_LABELS[currency]}`,
      value: typedAmount(left, currency),
      currency,
      // Less may be left by now, because this very form has been sent before: the database decides.
      most: ctx.method === 'POST' ? whole : left,
    },
    reason: { label: words.reason, hint: words.reason_hint },
  };
}
