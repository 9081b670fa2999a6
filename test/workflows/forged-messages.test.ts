// An intruder in Temporal can start every workflow and send every message by hand. They get only what a row orders
// anyway: nothing is cancelled, expired, paid or sent before its time.

import { randomUUID } from 'node:crypto';
import { listSuspense } from '../../db/suspense/suspense';
import { lateNotificationWorkflowId } from '../../domain/ids';
import type { IntentStep } from '../../domain/intent';
import {
  cancelUpdate,
  notificationStoredSignal,
  renewUpdate,
  WORKFLOW_TYPES,
} from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { testMessages } from '../support/secrets';
import { waitFor } from '../support/wait';
import { fakeGateway } from './fake-gateway';
import { cancel, eventsOf, startIntentWorker, statusOf, untilStatus } from './intents';

const log: Readonly<Record<string, unknown>>[] = [];
const fake = fakeGateway();
let intents: Awaited<ReturnType<typeof startIntentWorker>>;

beforeAll(async () => {
  intents = await startIntentWorker({
    gateway: fake.gateway,
    log: (entry) => log.push(entry),
  });
});

beforeEach(() => {
  log.length = 0;
});

async function open() {
  const intent = await intents.create();
  const handle = await intents.start(intent);
  await untilStatus(intents.database, intent, 'open');
  return { intent, handle };
}

describe('an intent’s workflow, told by hand', () => {
  it.each([
    ['nothing', () => undefined],
    ['what is not sealed', (id: string) => ({ intent_id: id, valid_until: 9e15 })],
    ['what is sealed for another intent', () => testMessages.sealCancellation(randomUUID())],
    [
      'what was sealed long ago',
      (id: string) => {
        const long_ago = jest.spyOn(Date, 'now').mockReturnValue(0);
        const order = testMessages.sealCancellation(id);
        long_ago.mockRestore();
        return order;
      },
    ],
  ] as const)('to cancel with %s stays open, and is logged', async (_what, build) => {
    const { intent, handle } = await open();
    const args = [build(intent.id)] as never;
    expect(await handle.executeUpdate(cancelUpdate, { args })).toEqual({ status: 'open' });
    expect(await statusOf(intents.database, intent)).toBe('open');
    expect(fake.closed).not.toContain(`cs_${intent.id}_1`);
    expect(log).toEqual([
      expect.objectContaining({
        part: 'workflow-messages',
        refused: 'seal',
        message: 'cancel',
        intent_id: intent.id,
        workflow_id: handle.workflowId,
      }),
    ]);
    expect(await cancel(handle, intent)).toEqual({ status: 'canceled' });
  });

  it('of notifications that there are not, or to renew what lives, stays open', async () => {
    const { intent, handle } = await open();
    expect(await handle.executeUpdate(renewUpdate)).toEqual({ status: 'open' });
    const forged = ['999999999', 'x', '9'.repeat(19), '1'.repeat(50_000), null, { toString: null }];
    for (const id of forged as string[]) {
      await handle.signal(notificationStoredSignal, id);
    }
    await waitFor(() => log.length === forged.length);
    expect(log).toMatchObject(
      Array(forged.length).fill({ refused: 'unknown', message: 'notification' }),
    );
    const sessions = fake.sessions.filter(({ session_id }) => session_id.includes(intent.id));
    expect(sessions).toHaveLength(1);
    expect(await statusOf(intents.database, intent)).toBe('open');
    // It goes on: none of them holds up what is genuine.
    await intents.notify(intent);
    expect(await handle.result()).toEqual({ status: 'succeeded' });
  });

  it('that its time is over long before, stays open', async () => {
    const intent = await intents.create();
    const expires_at = new Date(0).toISOString();
    const handle = await intents.start({ ...intent, expires_at }, { give_up_after_ms: 0 });
    await untilStatus(intents.database, intent, 'open');
    // It has asked, the row has said no, and it waits for as long as the row has said.
    await waitFor(async () => {
      const { events = [] } = await handle.fetchHistory();
      return events!.some(({ timerStartedEventAttributes: timer }) => timer);
    });
    expect(await statusOf(intents.database, intent)).toBe('open');
    expect(await eventsOf(intents.database, intent)).toEqual([]);
    expect(await cancel(handle, intent)).toMatchObject({ status: 'canceled' } satisfies IntentStep);
  });
});

it('the workflow of a notification, by hand, pays nothing that no gateway has reported', async () => {
  const { database, temporal, worker, merchant } = intents;
  const before = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
  const { intent, handle } = await open();
  const late = await temporal.workflow.start(WORKFLOW_TYPES.lateNotification, {
    workflowId: lateNotificationWorkflowId('fake', worker.task_queue, intent.id),
    taskQueue: worker.task_queue,
    args: ['999999999'],
  });
  expect(await late.result()).toBeNull();
  expect(log).toMatchObject([{ refused: 'unknown', references: ['999999999'] }]);
  const sweep = await temporal.workflow.execute(WORKFLOW_TYPES.sweepNotifications, {
    workflowId: `sweep-by-hand/${randomUUID()}`,
    taskQueue: worker.task_queue,
    args: [{ everything: true }],
  });
  expect(sweep).toBe(0);
  expect(await statusOf(database, intent)).toBe('open');
  expect(await balanceOf(database.db, merchant, 'XOF', 'sandbox')).toBe(before);
  expect(await listSuspense(database.db, true)).toEqual([]);
  await expectBooksHold(database.db);
  await handle.terminate('end of the test');
});
