// The activities of the payment task queue, built from what `bin` gives them.

import { createMailActivities, type MailActivityDependencies } from './mails';
import {
  createNotificationActivities,
  type NotificationActivityDependencies,
} from './notifications';
import { createIntentActivities, type IntentActivityDependencies } from './payment-intents';
import { createSuspenseActivities, type SuspenseActivityDependencies } from './suspense';
import { createTransferActivities, type TransferActivityDependencies } from './transfers';

export type ActivityDependencies = TransferActivityDependencies &
  IntentActivityDependencies &
  NotificationActivityDependencies &
  SuspenseActivityDependencies &
  MailActivityDependencies;

export function createActivities(dependencies: ActivityDependencies) {
  return {
    ...createTransferActivities(dependencies),
    ...createIntentActivities(dependencies),
    ...createNotificationActivities(dependencies),
    ...createSuspenseActivities(dependencies),
    ...createMailActivities(dependencies),
  };
}
