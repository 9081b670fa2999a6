// A machine whose processors are busy: what a process could not do in time stays in Temporal's task queue.

import { cpus } from 'node:os';
import { temporal as proto } from '@temporalio/proto';
import { WORKER_SLOTS } from '../../bin/main-worker';
import { findIntentToRun, type NewIntent } from '../../db/payment-intents/intents';
import { intentWorkflowId, transferBatchWorkflowId } from '../../domain/ids';
import { withResolvers } from '../../domain/promises';
import { createIntentStarter } from '../../temporal/payment-intents';
import { awaitCheckoutUpdate, WORKFLOW_TYPES } from '../../workflows/messages';
import { buildTransferRequest } from '../support/postings';
import { occupyProcessors } from '../support/processors';
import { testMessages } from '../support/secrets';
import { buildUser } from '../support/users';
import { noteSeen, waitFor } from '../support/wait';
import { fakeGateway, hang } from './fake-gateway';
import { startIntentWorker, untilStatus, type IntentWorker } from './intents';

const INTENTS = 150;
/** The machine does other work, too. */
const WITHIN_MS = 60_000;
/** A task whose checkout takes longer than eight seconds reports back, and another one gets its slot meanwhile. */
const AT_ONCE_MS = 5_000;

jest.setTimeout(6 * WITHIN_MS);

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

/** Waits until they were busy for a second, so that a measurement shows it. */
async function untilBusy(): Promise<void> {
  let before = processorTimes();
  await waitFor(() => {
    const now = processorTimes();
    if (now.all - before.all < 1_000 * cpus().length) return false;
    const idle = (now.idle - before.idle) / (now.all - before.all);
    before = now;
    return idle < 0.02;
  });
}

let freeProcessors: (() => Promise<unknown>) | undefined;
let answer: (() => void) | undefined;

// A worker ends when its activities do.
afterEach(async () => {
  answer?.();
  await freeProcessors?.();
});

/** Intents whose workflows start when no processor has any time left, all at once. */
async function startOnBusyMachine(intents: IntentWorker): Promise<readonly NewIntent[]> {
  const created = await Promise.all(Array.from({ length: INTENTS }, () => intents.create()));
  freeProcessors = occupyProcessors({ yields: true });
  await untilBusy();
  for (const intent of created) await intents.start(intent);
  return created;
}

async function untilAllOpen({ database }: IntentWorker, created: readonly NewIntent[]) {
  await freeProcessors?.();
  for (const intent of created) await untilStatus(database, intent, 'open');
}

it('a process takes few workflow tasks at once, and does them all in the end', async () => {
  const held = withResolvers();
  answer = held.resolve;
  const taken: number[] = [];
  const intents = await startIntentWorker({
    gateway: fakeGateway().gateway,
    tuner: WORKER_SLOTS,
    wrap: (real) => ({
      ...real,
      async openCheckout(id) {
        taken.push(performance.now());
        await held.promise;
        return real.openCheckout(id);
      },
    }),
  });
  const created = await startOnBusyMachine(intents);
  await waitFor(async () => {
    const waiting = await countWaiting(intents);
    noteSeen('taken, waiting', [taken.length, waiting]);
    return taken.length + waiting >= INTENTS - 10;
  });
  expect(taken.filter((at) => at - taken[0]! < AT_ONCE_MS).length).toBeLessThanOrEqual(50);
  answer();
  await untilAllOpen(intents, created);
});

it('a gateway that hangs leaves room for transfers', async () => {
  const fake = fakeGateway();
  answer = hang(fake, 'onOpen');
  const intents = await startIntentWorker({ gateway: fake.gateway, tuner: WORKER_SLOTS });
  const { temporal, worker, database } = intents;
  const from = await buildUser(database.db, { funds: { live: { XOF: 100n } } });
  const created = await startOnBusyMachine(intents);
  const transfer = buildTransferRequest({
    from,
    to: intents.merchant,
    amount: 100n,
    accept_before: new Date(Date.now() + 5 * WITHIN_MS).toISOString(),
  });
  const sending = temporal.workflow.execute(WORKFLOW_TYPES.transfers, {
    taskQueue: worker.task_queue,
    workflowId: transferBatchWorkflowId('live', transfer.key),
    args: [testMessages.sealTransfers([transfer])],
  });
  let results: unknown;
  void sending.then((found) => (results = found));
  await waitFor(() => {
    noteSeen('checkouts that hang', fake.sessions.length);
    return results !== undefined;
  });
  expect(results).toMatchObject([{ outcome: 'completed' }]);
  // A caller that waits for one of the checkouts that a regular activity opens learns when it is open, not before.
  const last = await intents.create();
  const awaiting = temporal.workflow.executeUpdateWithStart(awaitCheckoutUpdate, {
    startWorkflowOperation: intents.withStart(last),
  });
  const of_last = `cs_${last.id}_1`;
  await waitFor(() => fake.sessions.some(({ session_id }) => session_id === of_last));
  answer();
  expect(await awaiting).toEqual({ status: 'open' });
  await untilAllOpen(intents, created);
});

it('a task of an intent whose process stands still for seven seconds is not given out again', async () => {
  const intents = await startIntentWorker({ gateway: fakeGateway().gateway });
  const { temporal, worker, database } = intents;
  const intent = await intents.create();
  const to_run = await findIntentToRun(database.db, intent.id);
  await createIntentStarter(temporal, worker.task_queue)(to_run!);
  // The SDK's own threads take the task, and ours, which would run it, stands still.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 7_000);
  await untilStatus(database, intent, 'open');
  const handle = temporal.workflow.getHandle(intentWorkflowId('sandbox', intent.id));
  const { events } = await handle.fetchHistory();
  const { EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT: timed_out } = proto.api.enums.v1.EventType;
  expect(events!.filter(({ eventType }) => eventType === timed_out)).toEqual([]);
});
