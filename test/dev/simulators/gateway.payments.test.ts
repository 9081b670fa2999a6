// The result of each action of a customer, and its notifications byte for byte.

import { formatAmount, type Minor } from '../../../domain/money';
import type { CheckoutRequest, Gateway } from '../../../gateway/port';
import { ACTIONS } from '../../../dev/simulators/gateway/courses';
import { signedText } from '../../../gateway/sandbox/call';
import { pauseAfter } from '../../../dev/simulators/gateway/notifier';
import { isGatewaySignature, signGatewayBody } from '../../../secrets/gateway-signature';
import { setUp } from '../../support/database';
import {
  actAt,
  adapterOf,
  callGateway,
  checkoutRequest,
  GATEWAY_SECRETS,
  listPayments,
  startNotificationReceiver,
  startTestGateway,
  stateOf,
  type AcceptedNotification,
} from '../../support/sandbox-gateway';
import { waitFor } from '../../support/wait';

const receiver = setUp(startNotificationReceiver);
const running = setUp(() => startTestGateway({ notification_url: receiver.url }));
let gateway: Gateway;
let live: Gateway;

beforeAll(async () => {
  gateway = adapterOf(running, 'sandbox');
  live = adapterOf(running, 'live');
});

function notificationsAbout({ intent_id }: CheckoutRequest): AcceptedNotification[] {
  return receiver.accepted.filter(({ json }) => json['intent_id'] === intent_id);
}

async function waitForNotifications(
  request: CheckoutRequest,
  count: number,
): Promise<AcceptedNotification[]> {
  return waitFor(() => {
    const notified = notificationsAbout(request);
    return notified.length >= count && notified;
  });
}

/** The exact body: these fields in this order, and no others. */
function bodyOf(
  request: CheckoutRequest,
  { json }: AcceptedNotification,
  type: string,
  rest = '',
  environment = 'sandbox',
): string {
  const { event_id, provider_payment_id, occurred_at } = json;
  expect(event_id).toMatch(/^evt_[a-z2-9]{24}$/);
  expect(provider_payment_id).toMatch(/^pay_[a-z2-9]{24}$/);
  expect(new Date(String(occurred_at)).toISOString()).toBe(occurred_at);
  return (
    `{"event_id":"${String(event_id)}","type":"${type}","intent_id":"${request.intent_id}",` +
    `"reference":"${request.reference}","amount":${formatAmount(request.amount)},` +
    `"currency":"${request.currency}","environment":"${environment}",` +
    `"provider_payment_id":"${String(provider_payment_id)}",${rest}"occurred_at":"${String(occurred_at)}"}`
  );
}

function expectSigned({ raw, headers }: AcceptedNotification): void {
  const header = headers['x-gateway-signature'];
  expect(isGatewaySignature(raw, header, GATEWAY_SECRETS.sandbox)).toBe(true);
  expect(isGatewaySignature(raw, header, GATEWAY_SECRETS.live)).toBe(false);
  expect(headers['content-type']).toBe('application/json');
}

