// The engine's floor, a process of its own: an empty workflow, started eagerly and awaited, with the
// same connection, bundling and worker settings as the service, but more slots. The SDK is as shipped.

import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { WORKER_TUNING } from '../../bin/main-worker';
import { connectTemporal, installTemporalRuntime } from '../../temporal/connect';
import { loadConfig } from '../../config/load';
import { runClosedLoop } from './closed-loop';

export interface FloorJob {
  readonly clients: number;
  readonly warmup_seconds: number;
  readonly seconds: number;
}

const TASK_QUEUE = `bench-floor-${process.pid}`;

async function main(): Promise<void> {
  installTemporalRuntime((entry) => console.error(entry));
  const config = loadConfig(process.env);
  const { connection, client, namespace } = await connectTemporal(config);
  const worker = await Worker.create({
    ...WORKER_TUNING,
    // High limits: nothing here can be late.
    maxConcurrentWorkflowTaskExecutions: 1000,
    maxConcurrentLocalActivityExecutions: 1000,
    connection,
    namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: { codePath: config.workflow_bundle },
  });
  const working = worker.run();
  process.on('message', (job: FloorJob) => {
    void runClosedLoop({
      ...job,
      async once() {
        const handle = await client.workflow.start('empty', {
          workflowId: `floor/${randomUUID()}`,
          taskQueue: TASK_QUEUE,
          requestEagerStart: true,
        });
        await handle.result();
      },
    }).then((summary) => process.send!(summary));
  });
  process.send!('ready');
  await working;
}

void main();
