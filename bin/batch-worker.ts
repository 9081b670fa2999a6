// The part of a process that carries out bulk transfers: for each environment a queue of its own, and one
// batch at work at a time. Between two steps of one batch, those of other accounts have their turn; single
// transfers and payments wait for none of it.

import { Worker } from '@temporalio/worker';
import {
  createBatchActivities,
  type BatchActivityDependencies,
} from '../activities/transfer-batches';
import type { Config } from '../config/load';
import { ENVIRONMENTS } from '../domain/environment';
import { bulkTaskQueue } from '../domain/ids';
import type { TemporalLink } from '../temporal/connect';

export interface BatchWorkerParts extends BatchActivityDependencies {
  readonly config: Pick<Config, 'task_queue'>;
  readonly link: TemporalLink;
}

// More than one would compete with single transfers for Postgres, and with each other.
const TUNING = {
  maxConcurrentActivityTaskExecutions: 1,
  shutdownGraceTime: '10s',
  shutdownForceTime: '20s',
} as const;

export async function startBatchWorker({
  config,
  link,
  ...dependencies
}: BatchWorkerParts): Promise<{ readonly working: Promise<unknown>; stop(): Promise<void> }> {
  const activities = createBatchActivities(dependencies);
  const workers: Worker[] = [];
  for (const environment of ENVIRONMENTS) {
    workers.push(
      await Worker.create({
        ...TUNING,
        connection: link.connection,
        namespace: link.namespace,
        dataConverter: link.data_converter,
        ...link.tracing,
        taskQueue: bulkTaskQueue(config.task_queue, environment),
        activities,
      }),
    );
  }
  const working = Promise.all(workers.map((worker) => worker.run()));
  return {
    working,
    async stop() {
      for (const worker of workers) {
        if (worker.getState() === 'RUNNING') worker.shutdown();
      }
      await working.catch(() => undefined); // reported by `working`
    },
  };
}
