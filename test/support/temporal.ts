// Temporal as a test sees it: a client on the run's server, and workers with activities of the
// test's choice.

import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions, type WorkerTuner } from '@temporalio/worker';
import { closeAfterFile } from './cleanup';
import { readStack } from './stack';

const NAMESPACE = 'default';

/** So many updates may a run of a workflow have on the run's server: a fifth of the usual, because a test sends more. */
export const MAX_UPDATES = 400;

export async function connectTestTemporal(): Promise<Client> {
  const connection = await Connection.connect({ address: readStack().temporal_address });
  closeAfterFile(() => connection.close());
  return new Client({ connection, namespace: NAMESPACE });
}

export interface TestWorker {
  readonly task_queue: string;
  /** Uses the worker's own connection: only this one can start workflows eagerly. */
  readonly client: Client;
  /** Called by itself after the file; safe to call twice. */
  stop(): Promise<void>;
}

export interface TestWorkerOptions {
  readonly activities: NonNullable<WorkerOptions['activities']>;
  /** A new one when left out. */
  readonly task_queue?: string;
  /** Small: most workflows are replayed from their history at each step. */
  readonly max_cached_workflows?: number;
  /** How many tasks it takes at once; the SDK's own numbers when left out. */
  readonly tuner?: WorkerTuner;
}

export async function startTestWorker({
  activities,
  task_queue = `test-${randomBytes(8).toString('hex')}`,
  max_cached_workflows,
  tuner,
}: TestWorkerOptions): Promise<TestWorker> {
  const { temporal_address, workflow_bundle } = readStack();
  const connection = await NativeConnection.connect({ address: temporal_address });
  const worker = await Worker.create({
    connection,
    namespace: NAMESPACE,
    taskQueue: task_queue,
    workflowBundle: { codePath: workflow_bundle },
    activities,
    ...(max_cached_workflows === undefined ? {} : { maxCachedWorkflows: max_cached_workflows }),
    ...(tuner === undefined ? {} : { tuner }),
  });
  const running = worker.run();
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await running;
    await connection.close();
  };
  const client = new Client({ connection, namespace: NAMESPACE });
  const started = { task_queue, client, stop: () => (stopped ??= stop()) };
  closeAfterFile(started.stop);
  return started;
}
