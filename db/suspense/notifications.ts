// The inbox of gateway notifications: each is stored before it is applied, and applied exactly once.

import type { Environment } from '../../domain/environment';
import type { IntentEnd } from '../../domain/event';
import { isUuid, NIL_UUID } from '../../domain/ids';
import type { StoredIntentStatus } from '../../domain/intent';
import type { PaymentNotification } from '../../domain/payment';
import type { Heard } from '../../domain/risk';
import { call, execute, type Db } from '../connect';
import { failUnknown } from '../unknown-row';

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
  /** `unasked`: nothing was written, and others are to be asked about the payment first. */
  readonly outcome: NotificationOutcome | 'unasked';
  /** Null when it names no intent. */
  readonly intent_id: string | null;
  readonly status: StoredIntentStatus | null;
}

const APPLY = {
  name: 'apply_stored_notification',
  text: `select a.outcome, a.intent_id, a.status, a.has_ended, n.environment
           from gateway_notifications n
          cross join lateral apply_stored_notification(n.id, $2, $3::jsonb) a where n.id = $1`,
};

/** How often a wallet may fill up while a payment into it waits for its locks. */
const MAX_TRIES = 10;

/**
 * Applies a notification exactly once; a retry returns the first outcome. It is one statement: no
 * caller waits for this process while it holds the lock of an account.
 * @throws UnknownRowError
 */
export async function applyNotification(
  db: Db,
  notification_id: string,
  pay_url_base: string,
  /** Called when this call, and none before it, has ended the intent. */
  onEnd: (environment: Environment, status: IntentEnd) => void = () => undefined,
  heard?: Heard,
): Promise<Applied> {
  const values = [
    notification_id,
    pay_url_base,
    heard === undefined ? null : JSON.stringify(heard),
  ];
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const [row] = await execute<AppliedRow>(db, APPLY, values);
    if (!row) return failUnknown(db, 'notification', notification_id);
    const { outcome, has_ended, environment, ...rest } = row;
    if (outcome === null) continue;
    if (has_ended) onEnd(environment, outcome as IntentEnd);
    return { outcome, ...rest };
  }
  throw new Error(`the wallet of notification ${notification_id} changes too often`);
}

interface AppliedRow extends Omit<Applied, 'outcome'> {
  /** Null: to be tried again. */
  readonly outcome: Applied['outcome'] | null;
  readonly has_ended: boolean;
  readonly environment: Environment;
}

export interface WaitingNotification {
  readonly id: string;
  readonly gateway: string;
  readonly environment: Environment;
  readonly intent_id: string | null;
  readonly intent_status: StoredIntentStatus | null;
}

export interface ClaimedNotification extends WaitingNotification {
  /** The time since it was stored. */
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

/** Operators see it beside the notification that waits. */
export async function noteNotificationError(db: Db, id: string, error: string): Promise<void> {
  await call(db, 'note_notification_error', [id, error]);
}
