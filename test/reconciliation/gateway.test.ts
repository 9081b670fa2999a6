// F29: what a gateway's lists and our rows do not agree about. The simulator has its own books, and its
// notifications of these payments never arrive.

import { actAt, adapterOf, checkoutRequest, setFaults } from '../support/sandbox-gateway';
import { startNotificationReceiver, type NotificationReceiver } from '../support/sandbox-gateway';
import { expectBooksHold } from '../support/books';
import { waitFor } from '../support/wait';
import { postRefund, untilRefund } from '../api/support/refunds';
import { CLEAN, eachReconciled, summary } from './support';

let receiver: NotificationReceiver;
const { api, run, damage, wallet, restart, untilIntent, pursued } = eachReconciled(async () => {
  receiver = await startNotificationReceiver();
  return { gateway: { notification_url: receiver.url } };
});

type Paying = Parameters<typeof actAt>[2];

/** The customer pays, and the service is not notified. Returns the gateway's id of the payment. */
async function payUnheard(checkout_url: string, options: Paying = {}): Promise<string> {
  const before = receiver.accepted.length;
  await actAt(checkout_url, 'pay', options);
  const heard = await waitFor(() => receiver.accepted[before]);
  return String(heard.json['provider_payment_id']);
}

/** A link that was paid, and the service notified. */
async function payHeard(options?: Paying): Promise<{ id: string; payment: string }> {
  const { json: intent } = await api().create();
  const payment = await payUnheard(intent.checkout_url, options);
  await api().notify(intent, { provider_payment_id: payment });
  await untilIntent(intent.id, 'succeeded');
  return { id: intent.id, payment };
}

/** Ordered, and made: its workflow is over. */
async function refunded(id: string, fields = {}) {
  const { json } = await postRefund(api(), id, fields);
  await untilRefund(api(), json, 'succeeded');
  await pursued('refund', json.id);
  return json;
}

const ofSandbox = async () =>
  (await run()).findings.filter(({ check }) => check === 'gateway_sandbox');

it('finds nothing where both agree, also when the gateway fails once', async () => {
  await payHeard();
  await refunded((await payHeard()).id);
  await setFaults(api().gateway, 'sandbox', { fail: 'reset', only: 'list', calls: 1 });
  const outcome = await run();
  expect(summary(outcome)).toEqual(CLEAN);
  expect(outcome.checks.gateway_sandbox.compared).toBe(3n);
});

it('hands in a payment whose notification was lost, and books it once', async () => {
  const { json: intent } = await api().create();
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
  await untilIntent(intent.id, 'succeeded');
  const balance = await wallet();
  expect(balance).toBeGreaterThan(0n);
  // The gateway's own notification comes after all.
  await api().notify(intent, { provider_payment_id: payment });
  expect(summary(await run())).toEqual(CLEAN);
  expect(await wallet()).toBe(balance);
  await expectBooksHold(api().database.db);
});

it('holds in suspense what was paid for an intent that this database does not know', async () => {
  const { checkout_url } = await adapterOf(api().gateway, 'live').openCheckout(checkoutRequest());
  const payment = await payUnheard(checkout_url);
  expect((await run()).findings).toMatchObject([
    { check: 'gateway_live', kind: 'payment_missing', reference: payment, is_repaired: true },
  ]);
  await waitFor(async () => {
    const { rows } = await api().database.owner.raw('select * from suspense_items');
    return (rows as { reason: string }[])[0]?.reason === 'unknown_intent';
  });
  expect(summary(await run())).toEqual(CLEAN);
});

it('takes a payment that has just been made for one that is under way', async () => {
  await restart({ gateway: { notification_url: receiver.url } });
  const { json: intent } = await api().create();
  await payUnheard(intent.checkout_url);
  expect(summary(await run())).toEqual(CLEAN);
  expect(await wallet()).toBe(0n);
});

