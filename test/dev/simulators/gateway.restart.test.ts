// The simulator as its own process (`bin/sandbox-gateway`), killed in the middle of its work.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { CheckoutRequest } from '../../../gateway/port';
import {
  actAt,
  adapterOf,
  checkoutRequest,
  createGatewayProcess,
  listPayments,
  newJournalFile,
  startNotificationReceiver,
  startTestGateway,
  stateOf,
  type GatewayProcess,
  type NotificationReceiver,
} from '../../support/sandbox-gateway';
import {
  actOnPayout,
  listPayouts,
  payoutOrder,
  payoutsOf,
  phone,
  setFloat,
} from '../../support/sandbox-payouts';
import { waitFor } from '../../support/wait';

let receiver: NotificationReceiver;
let gateway: GatewayProcess;

beforeEach(async () => {
  receiver = await startNotificationReceiver();
  gateway = await createGatewayProcess(receiver.url);
});

const notifiedTypes = (intent_id: string): unknown[] =>
  receiver.accepted
    .filter(({ json }) => json['intent_id'] === intent_id)
    .map(({ json }) => json['type']);

it('loses nothing that it has acknowledged when it is killed during payments', async () => {
  await gateway.start();
  // Nothing is accepted before the end, so every notification survives some of the kills.
  receiver.answerWith(503);
  const opened = new Map<string, CheckoutRequest>();
  const paid = new Set<string>();
  const adapter = adapterOf(gateway, 'sandbox');
  for (let round = 0; round < 3; round += 1) {
    let isOver = false;
    const buy = async (): Promise<void> => {
      while (!isOver) {
        const request = checkoutRequest();
        const { session_id, checkout_url } = await adapter.openCheckout(request);
        opened.set(session_id, request);
        if ((await actAt(checkout_url, 'pay')).status === 303) paid.add(session_id);
      }
    };
    const before = paid.size;
    // Each buyer ends when the kill cuts its connection.
    const buyers = Promise.allSettled(Array.from({ length: 8 }, buy));
    await waitFor(() => paid.size >= before + 40);
    await gateway.kill();
    isOver = true;
    await buyers;
    await gateway.start();
  }

  for (const [session_id, request] of opened) {
    // The same session, not a new one.
    expect((await adapter.openCheckout(request)).session_id).toBe(session_id);
  }
  const { payments } = await listPayments(gateway, 'sandbox');
  const kept = new Set(payments.map(({ session_id }) => session_id));
  expect([...paid].filter((session_id) => !kept.has(session_id))).toEqual([]);
  // One payment per session: no customer paid twice.
  expect(payments).toHaveLength(kept.size);

  receiver.answerWith(200);
  await waitFor(async () => (await listPayments(gateway, 'sandbox')).undelivered === 0);
  const notified = new Set(receiver.accepted.map(({ json }) => json['provider_payment_id']));
  expect(payments.filter((one) => !notified.has(one.provider_payment_id))).toEqual([]);
});

it('restores payments, refunds, disputes, closed sessions, payouts and balances, and goes on', async () => {
  await gateway.start();
  const [adapter, operator] = [adapterOf(gateway, 'live'), payoutsOf(gateway, 'live')];
  const [slow, bought] = [checkoutRequest(), checkoutRequest()];
  const first = await adapter.openCheckout(slow);
  await actAt(first.checkout_url, 'pay_slowly', { delay_ms: 1_500 });
  const second = await adapter.openCheckout(bought);
  await actAt(second.checkout_url, 'pay');
  const bank = { method: 'POST', body: new URLSearchParams({ course: 'open' }) };
  await fetch(`${second.checkout_url}/dispute`, bank);
  const state = await stateOf(gateway, 'live', second.session_id);
  if (state.state !== 'paid') throw new Error('It was not paid.');
  const { provider_payment_id } = state.payment;
  const { amount, currency } = bought;
  const order = { idempotency_key: 'once', reference: 'RFD-1' };
  const refund = { provider_payment_id, amount, currency, ...order };
  const refunded = await adapter.refund(refund);
  const third = await adapter.openCheckout(checkoutRequest());
  await adapter.closeCheckout(third.session_id);
  const queued = payoutOrder({ destination: phone('+221770000007') });
  await operator.send(queued);
  const returned = payoutOrder({ destination: phone('+221770000007') });
  await operator.send(returned);
  await actOnPayout(gateway, 'live', returned.id, { action: 'pay' });
  await actOnPayout(gateway, 'live', returned.id, { action: 'return', amount: '2000' });
  await setFloat(gateway, 'live', { currency: 'EUR', amount: '12.00' });
  const silent = payoutOrder({ destination: phone('+221770000011') });
  const sent = await operator.send(silent);
  const [payout, float] = [await operator.find(returned.id), await operator.float()];

  await gateway.kill();
  await gateway.start();
  expect(await stateOf(gateway, 'live', second.session_id)).toEqual(state);
  expect(await adapter.refund(refund)).toEqual(refunded);
  expect(await (await fetch(second.checkout_url)).text()).toContain('name="course" value="won"');
  expect((await actAt(third.checkout_url, 'pay')).status).toBe(409);
  expect(await operator.find(queued.id)).toMatchObject({ status: 'queued' });
  expect(await operator.find(returned.id)).toEqual(payout);
  expect(await operator.float()).toEqual(float);
  await waitFor(() => notifiedTypes(slow.intent_id).includes('payment.succeeded'));
  expect(await stateOf(gateway, 'live', first.session_id)).toMatchObject({ state: 'paid' });
  // The payout that was under way goes on, and is no second payment.
  await waitFor(async () => (await operator.send(silent)).status === 'succeeded');
  expect(await operator.send(silent)).toMatchObject({ ...sent, status: 'succeeded', paid: amount });
  expect(await operator.cancelQueued!(queued.id)).toMatchObject({ status: 'canceled' });
  expect(await listPayouts(gateway, 'live')).toHaveLength(3);
});

