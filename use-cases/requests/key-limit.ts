// Refuses what is above the daily limit of the API key that ordered it. Nothing was written.

import type { Db } from '../../db/connect';
import { findKeyLimit } from '../../db/keys/daily-limits';
import type { Currency } from '../../domain/currency';
import { formatAmount } from '../../domain/money';
import { Refusal } from '../../domain/refusal';

/** With how the limit stands now; without, when that cannot be read: it is refused all the same. */
export async function keyLimitExceeded(
  db: Db,
  limited_key: string | null | undefined,
  currency: Currency,
): Promise<Refusal> {
  const found =
    limited_key && (await findKeyLimit(db, limited_key, currency).catch(() => undefined));
  if (!found) return new Refusal('limit_exceeded', { param: 'amount' });
  const { limit_minor, used_minor, resets_at } = found;
  const left = limit_minor > used_minor ? limit_minor - used_minor : 0n;
  const [maximum, remaining] = [formatAmount(limit_minor), formatAmount(left)];
  return new Refusal('limit_exceeded', {
    param: 'amount',
    message: `Within 24 hours ${maximum} ${currency} may leave by this API key; ${remaining} of it are left.`,
    details: {
      limit: 'key_daily',
      currency,
      maximum,
      used: formatAmount(used_minor),
      remaining,
      resets_at,
    },
  });
}
