// Every activity, built from what `bin` gives it.

import { createIntentActivities, type IntentActivityDependencies } from './payment-intents';
import { createTransferActivities, type TransferActivityDependencies } from './transfers';

export type ActivityDependencies = TransferActivityDependencies & IntentActivityDependencies;

export function createActivities(dependencies: ActivityDependencies) {
  return {
    ...createTransferActivities(dependencies),
    ...createIntentActivities(dependencies),
  };
}
