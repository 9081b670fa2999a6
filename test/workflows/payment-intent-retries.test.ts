import { WorkflowNotFoundError } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { getIntent, type NewIntent } from '../../db/payment-intents/intents';
import { listTimeline } from '../../db/payment-intents/intent-views';
import { intentWorkflowId } from '../../domain/ids';
import { renewUpdate } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { setUp } from '../support/database';
import { startTestWorker } from '../support/temporal';
import { waitFor } from '../support/wait';
import { fakeGateway, hang } from './fake-gateway';
import {
  cancel,
  createTestActivities,
  eventsOf,
  expireSoon,
  FAILURE,
  letExpire,
  letLapse,
  startIntentWorker,
  statusOf,
  suspenseOf,
  untilApplied,
  untilStatus,
  type IntentHandle,
  type IntentWorker,
  type PaymentActivities,
} from './intents';

// Every step may be taken and its answer lost, or not be taken at all: it is taken again, and the
// effect is one.

const TIMES = 2;

// Workers that come and go, and activities that fail: all of it wanted.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'error' } },
});

/** Each activity fails so often, before it does anything or after it has committed. */
function failing(when: 'before' | 'after', real: PaymentActivities): PaymentActivities {
  const left = new Map<string, number>();
  const wrapped = Object.entries(real).map(([name, activity]) => [
    name,
    async (id: string, ...more: unknown[]): Promise<unknown> => {
      const call = `${name}/${id}`;
      const isFailing = (left.get(call) ?? TIMES) > 0;
      if (isFailing) left.set(call, (left.get(call) ?? TIMES) - 1);
      const unavailable = Object.assign(new Error('terminating connection'), { code: '57P01' });
      if (isFailing && when === 'before') throw unavailable;
      const result = await (activity as (...args: unknown[]) => Promise<unknown>)(id, ...more);
      if (isFailing) throw unavailable;
      return result;
    },
  ]);
  return Object.fromEntries(wrapped) as unknown as PaymentActivities;
}

describe.each(['before', 'after'] as const)('activities that fail %s their effect', (when) => {
  const fake = fakeGateway(3_600);
  let intents: IntentWorker;

  beforeAll(async () => {
    intents = await startIntentWorker({
      gateway: fake.gateway,
      wrap: (real) => failing(when, real),
    });
  });

  afterEach(async () => {
    await expectBooksHold(intents.database.db);
  });

  async function open() {
    const intent = await intents.create();
    const handle: IntentHandle = await intents.start(intent);
    await waitFor(async () => (await statusOf(intents.database, intent)) !== 'creating');
    return { intent, handle };
  }

  it('open one checkout, and book one payment', async () => {
    const { database, merchant, notify } = intents;
    const before = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
    const { intent, handle } = await open();
    await notify(intent, { type: 'payment.pending' });
    await notify(intent);
    expect(await handle.result()).toEqual({ status: 'succeeded' });
    expect(await balanceOf(database.db, merchant, 'XOF', 'sandbox')).toBe(before + 500_000n);
    expect(await eventsOf(database, intent)).toEqual(['payment.succeeded']);
    expect(fake.sessions.filter(({ session_id }) => session_id.includes(intent.id))).toHaveLength(
      1,
    );
    const kinds = (await listTimeline(database.db, intent.id)).map(({ kind }) => kind);
    expect(kinds).toEqual([
      'requested',
      'checkout_opened',
      'notified',
      'posted',
      'notified',
      'event',
    ]);
  });

  it('renew a session to number 2 and not to 3, cancel, and hold late money once', async () => {
    const { database, notify } = intents;
    const { intent, handle } = await open();
    await letLapse(database, intent);
    expect(await handle.executeUpdate(renewUpdate)).toMatchObject({ status: 'open' });
    const mine = fake.sessions.filter(({ session_id }) => session_id.includes(intent.id));
    expect(mine.map(({ number }) => number)).toEqual([1, 2]);
    const steps = await Promise.all([cancel(handle, intent), cancel(handle, intent)]);
    expect(steps).toEqual([{ status: 'canceled' }, { status: 'canceled' }]);
    expect(await handle.result()).toEqual({ status: 'canceled' });
    await notify(intent);
    expect(await untilApplied(database, intent, 1)).toEqual(['suspense']);
    expect(await suspenseOf(database, intent)).toMatchObject([{ reason: 'late' }]);
    expect(await eventsOf(database, intent)).toEqual([]);
  });
});

