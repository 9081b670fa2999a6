// Applies what gateways reported.

import { isDatabaseUnavailable } from '../db/errors';
import { noteNotificationError } from '../db/suspense/notifications';
import { isNotificationId } from '../domain/ids';
import type { StoredIntentStatus } from '../domain/intent';
import type { Metrics } from '../telemetry/metrics';
import { applyHeard, type ApplyingDependencies } from '../use-cases/risk/payments';
import { withHeartbeats } from './heartbeats';
import { refuseMessage } from './refused-messages';
import { isUnknown } from './rows';

export interface NotificationActivityDependencies extends ApplyingDependencies {
  readonly metrics: Pick<Metrics, 'countIntentEnd'>;
  /** Tells operators what went wrong. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export function createNotificationActivities(dependencies: NotificationActivityDependencies) {
  const { db, metrics, log } = dependencies;
  return withHeartbeats({
    /**
     * Null when there is no such notification, when it names no intent, and when Postgres refuses
     * it: then it is parked. Its workflow goes on, operators see it (`intents show`, the log), and
     * the sweep tries again, at ever longer intervals.
     */
    async applyNotification(notification_id: string): Promise<StoredIntentStatus | null> {
      // Anyone who reaches Temporal can tell a workflow of one, and must not end because of it.
      const refuse = (): null => {
        refuseMessage(dependencies, { message: 'notification', references: [notification_id] });
        return null;
      };
      if (!isNotificationId(notification_id)) return refuse();
      try {
        const { status } = await applyHeard(dependencies, notification_id, metrics.countIntentEnd);
        return status;
      } catch (error) {
        if (isUnknown(error, 'notification', notification_id)) return refuse();
        // It may succeed at once when Postgres is back; nothing else does.
        if (isDatabaseUnavailable(error)) throw error;
        log({ part: 'notifications', notification: notification_id, error: String(error) });
        await noteNotificationError(db, notification_id, String(error));
        return null;
      }
    },
  });
}

export type NotificationActivities = ReturnType<typeof createNotificationActivities>;
