// The inbox: what gateways told us, kept before anything is done about it.

import type { Environment } from '../domain/environment';
import { isUuid } from '../domain/ids';
import type { StoredIntentStatus } from '../domain/intent';
import type { PaymentNotification } from '../domain/payment';
import { execute, type Db } from './connect';
import type { NotificationOutcome } from './intents';

export interface StoredNotification {
  readonly id: string;
  readonly is_new: boolean;
  /** Null while it waits to be applied. */
  readonly outcome: NotificationOutcome | null;
  /** Of the intent that it names; null when there is none. */
  readonly intent_id: string | null;
  readonly intent_status: StoredIntentStatus | null;
}

const STORE = {
  name: 'store_notification',
  text: `select id::text, is_new, outcome, intent_id, intent_status
           from store_notification($1, $2, $3, $4::jsonb, $5)`,
};

/** No intent's: a name that cannot be one of ours is still a name that does not fit. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Once per event of the gateway; the same event again changes nothing. */
export async function storeNotification(
  db: Db,
  gateway: string,
  notification: PaymentNotification,
  raw: Buffer,
): Promise<StoredNotification> {
  const { environment, event_id, intent_id } = notification;
  const named = intent_id === null || isUuid(intent_id) ? intent_id : NOBODY;
  const content = JSON.stringify({ ...notification, intent_id: named });
  const values = [gateway, environment, event_id, content, raw];
  const [row] = await execute<StoredNotification>(db, STORE, values);
  return row!;
}

export interface WaitingNotification {
  readonly id: string;
  readonly gateway: string;
  readonly environment: Environment;
  readonly intent_id: string | null;
  readonly intent_status: StoredIntentStatus | null;
}

/** Stored at least `older_than_ms` ago and not applied: a signal was lost, or nobody was there. */
export async function listWaitingNotifications(
  db: Db,
  older_than_ms: number,
  limit: number,
): Promise<WaitingNotification[]> {
  const text = `select n.id::text, n.gateway, n.environment, f.id as intent_id, f.status as intent_status
                  from gateway_notifications n
                  left join lateral find_notified_intent(n.gateway, n.environment,
                       (n.notification ->> 'intent_id')::uuid, n.notification ->> 'reference') f on true
                 where n.outcome is null
                   and n.received_at < clock_timestamp() - $1 * interval '1 millisecond'
                 order by n.received_at limit $2`;
  return execute(db, { name: 'list_waiting_notifications', text }, [older_than_ms, limit]);
}
