// What may leave an account by a key in 24 hours, and how much of it has.

import type { Currency } from '../../domain/currency';
import { execute, type Db } from '../connect';

export interface KeyLimit {
  readonly limit_minor: bigint;
  readonly used_minor: bigint;
}

const FIND = {
  name: 'key_limit',
  text: `select limit_minor, used_minor from key_limit($1, $2, clock_timestamp())
          where limit_minor is not null`,
};

/** Undefined: the key has no limit of this currency. */
export async function findKeyLimit(
  db: Db,
  key_id: string,
  currency: Currency,
): Promise<KeyLimit | undefined> {
  return (await execute<KeyLimit>(db, FIND, [key_id, currency]))[0];
}
