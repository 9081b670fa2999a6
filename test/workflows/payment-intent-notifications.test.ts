import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { storeNotification } from '../../db/suspense/notifications';
import { acceptSuspense } from '../../db/suspense/suspense';
import type { Currency } from '../../domain/currency';
import { pursuitWorkflowId } from '../../domain/ids';
import type { PaymentNotification } from '../../domain/payment';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { request } from '../support/http';
import {
  actAt,
  listPayments,
  setFaults,
  startNotificationReceiver,
} from '../support/sandbox-gateway';
import { startTestApi, sendNotification, type TestApi } from '../support/api';
import { startTestService } from '../support/service';
import { WORKFLOW_TYPES } from '../../workflows/messages';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import {
  eventsOf,
  FAILURE,
  handleOf,
  orderRefund,
  statusOf,
  suspenseOf,
  untilApplied,
  untilShown,
  type Intent,
} from './intents';

let api: TestApi;
let temporal: Client;

beforeAll(async () => {
  api = await startTestApi();
  temporal = await connectTestTemporal();
});

beforeEach(() => setFaults(api.gateway, 'sandbox', {}));

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

const balance = (currency: Currency = 'XOF'): Promise<bigint> =>
  balanceOf(api.database.db, api.merchant, currency, 'sandbox');

async function heldOf(provider_payment_id: string) {
  const { rows } = await api.database.owner.raw(
    `select id, reason, environment, currency, amount_minor, intent_id, status
       from suspense_items where provider_payment_id = ?`,
    [provider_payment_id],
  );
  return rows as {
    id: string;
    reason: string;
    environment: string;
    currency: string;
    amount_minor: bigint;
    intent_id: string | null;
    status: string;
  }[];
}

describe('money that an intent cannot take', () => {
  const create = async (fields = {}): Promise<Intent> => (await api.create(fields)).json;

  // Each reason: test/db/intents.test.ts.
  it('is held when it has another amount, and the intent stays open for the right one', async () => {
    const before = await balance();
    const intent = await create();
    expect((await api.notify(intent, { amount: 4999 })).status).toBe(200);
    expect(await untilApplied(api.database, intent, 1)).toEqual(['suspense']);
    expect(await suspenseOf(api.database, intent)).toMatchObject([{ reason: 'amount' }]);
    expect(await statusOf(api.database, intent)).toBe('open');
    await api.notify(intent);
    await untilShown(api, intent, 'succeeded');
    expect(await balance()).toBe(before + 500_000n);
  });

  it('is held in its own environment when the other account tells of our intent', async () => {
    const intent = await create();
    const provider_payment_id = `pay_${randomUUID()}`;
    const foreign = { ...intent, environment: 'live' };
    const answer = await sendNotification(api.notification_url, foreign, { provider_payment_id });
    expect(answer.status).toBe(200);
    const items = await waitFor(async () => {
      const found = await heldOf(provider_payment_id);
      return found.length > 0 && found;
    });
    expect(items).toMatchObject([
      { reason: 'unknown_intent', environment: 'live', intent_id: null },
    ]);
    expect(await statusOf(api.database, intent)).toBe('open');
    // A body that names another environment than its secret is not believed.
    expect((await api.notify(intent, { environment: 'live' })).status).toBe(401);
  });

  it('is held when it comes twice, as two payments', async () => {
    const before = await balance();
    const intent = await create();
    await actAt(intent.checkout_url, 'pay_twice');
    expect(new Set(await untilApplied(api.database, intent, 2))).toEqual(
      new Set(['succeeded', 'suspense']),
    );
    expect(await suspenseOf(api.database, intent)).toMatchObject([{ reason: 'second_payment' }]);
    expect(await balance()).toBe(before + 500_000n);
    expect(await eventsOf(api.database, intent)).toEqual(['payment.succeeded']);
  });

  it('is not money when the same payment is told of twice', async () => {
    const before = await balance();
    const intent = await create();
    await actAt(intent.checkout_url, 'pay_notify_twice');
    await untilShown(api, intent, 'succeeded');
    await waitFor(async () => (await listPayments(api.gateway, 'sandbox')).undelivered === 0);
    expect(await untilApplied(api.database, intent, 1)).toEqual(['succeeded']);
    expect(await balance()).toBe(before + 500_000n);
  });
});

