import { randomUUID } from 'node:crypto';
import { createIntent, type NewIntent } from '../../db/payment-intents/intents';
import { storeNotification } from '../../db/suspense/notifications';
import { insertMail } from '../../db/people/mails';
import type { PaymentNotification } from '../../domain/payment';
import { createRunningWorkflows } from '../../temporal/running-workflows';
import { notificationStoredSignal } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, setUp, type TestDatabase } from '../support/database';
import { connectTestTemporal } from '../support/temporal';
import { buildUser, type TestUser } from '../support/users';
import { fakeGateway } from './fake-gateway';
import {
  buildNewIntent,
  cancel,
  createTestActivities,
  eventsOf,
  handleOf,
  notificationOf,
  openAtOnce,
  outcomesOf,
  startIntentWorker,
  statusOf,
  untilApplied,
  untilStatus,
} from './intents';

// Every stored notification is applied in the end, whatever has become of the workflow that should apply it.

const { gateway } = fakeGateway();
const temporal = setUp(connectTestTemporal);
/** With an intent's workflow, where a test needs one. */
const intents = setUp(() => startIntentWorker({ gateway }));
/** Of the test alone: a sweep finds what there is. */
let database: TestDatabase;
let merchant: TestUser;
let log: Readonly<Record<string, unknown>>[];

beforeEach(async () => {
  database = await createTestDatabase();
  merchant = await buildUser(database.db);
  log = [];
});

afterEach(async () => {
  await expectBooksHold(database.db);
  await expectBooksHold(intents.database.db);
});

async function open(): Promise<NewIntent> {
  const intent = buildNewIntent(merchant, 'fake');
  await createIntent(database.db, intent);
  const checkout_url = `https://gateway.example.com/${intent.id}`;
  await openAtOnce(database.db, intent.id, {
    session_id: `cs_${intent.id}`,
    checkout_url,
    lapses_at: null,
  });
  return intent;
}

/** Stores one that is in the inbox for so long, and of which no workflow was notified. */
async function store(
  intent: NewIntent,
  age: string,
  fields: Partial<PaymentNotification> = {},
): Promise<string> {
  const { db, owner } = database;
  const notification = notificationOf(intent, fields);
  const { id } = await storeNotification(db, 'fake', notification, Buffer.from('{}'));
  await owner.raw(
    `update gateway_notifications set received_at = now() - ?::interval where id = ?`,
    [age, id],
  );
  return id;
}

/** Stores a mail whose workflow was never started. */
async function queueMail(): Promise<string> {
  const id = randomUUID();
  await insertMail(database.db, {
    id,
    recipient: 'awa@example.com',
    subject: 'Hello',
    sealed_text: Buffer.from('sealed'),
  });
  return id;
}

function sweeper(more: Partial<Parameters<typeof createTestActivities>[1]> = {}) {
  return createTestActivities(database, {
    gateway,
    log: (entry) => log.push(entry),
    ...more,
  });
}

async function endPauses(): Promise<void> {
  await database.owner.raw(
    'update gateway_notifications set next_try_at = now() where next_try_at is not null',
  );
}

