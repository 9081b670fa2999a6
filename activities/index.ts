// The activities of the payment task queue, built from what `bin` gives them.

import { createIdentityActivities, type IdentityActivityDependencies } from './identity-checks';
import { createMailActivities, type MailActivityDependencies } from './mails';
import {
  createNotificationActivities,
  type NotificationActivityDependencies,
} from './notifications';
import { createAttemptActivities, type AttemptActivityDependencies } from './payment-attempts';
import { createIntentActivities, type IntentActivityDependencies } from './payment-intents';
import { createPayoutActivities, type PayoutActivityDependencies } from './payouts';
import {
  createReconciliationActivities,
  type ReconciliationActivityDependencies,
} from './reconciliation/index';
import { createRefundActivities, type RefundActivityDependencies } from './refunds';
import { createReversalActivities, type ReversalActivityDependencies } from './reversals';
import { createSuspenseActivities, type SuspenseActivityDependencies } from './suspense';
import { createSweepActivities, type SweepDependencies } from './sweep';
import { createTransferActivities, type TransferActivityDependencies } from './transfers';

export type ActivityDependencies = TransferActivityDependencies &
  IntentActivityDependencies &
  AttemptActivityDependencies &
  NotificationActivityDependencies &
  SuspenseActivityDependencies &
  RefundActivityDependencies &
  PayoutActivityDependencies &
  ReversalActivityDependencies &
  IdentityActivityDependencies &
  MailActivityDependencies &
  ReconciliationActivityDependencies &
  SweepDependencies;

export function createActivities(dependencies: ActivityDependencies) {
  const notifications = createNotificationActivities(dependencies);
  return {
    ...createTransferActivities(dependencies),
    ...createIntentActivities(dependencies),
    ...createAttemptActivities(dependencies),
    ...notifications,
    ...createSuspenseActivities(dependencies),
    ...createRefundActivities(dependencies),
    ...createPayoutActivities(dependencies),
    ...createReversalActivities(dependencies),
    ...createIdentityActivities(dependencies),
    ...createMailActivities(dependencies),
    ...createReconciliationActivities(dependencies),
    ...createSweepActivities(dependencies, notifications),
  };
}