describe('a payment in one environment', () => {
  it('is nothing in the other: wallets, events and the same key are apart', async () => {
    const idempotency_key = randomUUID();
    const [live, sandbox] = await Promise.all([
      api.create({ expires_in: 900 }, { key: api.live_key, idempotency_key }),
      api.create({ expires_in: 900 }, { idempotency_key }),
    ]);
    expect([live.status, sandbox.status]).toEqual([201, 201]);
    expect(live.json.id).not.toBe(sandbox.json.id);
    const before = {
      live: await balanceOf(api.database.db, api.merchant, 'XOF', 'live'),
      sandbox: await balance(),
    };
    await actAt(live.json.checkout_url, 'pay');
    await waitFor(async () => {
      const { json } = await api.show(live.json.id, api.live_key);
      return json.status === 'succeeded';
    });
    expect(await balanceOf(api.database.db, api.merchant, 'XOF', 'live')).toBe(
      before.live + 500_000n,
    );
    expect(await balance()).toBe(before.sandbox);
    expect(await statusOf(api.database, sandbox.json)).toBe('open');
    const { rows } = await api.database.owner.raw(
      `select environment, sequence from events where intent_id = ?`,
      [live.json.id],
    );
    // The first of its environment, whatever happened in the other.
    expect(rows).toEqual([{ environment: 'live', sequence: 1n }]);
    await actAt(sandbox.json.checkout_url, 'pay');
    await untilShown(api, sandbox.json, 'succeeded');
    expect(await balance()).toBe(before.sandbox + 500_000n);
  });
});

describe('money in suspense', () => {
  /** A second payment that the gateway knows: held. */
  async function hold(): Promise<{ intent: Intent; item: string }> {
    const { json: intent } = await api.create();
    await actAt(intent.checkout_url, 'pay_twice');
    await untilApplied(api.database, intent, 2);
    const [item] = await suspenseOf(api.database, intent);
    return { intent, item: item!.id };
  }

  const refund = async (item: string) => {
    await orderRefund(api.database, item);
    return temporal.workflow.start(WORKFLOW_TYPES.pursue, {
      workflowId: pursuitWorkflowId('suspense-refund', 'sandbox', item),
      taskQueue: api.service.config.task_queue,
      args: ['suspense-refund', item],
    });
  };

  async function refundsAtGateway(intent: Intent): Promise<number> {
    const { payments } = await listPayments(api.gateway, 'sandbox');
    return payments.filter((one) => one.intent_id === intent.id && one.refund_id !== null).length;
  }

  async function refundsBooked({ id }: Intent): Promise<number> {
    const { rows } = await api.database.owner.raw(
      `select from ledger_transactions j join suspense_items s on s.reference = j.description
        where j.kind = 'refund' and s.intent_id = ?`,
      [id],
    );
    return (rows as unknown[]).length;
  }

  it('is accepted once, however often it is asked for', async () => {
    const { item } = await hold();
    const before = await balance();
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => acceptSuspense(api.database.operator, item, 'test')),
    );
    const accepted = results.filter(({ status }) => status === 'fulfilled');
    expect(accepted).toHaveLength(1);
    expect(accepted[0]).toMatchObject({ value: { balance_minor: before + 500_000n } });
    expect(await balance()).toBe(before + 500_000n);
    const handle = await refund(item);
    expect(await handle.result()).toBe('accepted');
    const { reference } = (accepted[0] as PromiseFulfilledResult<{ reference: string }>).value;
    const listed = await request(api.service, 'GET', `/transactions?type=deposit`, {
      key: api.test_key,
    });
    expect(listed.json.transactions).toContainEqual(expect.objectContaining({ reference }));
  });

  it('is given back at the gateway once and booked once', async () => {
    const { intent, item } = await hold();
    const before = await balance();
    const handle = await refund(item);
    expect(await handle.result()).toBe('refunded');
    // An operator who asks again.
    expect(await (await refund(item)).result()).toBe('refunded');
    expect(await refundsAtGateway(intent)).toBe(1);
    expect(await refundsBooked(intent)).toBe(1);
    expect(await suspenseOf(api.database, intent)).toMatchObject([{ status: 'refunded' }]);
    expect(await balance()).toBe(before);
    await expect(acceptSuspense(api.database.operator, item, 'test')).rejects.toThrow(
      'cannot be accepted',
    );
  });

  it.each([
    ['its answer is lost', { fail: 'reset', after_work: true }],
    ['the gateway answers too late', { answer_after_timeout: true }],
    ['the gateway is down', { fail: '5xx' }],
  ] as const)('is given back once when %s', async (_, faults) => {
    const { intent, item } = await hold();
    await setFaults(api.gateway, 'sandbox', { only: 'refund', calls: 1, ...faults });
    const handle = await refund(item);
    expect(await handle.result()).toBe('refunded');
    expect(await refundsAtGateway(intent)).toBe(1);
    expect(await refundsBooked(intent)).toBe(1);
  });
});

