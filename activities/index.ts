// Every activity, built from what `bin` gives it.

import { createTransferActivities, type TransferActivityDependencies } from './transfers';

export type ActivityDependencies = TransferActivityDependencies;

export function createActivities(dependencies: ActivityDependencies) {
  return { ...createTransferActivities(dependencies) };
}
