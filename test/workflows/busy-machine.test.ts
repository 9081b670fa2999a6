// A machine whose processors are busy: what a process could not do in time stays in Temporal's task queue.

import { cpus } from 'node:os';
import { temporal as proto } from '@temporalio/proto';
import { WORKER_SLOTS } from '../../bin/main-worker';
import { occupyProcessors } from '../support/processors';
import { noteSeen, waitFor } from '../support/wait';
import { fakeGateway } from './fake-gateway';
import { startIntentWorker, statusOf, type IntentWorker } from './intents';

const INTENTS = 150;
/** On a machine that does other work, too. */
const WITHIN_MS = 60_000;

/** Tasks that no worker has taken. */
async function countWaiting({ temporal, worker }: IntentWorker): Promise<number> {
  const { stats } = await temporal.workflowService.describeTaskQueue({
    namespace: temporal.options.namespace,
    taskQueue: { name: worker.task_queue },
    taskQueueType: proto.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    reportStats: true,
  });
  return Number(stats?.approximateBacklogCount ?? 0);
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.flatMap((one) => Object.values(one)).reduce((sum, ms) => sum + ms, 0);
  return { idle: times.reduce((sum, { idle }) => sum + idle, 0), all };
}

/** Until they were busy for a second, so that whoever looks sees it. */
async function untilBusy(): Promise<void> {
  let before = processorTimes();
  await waitFor(() => {
    const now = processorTimes();
    if (now.all - before.all < 1_000 * cpus().length) return false;
    const idle = (now.idle - before.idle) / (now.all - before.all);
    before = now;
    return idle < 0.02;
  }, WITHIN_MS);
}

it('a process takes few workflow tasks at once, and does them all in the end', async () => {
  const fake = fakeGateway();
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  fake.onOpen = () => answered;
  const intents = await startIntentWorker({ gateway: fake.gateway, tuner: WORKER_SLOTS });
  const created = await Promise.all(Array.from({ length: INTENTS }, () => intents.create()));
  const freeProcessors = occupyProcessors();
  try {
    await untilBusy();
    for (const intent of created) await intents.start(intent);
    await waitFor(async () => {
      const waiting = await countWaiting(intents);
      noteSeen('opening, waiting', [fake.sessions.length, waiting]);
      return fake.sessions.length + waiting >= INTENTS - 10;
    }, WITHIN_MS);
    expect(fake.sessions.length).toBeLessThanOrEqual(50);
  } finally {
    await freeProcessors();
    answer();
  }
  await waitFor(async () => {
    const statuses = await Promise.all(created.map((intent) => statusOf(intents.database, intent)));
    return statuses.every((status) => status === 'open');
  }, WITHIN_MS);
});
