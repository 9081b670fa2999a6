// A Temporal worker as a part of a process: on the process's link, until it is stopped.

import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { TemporalLink } from '../temporal/connect';
import { TRACED_WORKER } from '../temporal/tracing';

export interface RunningWorker {
  /** Rejects when a worker fails for good. */
  readonly working: Promise<unknown>;
  /** Finishes what is under way, within the worker's own limits. Never rejects. */
  stop(): Promise<void>;
}

export function createWorker(
  { connection, namespace, data_converter }: TemporalLink,
  options: WorkerOptions,
): Promise<Worker> {
  const link = { connection, namespace, dataConverter: data_converter, ...TRACED_WORKER };
  return Worker.create({ ...options, ...link });
}

export function runWorkers(...workers: readonly Worker[]): RunningWorker {
  const runs = workers.map((worker) => worker.run());
  const working = Promise.all(runs);
  return {
    working,
    async stop() {
      for (const worker of workers) {
        if (worker.getState() === 'RUNNING') worker.shutdown();
      }
      // Some go on when another one has failed; the caller that awaits `working` knows of it.
      await Promise.allSettled([working, ...runs]);
    },
  };
}
