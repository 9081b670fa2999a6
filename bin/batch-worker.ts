// The part of a process that carries out bulk transfers and payout batches: for each environment queues
// of their own, and few batches at work at a time. Between two steps of one batch, those of other
// accounts have their turn; single transfers and payments wait for none of it.

import {
  createPayoutBatchActivities,
  type PayoutBatchActivityDependencies,
} from '../activities/payout-batches';
import {
  createBatchActivities,
  type BatchActivityDependencies,
} from '../activities/transfer-batches';
import type { Config } from '../config/load';
import { ENVIRONMENTS } from '../domain/environment';
import { bulkTaskQueue, payoutBatchTaskQueue } from '../domain/ids';
import type { TemporalLink } from '../temporal/connect';
import { createWorker, runWorkers, type RunningWorker } from './running-worker';

export interface BatchWorkerParts
  extends BatchActivityDependencies, PayoutBatchActivityDependencies {
  readonly config: Pick<Config, 'task_queue'>;
  readonly link: TemporalLink;
}

// More than one step at a time would compete with single transfers for Postgres, and with each
// other.
const TUNING = {
  maxConcurrentActivityTaskExecutions: 1,
  shutdownGraceTime: '10s',
  shutdownForceTime: '20s',
} as const;

export async function startBatchWorker({
  config,
  link,
  ...dependencies
}: BatchWorkerParts): Promise<RunningWorker> {
  const activities = createBatchActivities(dependencies);
  const payout_activities = createPayoutBatchActivities(dependencies);
  const workers = ENVIRONMENTS.flatMap((environment) => [
    createWorker(link, {
      ...TUNING,
      taskQueue: bulkTaskQueue(config.task_queue, environment),
      activities,
    }),
    createWorker(link, {
      ...TUNING,
      // They wait for providers more than they work.
      maxConcurrentActivityTaskExecutions: 2,
      taskQueue: payoutBatchTaskQueue(config.task_queue, environment),
      activities: payout_activities,
    }),
  ]);
  return runWorkers(...(await Promise.all(workers)));
}
