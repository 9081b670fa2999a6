// Applies what gateways reported, and hands over again what was stored and not applied.

import type { Db } from '../db/connect';
import { listOverdueIntents, type IntentToRun } from '../db/intents';
import { applyNotification, listWaitingNotifications } from '../db/notifications';
import type { StoredIntentStatus } from '../domain/intent';
import type { DeliverNotification } from '../temporal/notifications';
import type { EndpointWaker } from '../temporal/webhook-endpoints';
import { withHeartbeats } from './heartbeats';

export interface NotificationActivityDependencies {
  readonly db: Db;
  readonly pay_url_base: string;
  readonly deliverNotification: DeliverNotification;
  /** Starts an intent's workflow unless it runs. True when it did not run. */
  readonly startIntent: (intent: IntentToRun) => Promise<boolean>;
  /** Called after the commit that made an event. */
  readonly waker: EndpointWaker;
}

/** How long a signal may take before the sweeper believes that it was lost. */
const SIGNAL_WITHIN_MS = 5_000;
/** An intent whose gateway responds has expired by then. */
const EXPIRED_WITHIN_MS = 60_000;
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
     * Temporal's data. Returns how many there were of both.
     */
    async sweepNotifications(): Promise<number> {
      const waiting = await listWaitingNotifications(db, SIGNAL_WITHIN_MS, SWEEP_BATCH);
      for (const notification of waiting) await dependencies.deliverNotification(notification);
      const overdue = await listOverdueIntents(db, EXPIRED_WITHIN_MS, SWEEP_BATCH);
      const started = await Promise.all(overdue.map(dependencies.startIntent));
      return waiting.length + started.filter(Boolean).length;
    },
  });
}

export type NotificationActivities = ReturnType<typeof createNotificationActivities>;
