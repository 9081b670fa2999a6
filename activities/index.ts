// The activities of the payment task queue, built from what `bin` gives them.

import { createIdentityActivities, type IdentityActivityDependencies } from './identity-checks';
import { createMailActivities, type MailActivityDependencies } from './mails';
import {
  createNotificationActivities,
  type NotificationActivityDependencies,
} from './notifications';
import { createIntentActivities, type IntentActivityDependencies } from './payment-intents';
import { createPursuitActivities, type PursuitActivityDependencies } from './pursuits';
import {
  createReconciliationActivities,
  type ReconciliationActivityDependencies,
} from './reconciliation/index';
import { createReversalActivities, type ReversalActivityDependencies } from './reversals';
import { createSweepActivities, type SweepDependencies } from './sweep';
import { createTransferActivities, type TransferActivityDependencies } from './transfers';

export type ActivityDependencies = TransferActivityDependencies &
  IntentActivityDependencies &
  NotificationActivityDependencies &
  PursuitActivityDependencies &
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
    ...notifications,
    ...createPursuitActivities(dependencies),
    ...createReversalActivities(dependencies),
    ...createIdentityActivities(dependencies),
    ...createMailActivities(dependencies),
    ...createReconciliationActivities(dependencies),
    ...createSweepActivities(dependencies, notifications),
  };
}