describe('one that cannot be handed over', () => {
  it('does not keep the others waiting, is logged, and has a longer pause each time', async () => {
    const [first, stuck, last] = [await open(), await open(), await open()];
    await store(first, '3 minutes', { type: 'payment.pending' });
    const stuck_id = await store(stuck, '2 minutes');
    await store(last, '1 minute');
    const real = await sweeper();
    const asked: string[] = [];
    const activities = await sweeper({
      deliverNotification: async ({ id }) => {
        asked.push(id);
        if (id === stuck_id) throw new Error('Temporal refuses this one');
        await real.applyNotification(id);
      },
    });
    expect(await activities.sweepNotifications()).toBe(2);
    expect(await statusOf(database, first)).toBe('processing');
    expect(await statusOf(database, last)).toBe('succeeded');
    expect(await outcomesOf(database, stuck)).toEqual([null]);
    expect(log).toContainEqual({
      part: 'sweep',
      notification: stuck_id,
      error: 'Error: Temporal refuses this one',
    });
    expect(log).toContainEqual({ part: 'sweep', kind: 'notification', failed: 1, of: 3 });
    // Its pause is not over.
    expect(await activities.sweepNotifications()).toBe(0);
    const pauses: number[] = [];
    for (let sweep = 0; sweep < 4; sweep += 1) {
      await endPauses();
      await activities.sweepNotifications();
      const { rows } = await database.owner.raw(
        `select extract(epoch from next_try_at - now())::float8 as seconds
           from gateway_notifications where id = ?`,
        [stuck_id],
      );
      pauses.push((rows as [{ seconds: number }])[0].seconds);
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(asked.filter((id) => id === stuck_id)).toHaveLength(5);
  });
});

describe('a paid notification whose workflow is stuck', () => {
  const STUCK: Readonly<Record<string, (intent: NewIntent) => Promise<unknown>>> = {
    async 'and has no worker'(intent) {
      await temporal.workflow.start('paymentIntent', {
        workflowId: `intent/sandbox/${intent.id}`,
        taskQueue: `nobody-${randomUUID()}`,
        args: [{ id: intent.id, expires_at: new Date(Date.now() + 3_600_000).toISOString() }],
      });
    },
    'and was never there': async () => undefined,
  };

  it.each(Object.keys(STUCK))('%s: the sweep applies it after some minutes', async (how) => {
    const before = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
    const intent = await open();
    await STUCK[how]!(intent);
    const id = await store(intent, '10 minutes');
    const activities = await sweeper();
    expect(await activities.sweepNotifications()).toBe(1);
    expect(await statusOf(database, intent)).toBe('succeeded');
    expect(await eventsOf(database, intent)).toEqual(['payment.succeeded']);
    // The workflow that comes back applies it, too: nothing more happens.
    expect(await activities.applyNotification(id)).toBe('succeeded');
    const after = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
    expect(after).toBe(before + 500_000n);
    if (how !== 'and has no worker') return;
    await handleOf(temporal, intent).terminate('end of the test');
  });

  it('is left to its workflow for the first minutes', async () => {
    const intent = await open();
    await STUCK['and has no worker']!(intent);
    await store(intent, '1 minute');
    const activities = await sweeper();
    expect(await activities.sweepNotifications()).toBe(1);
    expect(await statusOf(database, intent)).toBe('open');
    await handleOf(temporal, intent).terminate('end of the test');
  });
});

describe('F19: a notification that Postgres refuses each time', () => {
  async function poison({ id }: NewIntent): Promise<void> {
    await intents.database.owner.raw(`
      create or replace function refuse_poison() returns trigger language plpgsql as $$
      begin
        if new.intent_id = '${id}' then raise exception 'poison' using errcode = 'check_violation'; end if;
        return new;
      end $$;
      create trigger refuse_poison before insert on gateway_payments
        for each row execute function refuse_poison();`);
  }

  it('is parked where operators see it; its intent and all others go on', async () => {
    const { create, start, notify, real, database: theirs } = intents;
    const [poisoned, other] = [await create(), await create()];
    await poison(poisoned);
    const [stuck, fine] = [await start(poisoned), await start(other)];
    await untilStatus(theirs, poisoned, 'open');
    await untilStatus(theirs, other, 'open');
    const id = await notify(poisoned);
    await notify(other);
    expect(await fine.result()).toEqual({ status: 'succeeded' });
    // The workflow takes the next command.
    expect(await cancel(stuck, poisoned)).toEqual({ status: 'canceled' });
    const { rows } = await theirs.owner.raw(
      'select outcome, last_error from gateway_notifications where id = ?',
      [id],
    );
    expect(rows).toEqual([{ outcome: null, last_error: expect.stringContaining('poison') }]);
    await theirs.owner.raw('drop trigger refuse_poison on gateway_payments');
    // Once it can be applied, it is: as late money.
    await theirs.owner.raw(
      `update gateway_notifications set received_at = now() - interval '1 hour' where id = ?`,
      [id],
    );
    await real.sweepNotifications();
    expect(await untilApplied(theirs, poisoned, 1)).toEqual(['suspense']);
    expect(await handleOf(intents.temporal, poisoned).result()).toEqual({ status: 'canceled' });
  });
});

it('a signal for a notification that is applied already changes nothing', async () => {
  const { create, start, notify } = intents;
  const intent = await create();
  const handle = await start(intent);
  await untilStatus(intents.database, intent, 'open');
  const id = await notify(intent, { type: 'payment.pending' });
  await untilApplied(intents.database, intent, 1);
  await handle.signal(notificationStoredSignal, id);
  await notify(intent);
  expect(await handle.result()).toEqual({ status: 'succeeded' });
});

it('starts the workflow of a mail whose start was lost', async () => {
  const { owner } = database;
  const id = await queueMail();
  const started: string[] = [];
  const activities = await sweeper({
    startMail: async (mail) => void started.push(mail),
  });
  await activities.sweepNotifications();
  expect(started).toEqual([]);
  await owner.raw(`update mails set created_at = now() - interval '1 minute'`);
  expect(await activities.sweepNotifications()).toBe(1);
  expect(started).toEqual([id]);
});

it('sweeps the other kinds when one cannot be listed', async () => {
  const { owner } = database;
  const id = await queueMail();
  await owner.raw(`update mails set created_at = now() - interval '1 minute';
                   alter table suspense_refunds rename to elsewhere`);
  const started: string[] = [];
  const activities = await sweeper({ startMail: async (mail) => void started.push(mail) });
  expect(await activities.sweepNotifications()).toBe(1);
  expect(started).toEqual([id]);
  expect(log).toEqual([
    { part: 'sweep', kind: 'suspense-refund', error: expect.stringContaining('suspense_refunds') },
  ]);
  await owner.raw('alter table elsewhere rename to suspense_refunds');
});

it('sweeps the rest when Temporal cannot list the workflows that are broken', async () => {
  const error = new Error('no such search attribute');
  const activities = await sweeper({
    running_workflows: {
      ...createRunningWorkflows(temporal, 'nobody'),
      listBroken: () => Promise.reject(error),
    },
  });
  expect(await activities.sweepNotifications()).toBe(0);
  expect(log).toEqual([
    { part: 'sweep', error: `broken workflows cannot be listed: ${String(error)}` },
  ]);
});
