// The activities of the payment task queue, built from what `bin` gives them.

import { createIdentityActivities, type IdentityActivityDependencies } from './identity-checks';
import { createMailActivities, type MailActivityDependencies } from './mails';
import {
  createNotificationActivities,
  type NotificationActivityDependencies,
} from './notifications';
import { createIntentActivities, type IntentActivityDependencies } from './payment-intents';
import {
  createReconciliationActivities,
  type ReconciliationActivityDependencies,
} from './reconciliation/index';
import { createRefundActivities, type RefundActivityDependencies } from './refunds';
import { createReversalActivities, type ReversalActivityDependencies } from './reversals';
import { createSuspenseActivities, type SuspenseActivityDependencies } from './suspense';
import { createTransferActivities, type TransferActivityDependencies } from './transfers';

export type ActivityDependencies = TransferActivityDependencies &
  IntentActivityDependencies &
  NotificationActivityDependencies &
  SuspenseActivityDependencies &
  RefundActivityDependencies &
  ReversalActivityDependencies &
  IdentityActivityDependencies &
  MailActivityDependencies &
  ReconciliationActivityDependencies;

export function createActivities(dependencies: ActivityDependencies) {
  return {
    ...createTransferActivities(dependencies),
    ...createIntentActivities(dependencies),
    ...createNotificationActivities(dependencies),
    ...createSuspenseActivities(dependencies),
    ...createRefundActivities(dependencies),
    ...createReversalActivities(dependencies),
    ...createIdentityActivities(dependencies),
    ...createMailActivities(dependencies),
    ...createReconciliationActivities(dependencies),
  };
}