it('sends both copies of an event to be delivered twice, one before and one after the kill', async () => {
  await gateway.start();
  receiver.answerWith(503, 1);
  const request = checkoutRequest();
  const { checkout_url } = await adapterOf(gateway, 'sandbox').openCheckout(request);
  await actAt(checkout_url, 'pay_notify_twice');
  await waitFor(() => receiver.tries() >= 2);
  await waitFor(() => readFileSync(gateway.file, 'utf8').includes('"delivered"'));
  await gateway.kill();
  receiver.answerWith(200);
  await gateway.start();
  await waitFor(async () => (await listPayments(gateway, 'sandbox')).undelivered === 0);
  expect(notifiedTypes(request.intent_id)).toEqual(['payment.succeeded', 'payment.succeeded']);
});

it('stops on SIGTERM, and keeps undelivered notifications', async () => {
  await gateway.start();
  receiver.answerWith(503);
  const request = checkoutRequest();
  const { checkout_url } = await adapterOf(gateway, 'sandbox').openCheckout(request);
  await actAt(checkout_url, 'pay');
  expect(await gateway.terminate()).toBe(0);
  receiver.answerWith(200);
  await gateway.start();
  await waitFor(() => notifiedTypes(request.intent_id).length === 1);
  // Once it is recorded as delivered, it is not sent again.
  await waitFor(async () => (await listPayments(gateway, 'sandbox')).undelivered === 0);
  expect(await gateway.terminate()).toBe(0);
  await gateway.start();
  expect((await listPayments(gateway, 'sandbox')).undelivered).toBe(0);
  expect(notifiedTypes(request.intent_id)).toHaveLength(1);
});

it('refuses incomplete settings, and the journal of another process', async () => {
  const lacking = await createGatewayProcess('no url', { SANDBOX_GATEWAY_SECRETS: '' });
  await expect(lacking.start()).rejects.toThrow(
    /GATEWAY_NOTIFICATION_URL must match.*\n.*SANDBOX_GATEWAY_SECRETS must be set together/,
  );
  await gateway.start();
  const second = await createGatewayProcess(receiver.url, { SANDBOX_GATEWAY_FILE: gateway.file });
  await expect(second.start()).rejects.toThrow(/Process \d+ uses/);
});

it('ends when the journal cannot be written, and has acknowledged nothing that is not in it', async () => {
  // 8 blocks of 512 bytes: a few sessions.
  const full = await createGatewayProcess(receiver.url, {}, 'ulimit -f 8;');
  await full.start();
  const adapter = adapterOf(full, 'sandbox');
  const opened = new Map<string, CheckoutRequest>();
  await waitFor(async () => {
    const request = checkoutRequest();
    const checkout = await adapter.openCheckout(request).catch(() => undefined);
    if (checkout) opened.set(checkout.session_id, request);
    return full.exitCode() !== null;
  });
  expect([full.exitCode(), full.stderr()]).toEqual([1, expect.stringContaining('EFBIG')]);
  expect(opened.size).toBeGreaterThan(0);
  // Its last line is torn.
  expect(readFileSync(full.file, 'utf8')).toMatch(/[^\n]$/);
  const { file } = full;
  const again = await startTestGateway({ notification_url: receiver.url, file });
  for (const [session_id, request] of opened) {
    expect(await adapterOf(again, 'sandbox').openCheckout(request)).toMatchObject({ session_id });
  }
});

describe('a journal', () => {
  it('with a torn last line is truncated and continued', async () => {
    const file = newJournalFile();
    const options = { notification_url: receiver.url, file };
    const request = checkoutRequest();
    const first = await startTestGateway(options);
    const checkout = await adapterOf(first, 'sandbox').openCheckout(request);
    await first.stop();
    const whole = readFileSync(file, 'utf8');
    // Torn at several lengths, up to the last byte.
    const [line = ''] = whole.split('\n');
    for (const length of [1, 20, line.length - 1, line.length]) {
      writeFileSync(file, whole + line.slice(0, length));
      const again = await startTestGateway(options);
      expect(readFileSync(file, 'utf8')).toBe(whole);
      const { session_id } = await adapterOf(again, 'sandbox').openCheckout(request);
      expect(session_id).toBe(checkout.session_id);
      await again.stop();
    }
    const last = await startTestGateway(options);
    await adapterOf(last, 'sandbox').openCheckout(checkoutRequest());
    await last.stop();
    expect(readFileSync(file, 'utf8').startsWith(whole)).toBe(true);
  });

  it("with a damaged line in the middle is refused, with the line's number", async () => {
    const file = newJournalFile();
    writeFileSync(file, '');
    appendFileSync(file, '{"delivered":"evt_x"}\n{"records":\n');
    await expect(startTestGateway({ notification_url: receiver.url, file })).rejects.toThrow(
      `${file}:2 is not a line of JSON`,
    );
  });
});
