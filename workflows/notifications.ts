// Notifications that no running intent takes, and the sweep of what was lost.

import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { NotificationActivities } from '../activities/notifications';
import type { SweepActivities } from '../activities/sweep';
import type { StoredIntentStatus } from '../domain/intent';
import { LONG_ACTIVITY, SHORT_LOCAL_ACTIVITY } from './options';

const { applyNotification } = proxyLocalActivities<NotificationActivities>(SHORT_LOCAL_ACTIVITY);
const sweeper = proxyActivities<SweepActivities>(LONG_ACTIVITY);

/** Applies a notification that is late, or unknown, or about an intent that is closed. */
export async function lateNotification(
  notification_id: string,
): Promise<StoredIntentStatus | null> {
  return applyNotification(notification_id);
}

/** Run by a schedule. Returns how many had something done to them. */
export async function sweepNotifications(): Promise<number> {
  return sweeper.sweepNotifications();
}
