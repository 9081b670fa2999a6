// The limit of what may leave an account by a key in 24 hours, and how much of it is used.

import type { Currency } from '../../domain/currency';
import { execute, type Db } from '../connect';

export interface KeyLimit {
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

/** Undefined: the key has no limit. */
export async function findKeyLimit(
  db: Db,
  key_id: string,
  currency: Currency,
): Promise<KeyLimit | undefined> {
  return (await execute<KeyLimit>(db, FIND, [key_id, currency]))[0];
}
