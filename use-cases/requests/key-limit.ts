// Refuses what is above the daily limit of the API key that ordered it. Nothing was written.

import type { KeyLimit } from '../../db/keys/daily-limits';
import { amountJson, formatAmount } from '../../domain/money';
import { Refusal } from '../../domain/refusal';
import { notBegun } from './failures';

/** With how the limit stands now. When that could not be read, the caller asks again: an earlier order may be under way. */
export function keyLimitExceeded(found: KeyLimit | undefined): Refusal {
  if (!found) return notBegun(true);
  const { currency, limit_minor, used_minor, resets_at } = found;
  const left = limit_minor > used_minor ? limit_minor - used_minor : 0n;
  const [maximum, remaining] = [amountJson(limit_minor), amountJson(left)];
  return new Refusal('limit_exceeded', {
    param: 'amount',
    message: `Within 24 hours ${formatAmount(limit_minor)} ${currency} may leave by this API key; ${formatAmount(left)} of it are left.`,
    details: {
      limit: 'key_daily',
      currency,
      maximum,
      used: amountJson(used_minor),
      remaining,
      resets_at,
    },
  });
}
