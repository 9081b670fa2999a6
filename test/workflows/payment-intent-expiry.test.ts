import type { Client } from '@temporalio/client';
import { getIntent } from '../../db/intents';
import { applyNotification } from '../../db/notifications';
import { verifyLedger } from '../../db/verify';
import type { PaymentState } from '../../domain/payment';
import { GatewayError } from '../../gateway/port';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import {
  actAt,
  listPayments,
  startNotificationReceiver,
  setFaults,
} from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import {
  eventsOf,
  FAILURE,
  handleOf,
  startIntentWorker,
  statusOf,
  suspenseOf,
  untilApplied,
  untilShown,
  untilStatus,
} from './intents';
import { fakeGateway, hang, PAID } from './fake-gateway';
import { keepHistory } from './saved-histories';

/** Expiries lie seconds ahead: the stories run side by side. */
const SOON = { expires_in: 3 };

describe('an intent at its expiry, at the sandbox gateway', () => {
  let api: TestApi;
  let temporal: Client;

  beforeAll(async () => {
    api = await startTestApi();
    temporal = await connectTestTemporal();
  });

  afterEach(async () => {
    await setFaults(api.gateway, 'sandbox', {});
    await expectBooksHold(api.database.db);
  });

  // Side by side, because they mostly wait. The books are checked after the tests that follow.
  it.concurrent(
    'is never early by the clock of the database, and closes its checkout first',
    async () => {
      const made = await Promise.all(Array.from({ length: 20 }, () => api.create(SOON)));
      for (const { json: intent } of made) {
        const expired = await untilShown(api, intent, 'expired');
        expect(expired.expired_at >= expired.expires_at).toBe(true);
        expect(await eventsOf(api.database, intent)).toEqual(['payment.expired']);
        expect((await actAt(intent.checkout_url, 'pay')).status).toBe(409);
        expect(await handleOf(temporal, intent).result()).toEqual({ status: 'expired' });
      }
    },
  );

  it.concurrent(
    'asks the gateway when its notifications are lost: paid, refused and pending',
    async () => {
      const receiver = await startNotificationReceiver();
      receiver.answerWith(503);
      const silent = await startTestApi({ gateway: { notification_url: receiver.url } });
      const [paid, declined, pending] = await Promise.all([
        silent.create(SOON),
        silent.create(SOON),
        silent.create(SOON),
      ]);
      await actAt(paid.json.checkout_url, 'pay');
      await actAt(declined.json.checkout_url, 'decline');
      await actAt(pending.json.checkout_url, 'pay_slowly', { delay_ms: 4_500 });
      await untilShown(silent, paid.json, 'succeeded');
      await untilShown(silent, declined.json, 'failed');
      await untilShown(silent, pending.json, 'processing');
      await untilShown(silent, pending.json, 'succeeded');
      const balance = (): Promise<bigint> =>
        balanceOf(silent.database.db, silent.merchant, 'XOF', 'sandbox');
      expect(await balance()).toBe(1_000_000n);
      // What the gateway tells afterwards is known already.
      const { payments } = await listPayments(silent.gateway, 'sandbox');
      const { provider_payment_id } = payments.find((one) => one.intent_id === paid.json.id)!;
      await silent.notify(paid.json, { provider_payment_id });
      expect(await untilApplied(silent.database, paid.json, 2)).toEqual(['succeeded', 'duplicate']);
      expect(await balance()).toBe(1_000_000n);
      expect(await verifyLedger(silent.database.db)).toEqual([]);
    },
  );

  it.concurrent(
    'is processing while a payment takes its time, then succeeded or failed',
    async () => {
      const [paying, declining] = await Promise.all([api.create(SOON), api.create(SOON)]);
      await actAt(paying.json.checkout_url, 'pay_slowly', { delay_ms: 5_000 });
      await actAt(declining.json.checkout_url, 'decline_slowly', { delay_ms: 5_000 });
      await untilShown(api, paying.json, 'processing');
      await untilShown(api, declining.json, 'processing');
      const paid = await untilShown(api, paying.json, 'succeeded');
      expect(paid.succeeded_at > paid.expires_at).toBe(true);
      const failed = await untilShown(api, declining.json, 'failed');
      expect(failed.last_payment_error.code).toBe('payment_refused');
      expect(await eventsOf(api.database, paying.json)).toEqual(['payment.succeeded']);
      expect(await eventsOf(api.database, declining.json)).toEqual(['payment.failed']);
      await handleOf(temporal, paying.json).result();
      keepHistory(
        'payment-intent-processing-succeeded',
        await handleOf(temporal, paying.json).fetchHistory(),
      );
    },
  );

  it.concurrent(
    'expires from processing when the gateway, asked again, knows of no payment',
    async () => {
      const { json: intent } = await api.create(SOON);
      await api.notify(intent, { type: 'payment.pending' });
      await untilShown(api, intent, 'processing');
      expect((await api.cancel(intent.id)).status).toBe(409);
      const expired = await untilShown(api, intent, 'expired');
      expect(expired.expired_at >= expired.expires_at).toBe(true);
      expect(await eventsOf(api.database, intent)).toEqual(['payment.expired']);
    },
  );

  // These switch the gateway's faults on, for everybody.
  it('closes the checkout before it ends: nobody pays in between', async () => {
    const { json: intent } = await api.create(SOON);
    // The work is done, its answer is lost: closed at the gateway, and still open here.
    await setFaults(api.gateway, 'sandbox', { fail: 'reset', after_work: true, only: 'close' });
    await waitFor(async () => (await handleOf(temporal, intent).describe()).historyLength > 12);
    expect((await actAt(intent.checkout_url, 'pay')).status).toBe(409);
    expect(await statusOf(api.database, intent)).toBe('open');
    await setFaults(api.gateway, 'sandbox', {});
    await untilShown(api, intent, 'expired');
  });

  it('keeps trying while the gateway is down, and applies notifications meanwhile', async () => {
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'close' });
    const [paid, failed, attempted, waiting] = await Promise.all([
      api.create(SOON),
      api.create(SOON),
      api.create(SOON),
      api.create(SOON),
    ]);
    const details = async (intent: { id: string }): Promise<string> =>
      handleOf(temporal, intent)
        .query<string>('__temporal_workflow_metadata')
        .then((metadata) => JSON.stringify(metadata));
    for (const { json } of [paid, failed, attempted, waiting]) {
      await waitFor(async () => (await details(json)).includes('unreachable'));
      expect(await statusOf(api.database, json)).toBe('open');
    }
    await api.notify(paid.json);
    await api.notify(failed.json, { type: 'payment.failed', failure: FAILURE });
    await api.notify(attempted.json, { type: 'payment.failed', final: false, failure: FAILURE });
    await untilShown(api, paid.json, 'succeeded');
    await untilShown(api, failed.json, 'failed');
    const shown = await waitFor(async () => {
      const { json } = await api.show(attempted.json.id);
      return json.last_payment_error !== null && json;
    });
    expect(shown).toMatchObject({ status: 'open', last_payment_error: FAILURE });
    expect(await statusOf(api.database, waiting.json)).toBe('open');

    await setFaults(api.gateway, 'sandbox', {});
    await untilShown(api, waiting.json, 'expired');
    await untilShown(api, attempted.json, 'expired');
    keepHistory(
      'payment-intent-expired-late',
      await handleOf(temporal, waiting.json).fetchHistory(),
    );
  });
});

