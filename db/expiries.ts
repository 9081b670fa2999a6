// Intents that have expired, many at a time: what is due in an environment, and its end in one statement.

import { randomUUID } from 'node:crypto';
import type { Environment } from '../domain/environment';
import { renderEventTemplate } from '../domain/event';
import { isRunning, type IntentView } from '../domain/intent';
import { execute, isDone, type Db } from './connect';
import type { Waking } from './events';
import { STORED_INTENT, type StoredIntent } from './intents';

const TAKE_LEASE = {
  name: 'take_expiry_lease',
  text: 'select take_expiry_lease($1, $2, $3) as done',
};

/** True when `holder` may sweep the environment for `lease_ms` from now on: of all processes one may. */
export async function takeExpiryLease(
  db: Db,
  environment: Environment,
  holder: string,
  lease_ms: number,
): Promise<boolean> {
  return isDone(db, TAKE_LEASE, [environment, holder, lease_ms]);
}

/** Among so many that are due for longest, the accounts take turns. */
const TURNS_AMONG = 5_000;

const LIST_DUE = {
  name: 'list_due_intents',
  text: `with due as materialized (
           select v.id, v.user_id, v.expires_at from payment_intents v
            where v.environment = $1 and v.status in ('open', 'processing')
              and v.next_check_at is null
              and v.expires_at < now() - $2 * interval '1 millisecond'
            order by v.expires_at limit ${TURNS_AMONG}
         ), chosen as materialized (
           select d.id from (select due.*, row_number() over (partition by due.user_id
                                      order by due.expires_at, due.id) as turn from due) d
            order by d.turn, d.expires_at limit $3
         )
         ${STORED_INTENT} where v.id in (select c.id from chosen c)`,
};

/**
 * Intents that should have ended `overdue_ms` ago and that no sweep has left to their workflow. Of each
 * account the first, then of each the second, and so on: one that lets thousands expire holds up nobody.
 */
export async function listDueIntents(
  db: Db,
  environment: Environment,
  { overdue_ms, limit }: { readonly overdue_ms: number; readonly limit: number },
): Promise<StoredIntent[]> {
  return execute(db, LIST_DUE, [environment, overdue_ms, limit]);
}

const EXPIRE = {
  name: 'expire_intents',
  text: 'select intent as id, wake from expire_intents($1, $2, $3, $4)',
};

export interface Expired extends Waking {
  readonly id: string;
}

/**
 * Ends those that are still as they were read, in one statement that waits for nobody. Returns those that
 * it has ended.
 */
export async function expireIntents(
  db: Db,
  intents: readonly StoredIntent[],
  pay_url_base: string,
): Promise<Expired[]> {
  const open = intents.filter(({ status }) => isRunning(status) && status !== 'creating');
  const event_ids = open.map(() => randomUUID());
  const templates = open.map((intent, n) =>
    // Once it is open it has all that callers see of it.
    renderEventTemplate(event_ids[n]!, intent as IntentView, { status: 'expired' }, pay_url_base),
  );
  const ids = open.map(({ id }) => id);
  const versions = open.map(({ row_version }) => row_version);
  return execute(db, EXPIRE, [ids, versions, event_ids, templates]);
}

const LEAVE = { name: 'leave_expired_intents', text: 'select leave_expired_intents($1)' };

/** No sweep comes back to them: their workflows end them. */
export async function leaveExpiredIntents(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await execute(db, LEAVE, [ids]);
}