describe('an action', () => {
  it('pay: one payment, notified once', async () => {
    const request = checkoutRequest();
    const { session_id, checkout_url } = await gateway.openCheckout(request);
    const response = await actAt(checkout_url, 'pay');
    expect([response.status, response.headers.get('location')]).toEqual([303, request.return_url]);
    const [notified] = await waitForNotifications(request, 1);
    expect(notified!.raw.toString()).toBe(bodyOf(request, notified!, 'payment.succeeded'));
    expectSigned(notified!);
    expect(await gateway.closeCheckout(session_id)).toEqual({
      state: 'paid',
      payment: {
        provider_payment_id: notified!.json['provider_payment_id'],
        amount_minor: '500000',
        currency: 'XOF',
        occurred_at: String(notified!.json['occurred_at']).replace('Z', '000Z'),
      },
    });
  });

  it('pay, with cents: the amount is a JSON number with two decimals', async () => {
    const request = checkoutRequest({ currency: 'EUR', amount: 123_450n as Minor });
    await actAt((await gateway.openCheckout(request)).checkout_url, 'pay');
    const [notified] = await waitForNotifications(request, 1);
    expect(notified!.raw.toString()).toContain('"amount":1234.50,"currency":"EUR"');
  });

  it('pay_slowly: pending now, paid later, as one payment', async () => {
    const request = checkoutRequest();
    const { session_id, checkout_url } = await gateway.openCheckout(request);
    // Long enough for a busy machine to ask in between.
    const response = await actAt(checkout_url, 'pay_slowly', { delay_ms: 5_000 });
    expect(response.status).toBe(303);
    expect(await stateOf(running, 'sandbox', session_id)).toEqual({ state: 'pending' });
    expect((await actAt(checkout_url, 'pay')).status).toBe(409);
    const [first] = await waitForNotifications(request, 1);
    expect(first!.raw.toString()).toBe(bodyOf(request, first!, 'payment.pending'));
    const [, second] = await waitForNotifications(request, 2);
    expect(second!.raw.toString()).toBe(bodyOf(request, second!, 'payment.succeeded'));
    expect(second!.json['provider_payment_id']).toBe(first!.json['provider_payment_id']);
    expect(second!.json['event_id']).not.toBe(first!.json['event_id']);
    expect(await stateOf(running, 'sandbox', session_id)).toMatchObject({ state: 'paid' });
  });

  it('decline_slowly: pending now, refused for good later', async () => {
    const request = checkoutRequest();
    const { session_id, checkout_url } = await gateway.openCheckout(request);
    await actAt(checkout_url, 'decline_slowly', { delay_ms: 0 });
    const notified = await waitForNotifications(request, 2);
    const types = new Set(notified.map(({ json }) => json['type']));
    expect(types).toEqual(new Set(['payment.pending', 'payment.failed']));
    expect(await stateOf(running, 'sandbox', session_id)).toMatchObject({
      state: 'failed',
      failure: { code: 'payment_refused' },
    });
  });

  it('pay_notify_twice: one payment, the same event two times', async () => {
    const request = checkoutRequest();
    const { checkout_url } = await gateway.openCheckout(request);
    await actAt(checkout_url, 'pay_notify_twice');
    const [first, second] = await waitForNotifications(request, 2);
    expect(second!.raw).toEqual(first!.raw);
    expect(first!.raw.toString()).toBe(bodyOf(request, first!, 'payment.succeeded'));
  });

  it('pay_twice: two payments with different ids', async () => {
    const request = checkoutRequest();
    const { checkout_url } = await gateway.openCheckout(request);
    await actAt(checkout_url, 'pay_twice');
    const notified = await waitForNotifications(request, 2);
    for (const one of notified) {
      expect(one.raw.toString()).toBe(bodyOf(request, one, 'payment.succeeded'));
    }
    for (const field of ['provider_payment_id', 'event_id']) {
      expect(new Set(notified.map(({ json }) => json[field])).size).toBe(2);
    }
  });

  it('decline_retry: failed, not final; then paid', async () => {
    const request = checkoutRequest();
    const { session_id, checkout_url } = await gateway.openCheckout(request);
    await actAt(checkout_url, 'decline_retry');
    const [notified] = await waitForNotifications(request, 1);
    const failure =
      '"final":false,"failure":{"code":"card_declined",' +
      '"message":"The payment was declined. Try again, or pay in another way."},';
    expect(notified!.raw.toString()).toBe(bodyOf(request, notified!, 'payment.failed', failure));
    expect(await stateOf(running, 'sandbox', session_id)).toEqual({ state: 'none' });
    expect((await actAt(checkout_url, 'pay')).status).toBe(303);
    expect(await stateOf(running, 'sandbox', session_id)).toMatchObject({ state: 'paid' });
  });

  it('decline: failed for good', async () => {
    const request = checkoutRequest();
    const { session_id, checkout_url } = await gateway.openCheckout(request);
    await actAt(checkout_url, 'decline');
    const [notified] = await waitForNotifications(request, 1);
    const failure =
      '"final":true,"failure":{"code":"payment_refused","message":"The payment was refused."},';
    expect(notified!.raw.toString()).toBe(bodyOf(request, notified!, 'payment.failed', failure));
    const failed = {
      state: 'failed',
      failure: { code: 'payment_refused', message: 'The payment was refused.' },
    };
    expect(await stateOf(running, 'sandbox', session_id)).toEqual(failed);
    expect((await actAt(checkout_url, 'pay')).status).toBe(409);
    expect(await gateway.closeCheckout(session_id)).toEqual(failed);
  });

  it('come_back_later: no payment and no notification', async () => {
    const request = checkoutRequest();
    const { session_id, checkout_url } = await gateway.openCheckout(request);
    const response = await actAt(checkout_url, 'come_back_later');
    expect([response.status, response.headers.get('location')]).toEqual([303, request.cancel_url]);
    expect(await stateOf(running, 'sandbox', session_id)).toEqual({ state: 'none' });
    expect((await listPayments(running, 'sandbox')).payments).not.toContainEqual(
      expect.objectContaining({ session_id }),
    );
  });

  it.each(ACTIONS.filter((action) => action !== 'come_back_later'))(
    '%s: refused once the checkout is closed',
    async (action) => {
      const { session_id, checkout_url } = await gateway.openCheckout(checkoutRequest());
      expect(await gateway.closeCheckout(session_id)).toEqual({ state: 'none' });
      expect((await actAt(checkout_url, action)).status).toBe(409);
      expect(await stateOf(running, 'sandbox', session_id)).toEqual({ state: 'none' });
    },
  );

  it('is refused when the session has expired', async () => {
    const expires_at = new Date(Date.now() - 1).toISOString();
    const { checkout_url, lapses_at } = await gateway.openCheckout(checkoutRequest({ expires_at }));
    expect(Date.parse(lapses_at!)).toBe(Date.parse(expires_at));
    expect((await actAt(checkout_url, 'pay')).status).toBe(409);
  });

  it.each(['action=steal', '', 'action=pay_slowly&delay_ms=-1', 'action=pay&delay_ms=99999999999'])(
    'is refused when it is %j',
    async (body) => {
      const { session_id, checkout_url } = await gateway.openCheckout(checkoutRequest());
      expect((await fetch(checkout_url, { method: 'POST', body })).status).toBe(422);
      expect(await stateOf(running, 'sandbox', session_id)).toEqual({ state: 'none' });
    },
  );

  it('in the live account is notified with the live secret', async () => {
    const request = checkoutRequest();
    await actAt((await live.openCheckout(request)).checkout_url, 'pay');
    const [notified] = await waitForNotifications(request, 1);
    expect(notified!.raw.toString()).toBe(
      bodyOf(request, notified!, 'payment.succeeded', '', 'live'),
    );
    const header = notified!.headers['x-gateway-signature'];
    expect(isGatewaySignature(notified!.raw, header, GATEWAY_SECRETS.live)).toBe(true);
    expect(isGatewaySignature(notified!.raw, header, GATEWAY_SECRETS.sandbox)).toBe(false);
  });
});

