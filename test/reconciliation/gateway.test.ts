// F29: what a gateway's lists and our rows do not agree about. The simulator has its own books, and its
// notifications of these payments never arrive.

import type { Client } from '@temporalio/client';
import type { Environment } from '../../domain/environment';
import { pursuitWorkflowId } from '../../domain/ids';
import { actAt, adapterOf, checkoutRequest, setFaults } from '../support/sandbox-gateway';
import { startNotificationReceiver, type NotificationReceiver } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { postRefund, untilRefund } from '../api/support/refunds';
import { handleOf } from '../workflows/intents';
import { reconcile, summary, type Outcome } from './support';

let receiver: NotificationReceiver;
let api: TestApi;
let temporal: Client;

const CLEAN = {
  books: 'clean',
  losses: 'clean',
  gateway_live: 'clean',
  gateway_sandbox: 'clean',
  events: 'clean',
  workflows: 'clean',
  findings: [],
};

// A database and a gateway for each test: a defect is not undone.
beforeEach(async () => {
  temporal = await connectTestTemporal();
  receiver = await startNotificationReceiver();
  api = await startTestApi({
    overrides: { reconcile_grace_ms: 0 },
    gateway: { notification_url: receiver.url },
  });
});

afterEach(async () => {
  await api.service.stop();
  await api.gateway.stop();
  await api.database.close();
});

function run(order?: Parameters<typeof reconcile>[1]): Promise<Outcome> {
  const { task_queue } = api.service.config;
  return reconcile({ database: api.database, temporal, task_queue }, order);
}

/** The customer pays, and the service is not notified. Returns the gateway's id of the payment. */
async function payUnheard(checkout_url: string): Promise<string> {
  const before = receiver.accepted.length;
  await actAt(checkout_url, 'pay');
  const heard = await waitFor(() => receiver.accepted[before]);
  return String(heard.json['provider_payment_id']);
}

/** A link that was paid, and the service notified. */
async function payHeard(): Promise<{ id: string; payment: string }> {
  const { json: intent } = await api.create();
  const payment = await payUnheard(intent.checkout_url);
  await api.notify(intent, { provider_payment_id: payment });
  await untilSucceeded(intent.id);
  return { id: intent.id, payment };
}

/** The workflow, too: a row ends before it does, and without grace what runs in between is a finding. */
async function untilSucceeded(id: string): Promise<void> {
  await waitFor(async () => (await api.show(id)).json.status === 'succeeded');
  await handleOf(temporal, { id }).result();
}

/** The workflow, too. */
async function untilRefunded({ id }: { readonly id: string }): Promise<void> {
  await untilRefund(api, { id }, 'succeeded');
  await temporal.workflow.getHandle(pursuitWorkflowId('refund', 'sandbox', id)).result();
}

async function damage(sql: string, values: readonly string[]): Promise<void> {
  await api.database.owner.transaction(async (tx) => {
    await tx.raw('set local session_replication_role = replica');
    const { rowCount } = (await tx.raw(sql, [...values])) as { rowCount: number | null };
    expect(rowCount).toBe(1);
  });
}

function wallet(environment: Environment = 'sandbox'): Promise<bigint> {
  return balanceOf(api.database.db, api.merchant, 'XOF', environment);
}

describe('F29 payments', () => {
  it('finds nothing where both agree', async () => {
    await payHeard();
    const outcome = await run();
    expect(summary(outcome)).toEqual(CLEAN);
    expect(outcome.checks.gateway_sandbox.compared).toBe(1n);
  });

  it('hands in a payment whose notification was lost, and books it once', async () => {
    const { json: intent } = await api.create();
    const payment = await payUnheard(intent.checkout_url);
    expect((await run()).findings).toEqual([
      {
        check: 'gateway_sandbox',
        kind: 'payment_missing',
        reference: payment,
        detail: expect.stringMatching(/^5000\.00 XOF, taken 20/),
        is_repaired: true,
      },
    ]);
    await untilSucceeded(intent.id);
    const balance = await wallet();
    expect(balance).toBeGreaterThan(0n);
    // The gateway's own notification comes after all.
    await api.notify(intent, { provider_payment_id: payment });
    expect(summary(await run())).toEqual(CLEAN);
    expect(await wallet()).toBe(balance);
    await expectBooksHold(api.database.db);
  });

  it('holds in suspense what was paid for an intent that this database does not know', async () => {
    const { checkout_url } = await adapterOf(api.gateway, 'live').openCheckout(checkoutRequest());
    const payment = await payUnheard(checkout_url);
    expect((await run()).findings).toMatchObject([
      { check: 'gateway_live', kind: 'payment_missing', reference: payment, is_repaired: true },
    ]);
    await waitFor(async () => {
      const { rows } = await api.database.owner.raw('select * from suspense_items');
      return (rows as { reason: string }[])[0]?.reason === 'unknown_intent';
    });
    expect(summary(await run())).toEqual(CLEAN);
  });

  it('takes a payment that has just been made for one that is under way', async () => {
    await api.service.stop();
    await api.gateway.stop();
    api = await startTestApi({ gateway: { notification_url: receiver.url } });
    const { json: intent } = await api.create();
    await payUnheard(intent.checkout_url);
    expect(summary(await run())).toEqual(CLEAN);
    expect(await wallet()).toBe(0n);
  });

  it('finds a booked payment that the gateway has not taken, and another amount', async () => {
    const { json: intent } = await api.create();
    await api.notify(intent, { provider_payment_id: 'pay_of_nobody' });
    await untilSucceeded(intent.id);
    const { payment } = await payHeard();
    await damage(
      'update gateway_payments set amount_minor = 400000 where provider_payment_id = ?',
      [payment],
    );
    const { findings, checks } = await run();
    expect(findings.filter(({ check }) => check === 'gateway_sandbox')).toEqual([
      {
        check: 'gateway_sandbox',
        kind: 'payment_differs',
        reference: payment,
        detail: '5000.00 XOF at the gateway, 4000.00 XOF here',
        is_repaired: false,
      },
      {
        check: 'gateway_sandbox',
        kind: 'payment_unknown',
        reference: 'pay_of_nobody',
        detail: expect.stringMatching(/^5000\.00 XOF, booked 20/),
        is_repaired: false,
      },
    ]);
    expect(checks.books.status).toBe('found');
  });

  it('does not hand in again what was reported, when the row of its booking is gone', async () => {
    const { payment } = await payHeard();
    const balance = await wallet();
    await damage('delete from gateway_payments where provider_payment_id = ?', [payment]);
    const { findings } = await run();
    expect(findings.filter(({ check }) => check === 'gateway_sandbox')).toMatchObject([
      {
        kind: 'payment_not_booked',
        reference: payment,
        detail: expect.stringContaining('was applied as succeeded'),
        is_repaired: false,
      },
    ]);
    expect(await wallet()).toBe(balance);
  });

  it('says that it has not checked when the gateway does not answer, and compares it the next time', async () => {
    const { json: intent } = await api.create();
    const payment = await payUnheard(intent.checkout_url);
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'list' });
    const outcome = await run({});
    // The other checks are made all the same.
    expect(summary(outcome)).toEqual({ ...CLEAN, gateway_sandbox: 'not_checked' });
    expect(outcome.checks.gateway_sandbox.detail).toContain('503');
    expect(api.service.log).toContainEqual(
      expect.objectContaining({
        part: 'reconciliation',
        check: 'gateway_sandbox',
        status: 'not_checked',
      }),
    );
    await setFaults(api.gateway, 'sandbox', {});
    expect((await run({})).findings).toMatchObject([{ reference: payment, is_repaired: true }]);
  });

  it('asks on when the gateway fails once', async () => {
    await payHeard();
    await setFaults(api.gateway, 'sandbox', { fail: 'reset', only: 'list', calls: 1 });
    expect(summary(await run())).toEqual(CLEAN);
  });
});

