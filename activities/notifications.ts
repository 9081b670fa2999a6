// Applies what gateways reported, and hands over again what was stored and not applied.

import type { Db } from '../db/connect';
import { listOverdueIntents, type IntentToRun } from '../db/intents';
import { applyNotification, listWaitingNotifications } from '../db/notifications';
import { listStalledRefunds } from '../db/suspense';
import type { StoredIntentStatus } from '../domain/intent';
import type { DeliverNotification } from '../temporal/notifications';
import type { WakeRefund } from '../temporal/suspense';
import type { EndpointWaker } from '../temporal/webhook-endpoints';
import { withHeartbeats } from './heartbeats';

export interface NotificationActivityDependencies {
  readonly db: Db;
  readonly pay_url_base: string;
  readonly deliverNotification: DeliverNotification;
  readonly wakeRefund: WakeRefund;
  /** Starts an intent's workflow unless it runs. True when it did not run. */
  readonly startIntent: (intent: IntentToRun) => Promise<boolean>;
  /** Called after the commit that made an event. */
  readonly waker: EndpointWaker;
}

/** How long a signal may take before the sweeper believes that it was lost. */
const SIGNAL_WITHIN_MS = 5_000;
/** An intent whose gateway responds has expired by then. */
const EXPIRED_WITHIN_MS = 60_000;
/** The workflow of a refund asks at least once an hour. */
const REFUND_ASKED_WITHIN = { ordered_ms: 120_000, pending_ms: 7_200_000, notified_ms: 5_000 };
const SWEEP_BATCH = 500;

export function createNotificationActivities(dependencies: NotificationActivityDependencies) {
  const { db, pay_url_base, waker } = dependencies;
  return withHeartbeats({
    async applyNotification(notification_id: string): Promise<StoredIntentStatus | null> {
      const { status, wake } = await applyNotification(db, notification_id, pay_url_base);
      waker.wake(wake);
      return status;
    },

    /**
     * Hands over again what was stored and not applied, and starts workflows again that were lost with
     * Temporal's data: of intents, and of refunds. Returns how many there were of all.
     */
    async sweepNotifications(): Promise<number> {
      const waiting = await listWaitingNotifications(db, SIGNAL_WITHIN_MS, SWEEP_BATCH);
      for (const notification of waiting) await dependencies.deliverNotification(notification);
      const overdue = await listOverdueIntents(db, EXPIRED_WITHIN_MS, SWEEP_BATCH);
      const started = await Promise.all(overdue.map(dependencies.startIntent));
      const stalled = await listStalledRefunds(db, REFUND_ASKED_WITHIN, SWEEP_BATCH);
      for (const item_id of stalled) await dependencies.wakeRefund(item_id);
      return waiting.length + started.filter(Boolean).length + stalled.length;
    },
  });
}

export type NotificationActivities = ReturnType<typeof createNotificationActivities>;
