// The inbox of gateway notifications: each is stored before it is applied, and applied exactly once.

import type { Environment } from '../domain/environment';
import { isUuid, NIL_UUID } from '../domain/ids';
import type { StoredIntentStatus } from '../domain/intent';
import type { PaymentNotification } from '../domain/payment';
import { execute, type Db } from './connect';
import { addIntentEvent, type IntentChange, type Waking } from './events';

export type NotificationOutcome =
  | 'succeeded'
  | 'failed'
  | 'attempt_failed'
  | 'processing'
  | 'suspense'
  | 'duplicate'
  | 'stale'
  | 'mismatch'
  | 'unknown_intent';

export interface StoredNotification {
  readonly id: string;
  readonly is_new: boolean;
  /** Null while it waits to be applied. */
  readonly outcome: NotificationOutcome | null;
  /** The intent that it names; null when there is none. */
  readonly intent_id: string | null;
  readonly intent_status: StoredIntentStatus | null;
}

const STORE = {
  name: 'store_notification',
  text: `select id::text, is_new, outcome, intent_id, intent_status
           from store_notification($1, $2, $3, $4::jsonb, $5)`,
};

/** Stores each event of the gateway once; the same event again changes nothing. */
export async function storeNotification(
  db: Db,
  gateway: string,
  notification: PaymentNotification,
  raw: Buffer,
): Promise<StoredNotification> {
  const { environment, event_id, intent_id } = notification;
  // An id that cannot be one of ours must still match no intent: no intent has the nil UUID.
  const named = intent_id === null || isUuid(intent_id) ? intent_id : NIL_UUID;
  const content = JSON.stringify({ ...notification, intent_id: named });
  const values = [gateway, environment, event_id, content, raw];
  const [row] = await execute<StoredNotification>(db, STORE, values);
  return row!;
}

export interface Applied {
  readonly outcome: NotificationOutcome;
  /** Null when it names no intent. */
  readonly intent_id: string | null;
  readonly status: StoredIntentStatus | null;
}

const APPLY = {
  name: 'apply_notification',
  text: 'select outcome, intent_id, status, event_id, event_sequence from apply_notification($1)',
};

/** Applies a notification exactly once; a retry returns the first outcome. */
export async function applyNotification(
  db: Db,
  notification_id: string,
  pay_url_base: string,
): Promise<Applied & Waking> {
  return db.transaction(async (tx) => {
    const [row] = await execute<Applied & IntentChange>(tx, APPLY, [notification_id]);
    const { outcome, intent_id, status } = row!;
    const wake = intent_id === null ? [] : await addIntentEvent(tx, intent_id, row!, pay_url_base);
    return { outcome, intent_id, status, wake };
  });
}

export interface WaitingNotification {
  readonly id: string;
  readonly gateway: string;
  readonly environment: Environment;
  readonly intent_id: string | null;
  readonly intent_status: StoredIntentStatus | null;
}

/** Stored at least `older_than_ms` ago and not applied: a signal was lost, or no worker ran. */
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
