// The limit of what may leave an account by a key in 24 hours, and how much of it is used.

import type { Currency } from '../../domain/currency';
import { execute, type Db, type Tx } from '../connect';

export interface KeyLimit {
  readonly currency: Currency;
  readonly limit_minor: bigint;
  readonly used_minor: bigint;
  /** When all that counts now has stopped counting; null: nothing does. */
  readonly resets_at: string | null;
}

const FIND = {
  name: 'key_limit',
  text: `select l.limit_minor, l.used_minor,
                (select max(s.minute) + interval '24 hours 1 minute' from key_spending s
                  where s.key_id = l.first_key and s.currency = $2 and l.used_minor > 0) as resets_at
           from key_limit($1, $2, clock_timestamp()) l where l.limit_minor is not null`,
};

/** Undefined: the key has no limit, or it cannot be read now. */
export async function findKeyLimit(
  db: Db | Tx,
  key_id: string | null | undefined,
  currency: Currency | undefined,
): Promise<KeyLimit | undefined> {
  if (!key_id || !currency) return undefined;
  type Row = Omit<KeyLimit, 'currency'>;
  // The order was refused by the limit, however it stands now.
  const [row] = await execute<Row>(db, FIND, [key_id, currency]).catch((): Row[] => []);
  return row && { currency, ...row };
}
