// The part of a process that carries out bulk transfers: for each environment a queue of its own,
// and one batch at work at a time. Between two steps of one batch, those of other accounts have
// their turn; single transfers and payments wait for none of it.

import {
  createBatchActivities,
  type BatchActivityDependencies,
} from '../activities/transfer-batches';
import type { Config } from '../config/load';
import { ENVIRONMENTS } from '../domain/environment';
import { bulkTaskQueue } from '../domain/ids';
import type { TemporalLink } from '../temporal/connect';
import { createWorker, runWorkers, type RunningWorker } from './running-worker';

export interface BatchWorkerParts extends BatchActivityDependencies {
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
  const workers = ENVIRONMENTS.map((environment) =>
    createWorker(link, {
      ...TUNING,
      taskQueue: bulkTaskQueue(config.task_queue, environment),
      activities,
    }),
  );
  return runWorkers(...(await Promise.all(workers)));
}
