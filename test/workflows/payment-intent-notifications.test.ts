// Notifications that no running workflow waits for, through the whole service. What each of them does:
// test/db/intents.test.ts.

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { storeNotification } from '../../db/suspense/notifications';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { startNotificationReceiver } from '../support/sandbox-gateway';
import { startTestApi, sendNotification, type TestApi } from '../support/api';
import { startTestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import {
  FAILURE,
  handleOf,
  notificationOf,
  statusOf,
  suspenseOf,
  untilApplied,
  untilShown,
  type Intent,
} from './intents';

let api: TestApi;
let temporal: Client;

beforeAll(async () => {
  const receiver = await startNotificationReceiver();
  api = await startTestApi({ gateway: { notification_url: receiver.url } });
  temporal = await connectTestTemporal();
});

const wallet = (): Promise<bigint> => balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

it('is held in its own environment when the other account tells of our intent', async () => {
  const { json: intent } = await api.create();
  const provider_payment_id = `pay_${randomUUID()}`;
  const foreign = { ...intent, environment: 'live' };
  const answer = await sendNotification(api.notification_url, foreign, { provider_payment_id });
  expect(answer.status).toBe(200);
  const items = await waitFor(async () => {
    const { rows } = await api.database.owner.raw(
      'select reason, environment, intent_id from suspense_items where provider_payment_id = ?',
      [provider_payment_id],
    );
    return (rows as unknown[]).length > 0 && (rows as unknown[]);
  });
  expect(items).toEqual([{ reason: 'unknown_intent', environment: 'live', intent_id: null }]);
  expect(await statusOf(api.database, intent)).toBe('open');
  // A body that names another environment than its secret is not believed.
  expect((await api.notify(intent, { environment: 'live' })).status).toBe(401);
});

it('is applied in each of its kinds by a workflow that is started again', async () => {
  const { json: intent } = await api.create();
  await handleOf(temporal, intent).terminate('lost, as if its history were gone');
  await api.notify(intent, { type: 'payment.failed', final: false, failure: FAILURE });
  await untilApplied(api.database, intent, 1);
  await api.notify(intent, { type: 'payment.pending' });
  await untilApplied(api.database, intent, 2);
  await api.notify(intent, { type: 'payment.failed', failure: FAILURE });
  expect(await untilApplied(api.database, intent, 3)).toEqual([
    'attempt_failed',
    'processing',
    'failed',
  ]);
  await untilShown(api, intent, 'failed');
});

it('of an intent that has ended is held as late money', async () => {
  const before = await wallet();
  const { json: intent } = await api.create();
  await api.cancel(intent.id);
  await handleOf(temporal, intent).result();
  await Promise.all(Array.from({ length: 3 }, () => api.notify(intent)));
  expect(await untilApplied(api.database, intent, 3)).toEqual(Array(3).fill('suspense'));
  const items = await suspenseOf(api.database, intent);
  expect(items.map(({ reason }) => reason)).toEqual(Array(3).fill('late'));
  expect(await wallet()).toBe(before);
});

it('is handed over by the sweep when it was stored and never signalled, to running intents and to none', async () => {
  const before = await wallet();
  const sweeping = await startTestService({
    database: api.database,
    overrides: { gateway: api.service.config.gateway, notification_sweep_seconds: 1 },
  });
  const schedule = temporal.schedule.getHandle(`notification-sweep/${sweeping.config.task_queue}`);
  try {
    const made = await Promise.all([api.create(), api.create(), api.create()]);
    const [running, gone, closed] = made.map(({ json }) => json) as [Intent, Intent, Intent];
    await handleOf(temporal, gone).terminate('lost, as if its history were gone');
    await api.cancel(closed.id);
    for (const intent of [running, gone, closed]) {
      const paid = notificationOf({ ...intent, amount_minor: '500000' });
      await storeNotification(api.database.db, 'sandbox', paid, Buffer.from('{}'));
    }
    await untilShown(api, running, 'succeeded');
    await untilShown(api, gone, 'succeeded');
    expect(await untilApplied(api.database, closed, 1)).toEqual(['suspense']);
    expect(await wallet()).toBe(before + 1_000_000n);
    // It goes on, and finds nothing more.
    const { numActionsTaken } = (await schedule.describe()).info;
    await waitFor(async () => (await schedule.describe()).info.numActionsTaken > numActionsTaken);
  } finally {
    await schedule.delete();
  }
});
