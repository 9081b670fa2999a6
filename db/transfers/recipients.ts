// How many usernames without an account a sender may name in an hour
// (docs/decisions/transfers.md). They are counted before anything is posted, and the
// posting knows nothing of it.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { createLimit } from '../../domain/limit';
import { callValue, execute, lookUpBatched, type Db } from '../connect';

export interface NamingAccount {
  readonly user_id: string;
  readonly environment: Environment;
}

/** Present when the account orders one transfer, which pays whom it names. */
export interface Payment {
  readonly currency: Currency;
  readonly amount_minor: string;
}

const MAY_NAME = {
  name: 'may_name_recipient',
  text: `select q.position::integer, exists (select from users r where r.username = q.name)
           and u.unknown_recipients_per_hour > (
                 select count(*) from unknown_recipients t
                  where t.user_id = u.id and t.environment = q.environment
                    and t.tried_at > clock_timestamp() - interval '1 hour') as may
           from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality
                as q (user_id, environment, name, position)
           join users u on u.id = q.user_id`,
};

// An account's orders wait for each other in the database. Here they wait without a connection of the pool, of
// which all accounts together take this many.
const COUNTING = createLimit({ at_once: 4, each: 1 });

/** Undefined: the account may name them. Otherwise in how many seconds it may name others. */
export async function waitBeforeNaming(
  db: Db,
  { user_id, environment }: NamingAccount,
  names: readonly string[],
  payment?: Payment,
): Promise<number | undefined> {
  if (names.length === 1) {
    const values = [user_id, environment, names[0]];
    const [row] = await lookUpBatched<{ may: boolean }>(db, MAY_NAME, values);
    if (row?.may) return undefined;
  }
  const values = [user_id, environment, names, payment?.currency, payment?.amount_minor];
  const seconds = await COUNTING.run(
    () => callValue<number | null>(db, 'count_unknown_recipients', values),
    user_id,
  );
  return seconds ?? undefined;
}

const REACHED = {
  name: 'wait_for_unknown_recipients',
  text: `select greatest(1, ceil(extract(epoch from t.tried_at + interval '1 hour' - clock_timestamp())))::integer
                as seconds
           from users u
          cross join lateral (
            select x.tried_at from unknown_recipients x
             where x.user_id = u.id and x.environment = $2 and x.tried_at > clock_timestamp() - interval '1 hour'
             order by x.tried_at desc offset u.unknown_recipients_per_hour - 1 limit 1) t
          where u.id = $1`,
};

/** The seconds until the account may be told again who exists; undefined: it may be told now. */
export async function waitForUnknown(
  db: Db,
  { user_id, environment }: NamingAccount,
): Promise<number | undefined> {
  return (await execute<{ seconds: number }>(db, REACHED, [user_id, environment]))[0]?.seconds;
}

const TOLD = {
  name: 'list_counted_recipients',
  text: `select (n.position - 1)::integer as index
           from unnest($3::text[]) with ordinality n (name, position)
           join unknown_recipients t
             on t.user_id = $1 and t.environment = $2 and t.name_hash = hashtextextended(n.name, 0)
          order by n.position limit $4`,
};

/** Returns the places of the first names that the account was told no user has. */
export async function listCounted(
  db: Db,
  { user_id, environment }: NamingAccount,
  names: readonly string[],
  limit: number,
): Promise<number[]> {
  const rows = await execute<{ index: number }>(db, TOLD, [user_id, environment, names, limit]);
  return rows.map(({ index }) => index);
}
