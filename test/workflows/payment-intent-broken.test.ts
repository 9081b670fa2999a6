import { temporal as proto } from '@temporalio/proto';
import { msToTs } from '@temporalio/common/lib/time';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { NewIntent } from '../../db/payment-intents/intents';
import { storeNotification } from '../../db/suspense/notifications';
import { cancelIntent } from '../../temporal/payment-intents';
import { createRunningWorkflows } from '../../temporal/running-workflows';
import { notificationStoredSignal, WORKFLOW_TYPES } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { testMessages } from '../support/secrets';
import { startTestWorker } from '../support/temporal';
import { waitFor } from '../support/wait';
import { fakeGateway } from './fake-gateway';
import {
  eventsOf,
  handleOf,
  intentWorkflows,
  notificationOf,
  startIntentWorker,
  untilApplied,
  untilStatus,
  type IntentWorker,
} from './intents';

// A run whose history does not fit what its workflow does: each of its tasks fails, for good. The SDK leaves one
// behind when a signal comes while a task times out (docs/decisions/workflows.md).

const { CommandType, WorkflowTaskFailedCause } = proto.api.enums.v1;
const WORKER = { namespace: 'default', identity: 'tests' } as const;
/** Problems of workflow tasks in a row until Temporal reports them (the server's setting). */
const REPORTED_AFTER = 5;

let intents: IntentWorker;
let log: Readonly<Record<string, unknown>>[];

beforeEach(async () => {
  log = [];
  intents = await startIntentWorker({
    gateway: fakeGateway().gateway,
    log: (entry) => log.push(entry),
  });
  // Until a run is broken, the test is its worker.
  await intents.worker.stop();
});

afterEach(async () => {
  await expectBooksHold(intents.database.db);
});

/** Takes the next task of a run, as a worker does. */
async function takeTask(): Promise<Uint8Array> {
  const { temporal, worker } = intents;
  const poll = { ...WORKER, taskQueue: { name: worker.task_queue } };
  const { taskToken } = await temporal.withDeadline(Date.now() + 60_000, () =>
    temporal.workflowService.pollWorkflowTaskQueue(poll),
  );
  return taskToken;
}

/** Its first task, as no version of the workflow does it; and the next ones fail, until Temporal reports them. */
async function breakRun(handle: WorkflowHandle): Promise<void> {
  const { temporal, worker } = intents;
  const { workflowService } = temporal;
  await workflowService.respondWorkflowTaskCompleted({
    ...WORKER,
    taskToken: await takeTask(),
    commands: [
      {
        commandType: CommandType.COMMAND_TYPE_START_TIMER,
        startTimerCommandAttributes: { timerId: '1', startToFireTimeout: msToTs('1 hour') },
      },
    ],
  });
  for (let problems = 0; problems < REPORTED_AFTER; problems += 1) {
    // Each message begins the tasks again, without the growing pauses between them.
    await handle.signal(notificationStoredSignal, 'none');
    await workflowService.respondWorkflowTaskFailed({
      ...WORKER,
      taskToken: await takeTask(),
      cause: WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR,
    });
  }
  const running = createRunningWorkflows(temporal, worker.task_queue);
  await waitFor(async () => (await running.listBroken('paymentIntent', 10)).length === 1);
  await startTestWorker({ task_queue: worker.task_queue, activities: intents.real });
}

/** An intent with an open checkout, and its broken run. */
async function makeBroken(): Promise<{ readonly intent: NewIntent; readonly run_id: string }> {
  const { create, start, real } = intents;
  const intent = await create();
  await real.openCheckout(intent.id);
  await breakRun(await start(intent));
  return { intent, run_id: await runOf(intent) };
}

async function runOf(intent: NewIntent): Promise<string> {
  return (await handleOf(intents.temporal, intent).describe()).runId;
}

async function listRunning(): Promise<string[]> {
  const { temporal, worker } = intents;
  const listed: string[] = [];
  for await (const { workflow_id } of createRunningWorkflows(temporal, worker.task_queue).list(
    'paymentIntent',
  )) {
    listed.push(workflow_id);
  }
  return listed;
}

it('is replaced by a new one, which applies what waited; others are left alone', async () => {
  const { real, database, temporal, create, start } = intents;
  const { intent, run_id } = await makeBroken();
  const sound = await create();
  await start(sound);
  await untilStatus(database, sound, 'open');
  const sound_run = await runOf(sound);
  // Temporal's list is some seconds old: only what is in it can be taken for a broken one.
  await waitFor(async () => (await listRunning()).includes(`intent/sandbox/${sound.id}`));
  const paid = await storeNotification(
    database.db,
    'fake',
    notificationOf(intent),
    Buffer.from('{}'),
  );
  await handleOf(temporal, intent).signal(notificationStoredSignal, paid.id);
  expect(await real.sweepNotifications()).toBe(1);
  expect(log).toContainEqual({
    part: 'sweep',
    workflow_id: `intent/sandbox/${intent.id}`,
    run_id,
    error: 'its history did not fit: started anew',
  });
  expect(
    (await temporal.workflow.getHandle(`intent/sandbox/${intent.id}`, run_id).describe()).status
      .name,
  ).toBe('TERMINATED');
  await database.owner.raw(
    `update gateway_notifications set received_at = now() - interval '1 minute'`,
  );
  expect(await real.sweepNotifications()).toBe(1);
  expect(await untilApplied(database, intent, 1)).toEqual(['succeeded']);
  expect(await eventsOf(database, intent)).toEqual(['payment.succeeded']);
  expect(await handleOf(temporal, intent).result()).toEqual({ status: 'succeeded' });
  expect(await runOf(sound)).toBe(sound_run);
});

it('lets a caller wait for its answer, and not for ever', async () => {
  const { real, database, temporal, worker } = intents;
  const { intent } = await makeBroken();
  const options = {
    ...intentWorkflows(database.db, temporal, worker.task_queue),
    workflow_messages: testMessages,
  };
  const cancelled = cancelIntent(options, intent, Date.now() + 60_000);
  await real.sweepNotifications();
  expect(await cancelled).toEqual({ status: 'canceled' });
});

it('is ended when its intent has ended', async () => {
  const { real, database, temporal } = intents;
  const { intent, run_id } = await makeBroken();
  const paid = await storeNotification(
    database.db,
    'fake',
    notificationOf(intent),
    Buffer.from('{}'),
  );
  await real.applyNotification(paid.id);
  expect(await real.sweepNotifications()).toBe(1);
  expect(await runOf(intent)).toBe(run_id);
  await expect(handleOf(temporal, intent).result()).rejects.toThrow(WorkflowFailedError);
  expect(await eventsOf(database, intent)).toEqual(['payment.succeeded']);
});

it('is ended when it is none of ours, whatever its name ends with', async () => {
  const { real, create, start, temporal, worker } = intents;
  const intent = await create();
  const { id, expires_at } = intent;
  const by_hand = await temporal.workflow.start(WORKFLOW_TYPES.paymentIntent, {
    workflowId: `by-hand/${id}`,
    taskQueue: worker.task_queue,
    args: [{ id, expires_at }],
  });
  await breakRun(by_hand);
  await start(intent);
  const run_id = await runOf(intent);
  expect(await real.sweepNotifications()).toBe(1);
  await expect(by_hand.result()).rejects.toThrow(WorkflowFailedError);
  expect(log).toContainEqual(
    expect.objectContaining({
      workflow_id: by_hand.workflowId,
      error: 'its history did not fit: ended',
    }),
  );
  expect(await runOf(intent)).toBe(run_id);
});