describe('opening', () => {
  it('returns the same session when repeated, also many times at once', async () => {
    const request = checkoutRequest();
    const calls = Array.from({ length: 10 }, () => gateway.openCheckout(request));
    const [first, ...others] = await Promise.all(calls);
    for (const other of others) expect(other).toEqual(first);
    await actAt(first!.checkout_url, 'pay');
    expect(await gateway.openCheckout(request)).toEqual(first);
  });

  it.each([
    ['amount', { amount: 500_100n as Minor }],
    ['currency', { currency: 'EUR' }],
    ['reference', { reference: 'TRX-OTHER' }],
  ] as const)('is refused with another %s', async (_field, other) => {
    const request = checkoutRequest();
    await gateway.openCheckout(request);
    await expect(gateway.openCheckout({ ...request, ...other })).rejects.toMatchObject({
      fault: 'refused',
    });
  });

  it('with the next number closes the session before; a lower number is refused', async () => {
    const request = checkoutRequest();
    const first = await gateway.openCheckout(request);
    const third = await gateway.openCheckout({ ...request, number: 3 });
    expect(third.session_id).not.toBe(first.session_id);
    expect((await actAt(first.checkout_url, 'pay')).status).toBe(409);
    expect(await gateway.openCheckout(request)).toEqual(first);
    await expect(gateway.openCheckout({ ...request, number: 2 })).rejects.toMatchObject({
      fault: 'refused',
    });
    expect((await actAt(third.checkout_url, 'pay')).status).toBe(303);
  });

  it('with the next number leaves a paid session as it is', async () => {
    const request = checkoutRequest();
    const first = await gateway.openCheckout(request);
    await actAt(first.checkout_url, 'pay');
    await gateway.openCheckout({ ...request, number: 2 });
    expect(await stateOf(running, 'sandbox', first.session_id)).toMatchObject({ state: 'paid' });
  });

  it('in one account is invisible to the other', async () => {
    const request = checkoutRequest();
    const { session_id, checkout_url } = await gateway.openCheckout(request);
    const other = await live.openCheckout(request);
    expect(other.session_id).not.toBe(session_id);
    await actAt(checkout_url, 'pay');
    expect(await stateOf(running, 'live', session_id)).toEqual({ state: 'none' });
    expect(await live.closeCheckout(session_id)).toEqual({ state: 'none' });
    expect(await stateOf(running, 'live', other.session_id)).toEqual({ state: 'none' });
  });
});

