import type { Client } from '@temporalio/client';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import {
  actAt,
  listPayments,
  startNotificationReceiver,
  setFaults,
} from '../support/sandbox-gateway';
import { createSurely, startTestApi, type TestApi } from '../support/api';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { fakeGateway } from './fake-gateway';
import {
  eventsOf,
  FAILURE,
  handleOf,
  startIntentWorker,
  statusOf,
  untilApplied,
  untilShown,
  untilStatus,
} from './intents';
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
      const made = await Promise.all(Array.from({ length: 20 }, () => createSurely(api, SOON)));
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
      // The buttons are pressed before their end, and the third payment succeeds well after it.
      const create = () => createSurely(silent, { expires_in: 10 });
      const [paid, declined, pending] = await Promise.all([create(), create(), create()]);
      await actAt(paid.json.checkout_url, 'pay');
      await actAt(declined.json.checkout_url, 'decline');
      await actAt(pending.json.checkout_url, 'pay_slowly', { delay_ms: 16_000 });
      await untilShown(silent, paid.json, 'succeeded');
      await untilShown(silent, declined.json, 'failed');
      await untilShown(silent, pending.json, 'processing');
      const late = await untilShown(silent, pending.json, 'succeeded');
      expect(late.succeeded_at > late.expires_at).toBe(true);
      const handle = handleOf(temporal, pending.json);
      await handle.result();
      keepHistory('payment-intent-processing-succeeded', await handle.fetchHistory());
      const balance = (): Promise<bigint> =>
        balanceOf(silent.database.db, silent.merchant, 'XOF', 'sandbox');
      expect(await balance()).toBe(1_000_000n);
      // The gateway's notification afterwards is known already.
      const { payments } = await listPayments(silent.gateway, 'sandbox');
      const { provider_payment_id } = payments.find((one) => one.intent_id === paid.json.id)!;
      await silent.notify(paid.json, { provider_payment_id });
      expect(await untilApplied(silent.database, paid.json, 2)).toEqual(['succeeded', 'duplicate']);
      expect(await balance()).toBe(1_000_000n);
      await expectBooksHold(silent.database.db);
    },
  );

  // These switch the gateway's faults on for all tests.
  it('closes the checkout before it ends: no customer pays in between', async () => {
    // The work is done, its answer is lost: closed at the gateway, and still open here.
    await setFaults(api.gateway, 'sandbox', { fail: 'reset', after_work: true, only: 'close' });
    const { json: intent } = await api.create(SOON);
    await waitFor(async () => (await triesOf(intent)) > 1);
    expect((await actAt(intent.checkout_url, 'pay')).status).toBe(409);
    expect(await statusOf(api.database, intent)).toBe('open');
    await setFaults(api.gateway, 'sandbox', {});
    await untilShown(api, intent, 'expired');
  });

  it('keeps trying while the gateway is down, and applies notifications meanwhile', async () => {
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'close' });
    const [paid, failed, waiting] = await Promise.all([
      api.create(SOON),
      api.create(SOON),
      api.create(SOON),
    ]);
    for (const { json } of [paid, failed, waiting]) {
      await waitFor(async () => (await triesOf(json)) > 0);
      expect(await statusOf(api.database, json)).toBe('open');
    }
    await api.notify(paid.json);
    await api.notify(failed.json, { type: 'payment.failed', failure: FAILURE });
    await api.notify(waiting.json, { type: 'payment.failed', final: false, failure: FAILURE });
    await untilShown(api, paid.json, 'succeeded');
    await untilShown(api, failed.json, 'failed');
    const shown = await waitFor(async () => {
      const { json } = await api.show(waiting.json.id);
      return json.last_payment_error !== null && json;
    });
    expect(shown).toMatchObject({ status: 'open', last_payment_error: FAILURE });

    await setFaults(api.gateway, 'sandbox', {});
    await untilShown(api, waiting.json, 'expired');
    const handle = handleOf(temporal, waiting.json);
    await handle.result();
    keepHistory('payment-intent-expired-late', await handle.fetchHistory());
  });

  async function triesOf({ id }: { readonly id: string }): Promise<number> {
    const { rows } = await api.database.owner.raw(
      'select checks from payment_intents where id = ?',
      [id],
    );
    return (rows as [{ checks: number }])[0].checks;
  }
});

it('looks again when the row has not ended, whatever its own clock says', async () => {
  const fake = fakeGateway();
  const { create, start, database } = await startIntentWorker({ gateway: fake.gateway });
  const intent = await create({ expires_in_seconds: 2 });
  // Temporal's clock seems to be hours ahead.
  const handle = await start(intent, { expires_at: new Date(0).toISOString() });
  await untilStatus(database, intent, 'open');
  expect(await handle.result()).toEqual({ status: 'expired' });
  // The gateway was not asked before the time.
  expect(fake.closed).toEqual([`cs_${intent.id}_1`]);
  keepHistory('payment-intent-early', await handle.fetchHistory());
});
