// Refuses what is above the daily limit of the API key that ordered it. Nothing was written.

import type { Db } from '../../db/connect';
import { findKeyLimit } from '../../db/keys/daily-limits';
import type { Currency } from '../../domain/currency';
import { amountJson, formatAmount } from '../../domain/money';
import { Refusal } from '../../domain/refusal';
import { nothingChanged } from './failures';

/** With how the limit stands now. When that cannot be read, the caller asks again. */
export async function keyLimitExceeded(
  db: Db,
  limited_key: string | null | undefined,
  currency: Currency,
): Promise<Refusal> {
  const found =
    limited_key && (await findKeyLimit(db, limited_key, currency).catch(() => undefined));
  if (!found) return nothingChanged();
  const { limit_minor, used_minor, resets_at } = found;
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