describe('a notification that no workflow waits for', () => {
  it('of an intent whose workflow is lost settles it all the same', async () => {
    const before = await balance();
    const { json: intent } = await api.create();
    await handleOf(temporal, intent).terminate('lost, as if its history were gone');
    await actAt(intent.checkout_url, 'pay');
    await untilShown(api, intent, 'succeeded');
    expect(await balance()).toBe(before + 500_000n);
    expect(await eventsOf(api.database, intent)).toEqual(['payment.succeeded']);
  });

  it('is applied in each of its kinds by the workflow, which is started again', async () => {
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
    const before = await balance();
    const { json: intent } = await api.create();
    await api.cancel(intent.id);
    await handleOf(temporal, intent).result();
    await Promise.all(Array.from({ length: 3 }, () => api.notify(intent)));
    expect(await untilApplied(api.database, intent, 3)).toEqual([
      'suspense',
      'suspense',
      'suspense',
    ]);
    const items = await suspenseOf(api.database, intent);
    expect(items.map(({ reason }) => reason)).toEqual(['late', 'late', 'late']);
    expect(await balance()).toBe(before);
  });
});

describe('the sweeper', () => {
  it('hands over what was stored and never signalled, to running intents and to none', async () => {
    const receiver = await startNotificationReceiver();
    const own = await startTestApi({ gateway: { notification_url: receiver.url } });
    const sweeping = await startTestService({
      database: own.database,
      overrides: { gateway: own.service.config.gateway, notification_sweep_seconds: 1 },
    });
    const schedule = temporal.schedule.getHandle(
      `notification-sweep/${sweeping.config.task_queue}`,
    );
    try {
      const [running, gone, closed] = await Promise.all([own.create(), own.create(), own.create()]);
      await handleOf(temporal, gone.json).terminate('lost, as if its history were gone');
      await own.cancel(closed.json.id);
      const store = ({ id, reference }: Intent): Promise<unknown> => {
        const notification: PaymentNotification = {
          event_id: `evt_${randomUUID()}`,
          environment: 'sandbox',
          type: 'payment.succeeded',
          final: true,
          intent_id: id,
          reference,
          provider_payment_id: `pay_${randomUUID()}`,
          amount_minor: '500000',
          currency: 'XOF',
          failure: null,
          occurred_at: new Date().toISOString(),
        };
        return storeNotification(own.database.db, 'sandbox', notification, Buffer.from('{}'));
      };
      await Promise.all([store(running.json), store(gone.json), store(closed.json)]);
      await untilShown(own, running.json, 'succeeded');
      await untilShown(own, gone.json, 'succeeded');
      expect(await untilApplied(own.database, closed.json, 1)).toEqual(['suspense']);
      const wallet = await balanceOf(own.database.db, own.merchant, 'XOF', 'sandbox');
      expect(wallet).toBe(1_000_000n);
      await expectBooksHold(own.database.db);
      // It goes on, and finds nothing more.
      const { numActionsTaken } = (await schedule.describe()).info;
      await waitFor(async () => (await schedule.describe()).info.numActionsTaken > numActionsTaken);
    } finally {
      await schedule.delete();
    }
  });
});
