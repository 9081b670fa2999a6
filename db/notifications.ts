// The inbox of gateway notifications: each is stored before it is applied, and applied exactly once.

import { randomUUID } from 'node:crypto';
import type { Environment } from '../domain/environment';
import { renderEventTemplate, type IntentEnd } from '../domain/event';
import { isUuid, NIL_UUID } from '../domain/ids';
import type { IntentView, StoredIntentStatus } from '../domain/intent';
import type { PaymentFailure, PaymentNotification } from '../domain/payment';
import { execute, lookUp, type Db } from './connect';
import type { Waking } from './events';
import { INTENT_VIEW_COLUMNS, MAX_READS } from './intent-views';
import { failUnknown } from './unknown-row';

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

// Read before anything is locked: what the event is rendered from, and the version of the row that it is.
const READ = {
  name: 'read_notification',
  text: `select n.outcome, n.notification ->> 'type' as type, n.notification -> 'failure' as failure,
                coalesce((n.notification ->> 'final')::boolean, false) as final,
                v.xmin::text as row_version, ${INTENT_VIEW_COLUMNS}
           from gateway_notifications n
           left join lateral find_notified_intent(n.gateway, n.environment,
                (n.notification ->> 'intent_id')::uuid, n.notification ->> 'reference') f on true
           left join payment_intents v on v.id = f.id and v.status <> 'creating'
          where n.id = $1`,
};

type NotificationToApply = {
  readonly outcome: NotificationOutcome | null;
  readonly type: PaymentNotification['type'];
  readonly failure: PaymentFailure | null;
  readonly final: boolean;
} & (
  | { readonly id: null; readonly status: null; readonly row_version: null }
  | (IntentView & { readonly row_version: string })
);

const APPLY = {
  name: 'apply_stored_notification',
  text: 'select outcome, intent_id, status, wake from apply_stored_notification($1, $2, $3, $4, $5)',
};

/**
 * Applies a notification exactly once; a retry returns the first outcome. The event is rendered before, and
 * everything else is one statement: nobody waits for this process while it holds the lock of an account.
 * @throws UnknownRowError
 */
export async function applyNotification(
  db: Db,
  notification_id: string,
  pay_url_base: string,
  /** Called when this call, and none before it, has ended the intent. */
  onEnd: (environment: Environment, status: IntentEnd['status']) => void = () => undefined,
): Promise<Applied & Waking> {
  for (let read = 1; read <= MAX_READS; read += 1) {
    const [found] = await lookUp<NotificationToApply>(db, READ, [notification_id]);
    if (!found) return failUnknown(db, 'notification', notification_id);
    const { outcome, id, status } = found;
    if (outcome !== null) return { outcome, intent_id: id, status, wake: [] };
    const [event_id, transaction_id] = [randomUUID(), randomUUID()];
    const end = endOf(found, transaction_id);
    const template =
      found.id !== null && end ? renderEventTemplate(event_id, found, end, pay_url_base) : null;
    const values = [notification_id, found.row_version, event_id, transaction_id, template];
    const [applied] = await execute<Applied & Waking>(db, APPLY, values);
    // Null: the intent has changed since it was read.
    if (applied!.outcome === null) continue;
    if (found.id !== null && end?.status === applied!.outcome) onEnd(found.environment, end.status);
    return applied!;
  }
  throw new Error(`the intent of notification ${notification_id} changes too often`);
}

/** How its intent ends, if the notification ends it. */
function endOf(
  { type, final, failure }: NotificationToApply,
  transaction_id: string,
): IntentEnd | undefined {
  if (type === 'payment.succeeded') return { status: 'succeeded', transaction_id };
  if (type === 'payment.failed' && final) return { status: 'failed', last_payment_error: failure };
  return undefined;
}

export interface WaitingNotification {
  readonly id: string;
  readonly gateway: string;
  readonly environment: Environment;
  readonly intent_id: string | null;
  readonly intent_status: StoredIntentStatus | null;
}

export interface ClaimedNotification extends WaitingNotification {
  /** Since it was stored. */
  readonly age_ms: number;
}

const CLAIM_WAITING = {
  name: 'claim_waiting_notifications',
  text: `select id::text, gateway, environment, intent_id, intent_status, age_ms
           from claim_waiting_notifications($1, $2)`,
};

/**
 * Stored at least `older_than_ms` ago and not applied: a signal was lost, or no worker ran. Each is
 * returned to one caller only, and again after a pause that doubles, from ten seconds to ten minutes.
 */
export async function claimWaitingNotifications(
  db: Db,
  older_than_ms: number,
  limit: number,
): Promise<ClaimedNotification[]> {
  return execute(db, CLAIM_WAITING, [older_than_ms, limit]);
}

const NOTE_ERROR = {
  name: 'note_notification_error',
  text: 'select note_notification_error($1, $2)',
};

/** Operators see it beside the notification that waits. */
export async function noteNotificationError(db: Db, id: string, error: string): Promise<void> {
  await execute(db, NOTE_ERROR, [id, error]);
}
