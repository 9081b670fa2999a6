// Refuses what is above a limit of an account. Nothing was written, and the key stays free.

import type { Currency } from '../../domain/currency';
import type { ExceededLimit, RecipientLimit } from '../../domain/limits';
import { amountJson, formatAmount } from '../../domain/money';
import { Refusal } from '../../domain/refusal';

/** The account's own, of its operator or of its owners, or that of the recipient, of which no figure is told. */
export function limitExceeded(
  over: ExceededLimit<string> | RecipientLimit,
  currency: Currency,
): Refusal {
  const limit = over.limit_name;
  if (!('maximum_minor' in over)) {
    return new Refusal('limit_exceeded', {
      param: 'amount',
      message: "This is above a limit of the recipient's wallet. Send less, or ask the recipient.",
      details: { limit, currency },
    });
  }
  const [maximum, used] = [BigInt(over.maximum_minor), BigInt(over.used_minor)];
  // A limit that was lowered may be less than what is used.
  const left = maximum > used ? maximum - used : 0n;
  return new Refusal('limit_exceeded', {
    param: 'amount',
    message: `This is above the limit ${limit} of ${formatAmount(maximum)} ${currency}; ${formatAmount(used)} of it are used.`,
    details: {
      limit,
      currency,
      maximum: amountJson(maximum),
      used: amountJson(used),
      remaining: amountJson(left),
      resets_at: over.resets_at,
    },
  });
}