describe('a workflow started again on the row of one that was lost', () => {
  const fake = fakeGateway();
  const intents = setUp(() => startIntentWorker({ gateway: fake.gateway }));

  /** A notification may have started it again, and it may have ended by itself since. */
  async function lose({ id }: Pick<NewIntent, 'id'>): Promise<void> {
    const handle = intents.temporal.workflow.getHandle(intentWorkflowId('sandbox', id));
    await handle.terminate('lost, as if its history were gone').catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
  }

  async function lost() {
    const intent = await intents.create();
    await intents.start(intent);
    await untilStatus(intents.database, intent, 'open');
    await lose(intent);
    return intent;
  }

  it('goes on from where the row is: open, with the checkout that there is', async () => {
    const intent = await lost();
    const again = await intents.start(intent);
    await intents.notify(intent);
    expect(await again.result()).toEqual({ status: 'succeeded' });
    expect(fake.sessions.filter(({ session_id }) => session_id.includes(intent.id))).toHaveLength(
      1,
    );
    await expectBooksHold(intents.database.db);
  });

  it('goes on from processing', async () => {
    const intent = await lost();
    await intents.notify(intent, { type: 'payment.pending' });
    await untilStatus(intents.database, intent, 'processing');
    await lose(intent);
    const again = await intents.start(intent);
    await intents.notify(intent, { type: 'payment.failed', failure: FAILURE });
    expect(await again.result()).toEqual({ status: 'failed' });
  });

  it('expires what should have expired meanwhile', async () => {
    const intent = await lost();
    const release = hang(fake, 'onClose');
    await letExpire(intents.database, intent);
    const { status, expires_at } = await getIntent(intents.database.db, intent.id);
    expect(status).toBe('open');
    const again = await intents.start({ ...intent, expires_at });
    release();
    expect(await again.result()).toEqual({ status: 'expired' });
    expect(fake.closed).toEqual([`cs_${intent.id}_1`]);
  });

  it('ends at once where the row has ended', async () => {
    const intent = await lost();
    await intents.notify(intent);
    await untilStatus(intents.database, intent, 'succeeded');
    await lose(intent);
    expect(await (await intents.start(intent)).result()).toEqual({ status: 'succeeded' });
    expect(fake.closed).not.toContain(`cs_${intent.id}_1`);
    expect(await eventsOf(intents.database, intent)).toEqual(['payment.succeeded']);
    await expectBooksHold(intents.database.db);
  });
});

describe('an environment whose gateway was taken away', () => {
  it('keeps its intents open, applies what comes, and ends them when it is back', async () => {
    const fake = fakeGateway();
    const { create, start, notify, database, worker } = await startIntentWorker({
      gateway: undefined,
    });
    const { task_queue } = worker;
    const gateway = { ...fake.gateway, name: 'sandbox' };
    const real = await createTestActivities(database, { gateway, task_queue });
    const [paid, waiting] = await Promise.all([
      create({ expires_in_seconds: 1 }),
      create({ expires_in_seconds: 1 }),
    ]);
    await worker.stop();
    const handles = await Promise.all([start(paid), start(waiting)]);
    const without = await createTestActivities(database, { gateway: undefined });
    for (const { id } of [paid, waiting]) await real.openCheckout(id);
    const poor = await startTestWorker({ task_queue, activities: { ...without } });
    await expect(cancel(handles[1]!, waiting)).resolves.toEqual({
      status: 'open',
      fault: 'unreachable',
    });
    await notify(paid);
    expect(await handles[0]!.result()).toEqual({ status: 'succeeded' });
    expect(await statusOf(database, waiting)).toBe('open');
    await poor.stop();
    await startTestWorker({ task_queue, activities: { ...real } });
    expireSoon({ database, gateway });
    expect(await handles[1]!.result()).toEqual({ status: 'expired' });
    expect(fake.closed).toHaveLength(1);
    await expectBooksHold(database.db);
  });
});