// Each has a database, a worker and a gateway of its own.
describe('an intent at its expiry, by what the gateway answers', () => {
  it.concurrent('waits on when its timer was early by the clock of the database', async () => {
    const fake = fakeGateway();
    const { create, start, database } = await startIntentWorker({ gateway: fake.gateway });
    const intent = await create({ expires_in_seconds: 2 });
    // As if Temporal's clock were hours ahead.
    const handle = await start(intent, { expires_at: new Date(0).toISOString() });
    await untilStatus(database, intent, 'open');
    expect(await handle.result()).toEqual({ status: 'expired' });
    const { expired_at, expires_at } = await getIntent(database.db, intent.id);
    expect(expired_at! >= expires_at).toBe(true);
    // Nobody was asked to close anything before its time.
    expect(fake.closed).toEqual([`cs_${intent.id}_1`]);
    keepHistory('payment-intent-early', await handle.fetchHistory());
  });

  const paidAs = (id: string): PaymentState => ({
    ...PAID,
    payment: { ...PAID.payment, provider_payment_id: id },
  });

  it.concurrent.each([
    ['paid', paidAs('pay_1'), 'succeeded', 'payment.succeeded'],
    ['failed', { state: 'failed', failure: FAILURE }, 'failed', 'payment.failed'],
    ['nothing', { state: 'none' }, 'expired', 'payment.expired'],
  ] as const)('%s: it ends so', async (_, state, status, event) => {
    const fake = fakeGateway();
    const { create, start, database } = await startIntentWorker({ gateway: fake.gateway });
    fake.state = state;
    const intent = await create({ expires_in_seconds: 1 });
    const handle = await start(intent);
    expect(await handle.result()).toEqual({ status });
    expect(await eventsOf(database, intent)).toEqual([event]);
    expect(fake.closed).toEqual([`cs_${intent.id}_1`]);
    expect(await verifyLedger(database.db)).toEqual([]);
    // In the task of its timer: Temporal schedules no activity, and no second task.
    const history = await handle.fetchHistory();
    expect(history.events?.some((event) => event.activityTaskScheduledEventAttributes)).toBe(false);
    if (status === 'expired') keepHistory('payment-intent-expired-in-its-task', history);
  });

  it.concurrent('a gateway that takes long: a regular activity goes on', async () => {
    const fake = fakeGateway();
    const { create, start, database } = await startIntentWorker({ gateway: fake.gateway });
    const release = hang(fake, 'onClose');
    const handle = await start(await create({ expires_in_seconds: 1 }));
    await waitFor(async () => {
      const { raw } = await handle.describe();
      return raw.pendingActivities?.some((it) => it.activityType?.name === 'expireIntent');
    });
    release();
    expect(await handle.result()).toEqual({ status: 'expired' });
    expect(await verifyLedger(database.db)).toEqual([]);
    keepHistory('payment-intent-expired-by-activity', await handle.fetchHistory());
  });

  it.concurrent.each([
    ['paid', paidAs('pay_2'), 'succeeded'],
    ['failed', { state: 'failed', failure: FAILURE }, 'failed'],
    ['nothing', { state: 'none' }, 'expired'],
  ] as const)('pending, and %s when it is asked again', async (_, then, status) => {
    const fake = fakeGateway();
    const { create, start, database } = await startIntentWorker({ gateway: fake.gateway });
    fake.state = { state: 'pending' };
    const intent = await create({ expires_in_seconds: 1 });
    const handle = await start(intent);
    await untilStatus(database, intent, 'processing');
    fake.state = then;
    expect(await handle.result()).toEqual({ status });
    expect(fake.closed.length).toBeGreaterThan(1);
    expect(await eventsOf(database, intent)).toEqual([`payment.${status}`]);
    expect(await verifyLedger(database.db)).toEqual([]);
    keepHistory(`payment-intent-expiry-retried-${status}`, await handle.fetchHistory());
  });

  it.concurrent('paid with another amount: it expires, and the money is in suspense', async () => {
    const fake = fakeGateway();
    const { create, start, database } = await startIntentWorker({ gateway: fake.gateway });
    fake.state = { ...PAID, payment: { ...PAID.payment, amount_minor: '400000' } };
    const intent = await create({ expires_in_seconds: 1 });
    expect(await (await start(intent)).result()).toEqual({ status: 'expired' });
    expect(await suspenseOf(database, intent)).toMatchObject([
      { reason: 'amount', amount_minor: 400_000n },
    ]);
    expect(await verifyLedger(database.db)).toEqual([]);
  });

  it.concurrent('is paid between the answer and the end: the row decides', async () => {
    const fake = fakeGateway();
    const { create, start, notify, database } = await startIntentWorker({ gateway: fake.gateway });
    const intent = await create({ expires_in_seconds: 1 });
    // `none` was answered; then somebody else applies a payment, and only then we end it.
    fake.onClose = async () => {
      fake.onClose = async () => undefined;
      const id = await notify(intent);
      await applyNotification(database.db, id, 'https://pay.example.com');
    };
    expect(await (await start(intent)).result()).toEqual({ status: 'succeeded' });
    expect(await eventsOf(database, intent)).toEqual(['payment.succeeded']);
    expect(await suspenseOf(database, intent)).toEqual([]);
    expect(await verifyLedger(database.db)).toEqual([]);
  });

  it.concurrent(
    'with the gateway no longer there: it waits, and a notification still settles it',
    async () => {
      const fake = fakeGateway();
      // The configuration names another gateway by now: an answer of that one would mean nothing.
      const { create, start, notify, database } = await startIntentWorker({
        gateway: fake.gateway,
      });
      const intent = await create({ expires_in_seconds: 1 });
      let is_gone = false;
      fake.onClose = async () => {
        if (is_gone) return;
        await database.owner.raw(`update payment_intents set gateway = 'another' where id = ?`, [
          intent.id,
        ]);
        is_gone = true;
        throw new GatewayError('unreachable', 'away');
      };
      const handle = await start(intent);
      await waitFor(() => is_gone, 60_000);
      const { historyLength } = await handle.describe();
      // Long enough for another attempt, after pauses that double.
      const hasGoneOn = async (): Promise<boolean> =>
        (await handle.describe()).historyLength > historyLength + 12;
      await waitFor(hasGoneOn, 60_000);
      expect(await statusOf(database, intent)).toBe('open');
      // Asked again before it tells of the payment, it knows of one.
      fake.state = { state: 'pending' };
      await database.owner.raw(`update payment_intents set gateway = 'fake' where id = ?`, [
        intent.id,
      ]);
      await notify(intent);
      expect(await handle.result()).toEqual({ status: 'succeeded' });
      expect(await verifyLedger(database.db)).toEqual([]);
    },
  );
});