describe('F29 refunds', () => {
  it('finds nothing where both agree', async () => {
    const { id } = await payHeard();
    const { json: refund } = await postRefund(api, id);
    await untilRefunded(refund);
    const outcome = await run();
    expect(summary(outcome)).toEqual(CLEAN);
    expect(outcome.checks.gateway_sandbox.compared).toBe(2n);
  });

  it('finds one that nobody ordered here, and one that the gateway does not know', async () => {
    const first = await payHeard();
    const made = await adapterOf(api.gateway, 'sandbox').refund({
      provider_payment_id: first.payment,
      amount: 500_000n as never,
      currency: 'XOF',
      idempotency_key: 'by hand',
      reference: 'RFD-1',
    });
    const second = await payHeard();
    const { json: refund } = await postRefund(api, second.id);
    await untilRefunded(refund);
    await damage("update refunds set gateway_refund_id = 're_of_nobody' where id = ?", [refund.id]);
    const { findings } = await run();
    expect(findings.filter(({ check }) => check === 'gateway_sandbox')).toEqual([
      expect.objectContaining({
        kind: 'refund_missing',
        reference: made.refund_id,
        detail: expect.stringMatching(/^5000\.00 XOF of pay_.*, succeeded, made 20/),
        is_repaired: false,
      }),
      expect.objectContaining({ kind: 'refund_missing', is_repaired: false }),
      {
        check: 'gateway_sandbox',
        kind: 'refund_unknown',
        reference: 're_of_nobody',
        detail: `${refund.reference}: 5000.00 XOF, succeeded here`,
        is_repaired: false,
      },
    ]);
  });

  it('asks again about one that failed later, when nobody was told', async () => {
    const { json: intent } = await api.create();
    const before = receiver.accepted.length;
    await actAt(intent.checkout_url, 'pay', { refunds: 'fail_later', delay_ms: 5_000 });
    const heard = await waitFor(() => receiver.accepted[before]);
    await api.notify(intent, { provider_payment_id: heard.json['provider_payment_id'] });
    await untilSucceeded(intent.id);
    const paid = await wallet();
    const { json: refund } = await postRefund(api, intent.id);
    await untilRefunded(refund);
    await waitFor(() => receiver.accepted[before + 1]);
    const { findings } = await run();
    // The workflow that is asked to look runs for a moment, and there is no grace.
    expect(findings.filter(({ check }) => check === 'gateway_sandbox')).toEqual([
      {
        check: 'gateway_sandbox',
        kind: 'refund_status',
        reference: expect.stringMatching(/^re_/),
        detail: `${refund.reference}: failed at the gateway, succeeded here`,
        is_repaired: true,
      },
    ]);
    await untilRefund(api, refund, 'failed');
    await temporal.workflow.getHandle(pursuitWorkflowId('refund', 'sandbox', refund.id)).result();
    expect(await wallet()).toBe(paid);
    expect(summary(await run())).toEqual(CLEAN);
  });

  it('finds another amount', async () => {
    const { id } = await payHeard();
    const { json: refund } = await postRefund(api, id, { amount: 1000 });
    await untilRefunded(refund);
    await damage('update refunds set amount_minor = 200000 where id = ?', [refund.id]);
    const { findings } = await run();
    expect(findings.filter(({ check }) => check === 'gateway_sandbox')).toMatchObject([
      {
        kind: 'refund_differs',
        detail: expect.stringMatching(/ 1000\.00 XOF of pay_\S+ at the gateway, 2000\.00 XOF of /),
      },
    ]);
  });
});