describe('closing', () => {
  it('succeeds when repeated, and for an unknown session', async () => {
    const { session_id } = await gateway.openCheckout(checkoutRequest());
    for (const id of [session_id, session_id, 'cs_unknown', 'a/b?c']) {
      expect(await gateway.closeCheckout(id)).toEqual({ state: 'none' });
    }
  });

  it('reports a pending payment, which still succeeds later', async () => {
    const request = checkoutRequest();
    const { session_id, checkout_url } = await gateway.openCheckout(request);
    // Long enough for a busy machine to ask in between.
    await actAt(checkout_url, 'pay_slowly', { delay_ms: 5_000 });
    expect(await gateway.closeCheckout(session_id)).toEqual({ state: 'pending' });
    await waitForNotifications(request, 2);
    expect(await gateway.closeCheckout(session_id)).toMatchObject({ state: 'paid' });
  });
});

describe('a refund', () => {
  async function paid(request = checkoutRequest()) {
    const { session_id, checkout_url } = await gateway.openCheckout(request);
    await actAt(checkout_url, 'pay');
    const state = await stateOf(running, 'sandbox', session_id);
    if (state.state !== 'paid') throw new Error('It was not paid.');
    return {
      provider_payment_id: state.payment.provider_payment_id,
      amount: request.amount,
      currency: request.currency,
      idempotency_key: `refund of ${session_id}`,
      reference: 'RFD-1',
    };
  }

  it('is made once, and returned again for the same key', async () => {
    const request = await paid();
    const calls = Array.from({ length: 10 }, () => gateway.refund(request));
    const [first, ...others] = await Promise.all(calls);
    for (const other of others) expect(other).toEqual(first);
    const { payments } = await listPayments(running, 'sandbox');
    const { provider_payment_id } = request;
    expect(payments).toContainEqual(
      expect.objectContaining({ provider_payment_id, refund_id: first!.refund_id }),
    );
  });

  it.each([
    ['with another key', { idempotency_key: 'another' }],
    ['of a part', { amount: 100n as Minor, idempotency_key: 'part' }],
    ['in another currency', { currency: 'USD', idempotency_key: 'dollars' }],
    ['of no payment', { provider_payment_id: 'pay_unknown', idempotency_key: 'unknown' }],
  ] as const)('is refused %s', async (_why, other) => {
    const request = await paid();
    await gateway.refund(request);
    await expect(gateway.refund({ ...request, ...other })).rejects.toMatchObject({
      name: 'GatewayError',
      fault: 'refused',
    });
  });

  it('is refused with a key that refunded another payment', async () => {
    const [one, other] = [await paid(), await paid()];
    await gateway.refund(one);
    await expect(
      gateway.refund({ ...other, idempotency_key: one.idempotency_key }),
    ).rejects.toMatchObject({ fault: 'refused' });
  });

  it('is refused for a failed payment, and in the other account', async () => {
    const request = checkoutRequest();
    await actAt((await gateway.openCheckout(request)).checkout_url, 'decline');
    const [notified] = await waitForNotifications(request, 1);
    const { amount, currency } = request;
    const provider_payment_id = String(notified!.json['provider_payment_id']);
    const order = { idempotency_key: 'declined', reference: 'RFD-1' };
    const refund = { provider_payment_id, amount, currency, ...order };
    await expect(gateway.refund(refund)).rejects.toMatchObject({ fault: 'refused' });
    await expect(live.refund(await paid())).rejects.toMatchObject({ fault: 'refused' });
  });
});

describe('a notification', () => {
  it('is sent again until it is accepted', async () => {
    const slow = await startNotificationReceiver();
    slow.answerWith(500);
    const own = await startTestGateway({ notification_url: slow.url });
    const request = checkoutRequest();
    await actAt((await adapterOf(own, 'sandbox').openCheckout(request)).checkout_url, 'pay');
    await waitFor(() => slow.tries() >= 1);
    // A redirect is not followed, and a lost connection counts as failure.
    slow.answerWith(302);
    expect((await listPayments(own, 'sandbox')).undelivered).toBe(1);
    await waitFor(() => slow.tries() >= 2);
    slow.answerWith(0);
    await waitFor(() => slow.tries() >= 3);
    slow.answerWith(204);
    await waitFor(() => slow.accepted.length === 1);
    await waitFor(async () => (await listPayments(own, 'sandbox')).undelivered === 0);
    expect(own.log.map(({ result }) => result).slice(0, 2)).toEqual(['status 500', 'status 302']);
  });
});