it('finds payments that differ, and repairs none of them', async () => {
  const { json: intent } = await api().create();
  await api().notify(intent, { provider_payment_id: 'pay_of_nobody' });
  await untilIntent(intent.id, 'succeeded');
  const [other, lost] = [await payHeard(), await payHeard()];
  const balance = await wallet();
  await damage('update gateway_payments set amount_minor = 400000 where provider_payment_id = ?', [
    other.payment,
  ]);
  await damage('delete from gateway_payments where provider_payment_id = ?', [lost.payment]);
  const { findings, checks } = await run();
  const found = findings.filter(({ check }) => check === 'gateway_sandbox');
  const differing = { check: 'gateway_sandbox', is_repaired: false };
  expect(found).toHaveLength(3);
  expect(found).toEqual(
    expect.arrayContaining([
      {
        ...differing,
        kind: 'payment_differs',
        reference: other.payment,
        detail: '5000.00 XOF at the gateway, 4000.00 XOF here',
      },
      {
        ...differing,
        kind: 'payment_unknown',
        reference: 'pay_of_nobody',
        detail: expect.stringMatching(/^5000\.00 XOF, booked 20/),
      },
      // It was reported, and is not handed in again.
      {
        ...differing,
        kind: 'payment_not_booked',
        reference: lost.payment,
        detail: expect.stringContaining('was applied as succeeded'),
      },
    ]),
  );
  expect(checks.books.status).toBe('found');
  expect(await wallet()).toBe(balance);
});

it('says that it has not checked when the gateway does not answer, and compares it the next time', async () => {
  const { json: intent } = await api().create();
  const payment = await payUnheard(intent.checkout_url);
  await setFaults(api().gateway, 'sandbox', { fail: '5xx', only: 'list' });
  const outcome = await run({});
  // The other checks are made all the same.
  expect(summary(outcome)).toEqual({ ...CLEAN, gateway_sandbox: 'not_checked' });
  expect(outcome.checks.gateway_sandbox.detail).toContain('503');
  expect(api().service.log).toContainEqual(
    expect.objectContaining({
      part: 'reconciliation',
      check: 'gateway_sandbox',
      status: 'not_checked',
    }),
  );
  await setFaults(api().gateway, 'sandbox', {});
  expect((await run({})).findings).toMatchObject([{ reference: payment, is_repaired: true }]);
});

it('finds refunds that differ: one that nobody ordered here, one that the gateway does not know, another amount', async () => {
  const first = await payHeard();
  const made = await adapterOf(api().gateway, 'sandbox').refund({
    provider_payment_id: first.payment,
    amount: 500_000n as never,
    currency: 'XOF',
    idempotency_key: 'by hand',
    reference: 'RFD-1',
  });
  const unknown = await refunded((await payHeard()).id);
  const other = await refunded((await payHeard()).id, { amount: 1000 });
  await damage("update refunds set gateway_refund_id = 're_of_nobody' where id = ?", [unknown.id]);
  await damage('update refunds set amount_minor = 200000 where id = ?', [other.id]);
  const found = await ofSandbox();
  const differing = { check: 'gateway_sandbox', is_repaired: false };
  expect(found).toHaveLength(4);
  expect(found).toEqual(
    expect.arrayContaining([
      {
        ...differing,
        kind: 'refund_missing',
        reference: made.refund_id,
        detail: expect.stringMatching(/^5000\.00 XOF of pay_.*, succeeded, made 20/),
      },
      expect.objectContaining({ ...differing, kind: 'refund_missing' }),
      {
        ...differing,
        kind: 'refund_unknown',
        reference: 're_of_nobody',
        detail: `${unknown.reference}: 5000.00 XOF, succeeded here`,
      },
      expect.objectContaining({
        ...differing,
        kind: 'refund_differs',
        detail: expect.stringMatching(/ 1000\.00 XOF of pay_\S+ at the gateway, 2000\.00 XOF of /),
      }),
    ]),
  );
});

it('asks again about a refund that failed later, when nobody was told', async () => {
  const { id } = await payHeard({ refunds: 'fail_later', delay_ms: 5_000 });
  const paid = await wallet();
  const heard = receiver.accepted.length;
  const refund = await refunded(id);
  await waitFor(() => receiver.accepted[heard]);
  // The workflow that is asked to look runs for a moment, and there is no grace.
  expect(await ofSandbox()).toEqual([
    {
      check: 'gateway_sandbox',
      kind: 'refund_status',
      reference: expect.stringMatching(/^re_/),
      detail: `${refund.reference}: failed at the gateway, succeeded here`,
      is_repaired: true,
    },
  ]);
  await untilRefund(api(), refund, 'failed');
  await pursued('refund', refund.id);
  expect(await wallet()).toBe(paid);
  expect(summary(await run())).toEqual(CLEAN);
});