describe('the pause before the next try', () => {
  it('doubles from half a second to half a minute', () => {
    const pauses = Array.from({ length: 9 }, (_none, index) => pauseAfter(index + 1) / 1000);
    expect(pauses).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30, 30]);
  });
});

describe('the API', () => {
  const isRefused = async (response: Response): Promise<unknown> => {
    const { error } = (await response.json()) as { error: { code: string } };
    return [response.status, error.code];
  };

  it('refuses a call without a signature, or with one for another call', async () => {
    const other = { ...running, secrets: { live: ['x'], sandbox: ['y'] } };
    expect(await isRefused(await fetch(`${running.url}/payments`))).toEqual([401, 'unauthorized']);
    for (const [method, path] of [
      ['GET', '/payments'],
      ['POST', '/checkouts'],
      ['GET', '/checkouts/cs_x'],
      ['POST', '/checkouts/cs_x/close'],
      ['POST', '/refunds'],
      ['POST', '/faults'],
    ] as const) {
      const body = method === 'POST' ? {} : undefined;
      const response = await callGateway(other, 'sandbox', method, path, body);
      expect(await isRefused(response)).toEqual([401, 'unauthorized']);
    }
    // A valid signature, sent with another method or path.
    const signature = signGatewayBody(
      signedText('GET', '/payments', ''),
      GATEWAY_SECRETS.sandbox[0],
    );
    const send = async (method: string, path: string) => {
      const headers = { 'X-Gateway-Signature': signature };
      return (await fetch(running.url + path, { method, headers })).status;
    };
    expect(await send('GET', '/payments')).toBe(200);
    expect(await send('GET', '/payments?all')).toBe(401);
    expect(await send('GET', '/checkouts/cs_x')).toBe(401);
    expect(await send('POST', '/refunds')).toBe(401);
  });

  it.each([
    ['{', 'the body must be JSON'],
    ['[]', 'the body must be a JSON object'],
    ['{"number":1,"number":2}', 'the body has "number" twice'],
    ['['.repeat(40) + ']'.repeat(40), 'the body must be a JSON object'],
    [`{"a":${'['.repeat(40)}${']'.repeat(40)}}`, 'the body is nested deeper'],
    [{ currency: 'GBP' }, 'currency must be'],
    [{ return_url: 'javascript:alert(1)' }, 'return_url must be an http or https URL'],
    [{ return_url: 'no url' }, 'return_url must be an http or https URL'],
    [{ amount_minor: 500_000 }, 'amount_minor must be'],
    [{ amount_minor: '500050' }, 'amount_minor must be minor units as text, whole in XOF'],
    [{ amount_minor: '0' }, 'amount_minor must be'],
    [{ number: 0 }, 'number must be a whole number'],
    [{ number: 1.5 }, 'number must be a whole number'],
    [{ expires_at: '2026-01-01' }, 'expires_at must be an ISO 8601 instant'],
    [{ intent_id: '' }, 'intent_id must be text'],
    [{ reference: 'a\0b' }, 'reference must be text'],
  ])('refuses to open with %j', async (body, message) => {
    const { amount, ...rest } = checkoutRequest();
    const whole = { ...rest, amount_minor: String(amount) };
    const sent = typeof body === 'string' ? body : { ...whole, ...body };
    const response = await callGateway(running, 'sandbox', 'POST', '/checkouts', sent);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(response.status).toBe(422);
    expect(error.message).toContain(message);
  });

  it('refuses a body that is too large', async () => {
    const description = 'x'.repeat(70_000);
    const response = await callGateway(running, 'sandbox', 'POST', '/checkouts', { description });
    expect(response.status).toBe(413);
  });

  it('responds to a health check', async () => {
    expect(await (await fetch(`${running.url}/health`)).json()).toEqual({ ok: true });
  });
});

describe('starting', () => {
  const start = (secrets: Record<'live' | 'sandbox', string[]>) =>
    startTestGateway({ notification_url: receiver.url, secrets });

  it('is refused without secrets, with an empty one, or with one shared by both accounts', async () => {
    await expect(start({ live: [], sandbox: [] })).rejects.toThrow('needs secrets');
    await expect(start({ live: [''], sandbox: ['a'] })).rejects.toThrow('needs secrets');
    await expect(start({ live: ['a', 'b'], sandbox: ['b'] })).rejects.toThrow('must not share');
  });

  it('without live secrets has no live account', async () => {
    const own = await start({ live: [], sandbox: ['a'] });
    const response = await callGateway(
      { ...own, secrets: GATEWAY_SECRETS },
      'live',
      'GET',
      '/payments',
    );
    expect(response.status).toBe(401);
  });
});
