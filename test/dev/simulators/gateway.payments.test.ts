// The result of each action of a customer, and its notifications byte for byte.

import { ENVIRONMENTS } from '../../../domain/environment';
import { formatAmount, type Minor } from '../../../domain/money';
import type { CheckoutRequest } from '../../../gateway/port';
import { ACTIONS, type Action } from '../../../dev/simulators/gateway/courses';
import { signedText } from '../../../gateway/sandbox/call';
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
const gateway = setUp(async () => adapterOf(running, 'sandbox'));
const live = setUp(async () => adapterOf(running, 'live'));

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

/** Checks each byte and the signature of a notification, and returns what it tells. */
function told(
  request: CheckoutRequest,
  { raw, headers, json }: AcceptedNotification,
  environment = 'sandbox',
): object {
  const { event_id, type, provider_payment_id, occurred_at, final, failure } = json;
  expect(event_id).toMatch(/^evt_[a-z2-9]{24}$/);
  expect(provider_payment_id).toMatch(/^pay_[a-z2-9]{24}$/);
  expect(new Date(String(occurred_at)).toISOString()).toBe(occurred_at);
  const end = failure ? `"final":${String(final)},"failure":${JSON.stringify(failure)},` : '';
  expect(raw.toString()).toBe(
    `{"event_id":"${String(event_id)}","type":"${String(type)}","intent_id":"${request.intent_id}",` +
      `"reference":"${request.reference}","amount":${formatAmount(request.amount)},` +
      `"currency":"${request.currency}","environment":"${environment}",` +
      `"provider_payment_id":"${String(provider_payment_id)}",${end}"occurred_at":"${String(occurred_at)}"}`,
  );
  expect(headers['content-type']).toBe('application/json');
  const signature = headers['x-gateway-signature'];
  const signers = ENVIRONMENTS.filter((one) =>
    isGatewaySignature(raw, signature, GATEWAY_SECRETS[one]),
  );
  expect(signers).toEqual([environment]);
  return failure ? { type, final, failure } : { type };
}

/** Opens a checkout, and does something in it. */
async function act(action: Action, delay_ms = 0) {
  const request = checkoutRequest();
  const { session_id, checkout_url: url } = await gateway.openCheckout(request);
  return { request, session_id, url, response: await actAt(url, action, { delay_ms }) };
}

const SUCCEEDED = { type: 'payment.succeeded' };
const PENDING = { type: 'payment.pending' };
const refusal = { code: 'payment_refused', message: 'The payment was refused.' };
const REFUSED = { type: 'payment.failed', final: true, failure: refusal };
const message = 'The payment was declined. Try again, or pay in another way.';
const DECLINED = {
  type: 'payment.failed',
  final: false,
  failure: { code: 'card_declined', message },
};

describe('an action', () => {
  it.each<[Action, object[], object, Partial<Record<'events' | 'payments', number>>?]>([
    ['pay', [SUCCEEDED], { state: 'paid' }],
    ['pay_twice', [SUCCEEDED, SUCCEEDED], { state: 'paid' }, { payments: 2 }],
    ['pay_notify_twice', [SUCCEEDED, SUCCEEDED], { state: 'paid' }, { events: 1 }],
    ['decline', [REFUSED], { state: 'failed', failure: refusal }],
    ['decline_slowly', [REFUSED, PENDING], { state: 'failed', failure: refusal }],
    ['decline_retry', [DECLINED], { state: 'none' }],
    ['come_back_later', [], { state: 'none' }, { payments: 0 }],
  ])('%s is told, and leaves the checkout, as the table says', async (...row) => {
    const [action, expected, state, { events = expected.length, payments = 1 } = {}] = row;
    const { request, session_id, url, response } = await act(action);
    const back = action === 'come_back_later' ? request.cancel_url : request.return_url;
    expect([response.status, response.headers.get('location')]).toEqual([303, back]);
    const notified = await waitForNotifications(request, expected.length);
    const type = ({ json }: AcceptedNotification): string => String(json['type']);
    const sorted = [...notified].sort((one, other) => (type(one) < type(other) ? -1 : 1));
    expect(sorted.map((one) => told(request, one))).toEqual(expected);
    const count = (field: string) => new Set(notified.map(({ json }) => json[field])).size;
    expect([count('event_id'), count('provider_payment_id')]).toEqual([events, payments]);
    expect(await stateOf(running, 'sandbox', session_id)).toMatchObject(state);
    // A failure that is not final leaves it open.
    const is_open = 'state' in state && state.state === 'none';
    expect((await actAt(url, 'pay')).status).toBe(is_open ? 303 : 409);
    const closed = await gateway.closeCheckout(session_id);
    expect(closed).toMatchObject(is_open ? { state: 'paid' } : state);
  });

  it('pay gives the payment, with cents where there are any, in the live account too', async () => {
    const request = checkoutRequest({ currency: 'EUR', amount: 123_450n as Minor });
    const { session_id, checkout_url } = await live.openCheckout(request);
    await actAt(checkout_url, 'pay');
    const [notified] = await waitForNotifications(request, 1);
    expect(told(request, notified!, 'live')).toEqual(SUCCEEDED);
    expect(notified!.raw.toString()).toContain('"amount":1234.50,"currency":"EUR"');
    expect(await live.closeCheckout(session_id)).toEqual({
      state: 'paid',
      payment: {
        provider_payment_id: notified!.json['provider_payment_id'],
        amount_minor: '123450',
        currency: 'EUR',
        occurred_at: String(notified!.json['occurred_at']).replace('Z', '000Z'),
      },
    });
  });

  it('pay_slowly: pending now, also when it is closed, and paid later, as one payment', async () => {
    // Long enough for a busy machine to ask in between.
    const { request, session_id, url } = await act('pay_slowly', 5_000);
    expect(await stateOf(running, 'sandbox', session_id)).toEqual({ state: 'pending' });
    expect((await actAt(url, 'pay')).status).toBe(409);
    expect(await gateway.closeCheckout(session_id)).toEqual({ state: 'pending' });
    const [first] = await waitForNotifications(request, 1);
    expect(told(request, first!)).toEqual(PENDING);
    const [, second] = await waitForNotifications(request, 2);
    expect(told(request, second!)).toEqual(SUCCEEDED);
    expect(second!.json['provider_payment_id']).toBe(first!.json['provider_payment_id']);
    expect(second!.json['event_id']).not.toBe(first!.json['event_id']);
    expect(await gateway.closeCheckout(session_id)).toMatchObject({ state: 'paid' });
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
});

describe('a refund', () => {
  /** The request for a refund of a new payment. */
  async function paid(at = gateway) {
    const request = checkoutRequest();
    const { session_id, checkout_url } = await at.openCheckout(request);
    await actAt(checkout_url, 'pay');
    const state = await at.closeCheckout(session_id);
    if (state.state !== 'paid') throw new Error('It was not paid.');
    const { provider_payment_id } = state.payment;
    const { amount, currency } = request;
    const order = { idempotency_key: session_id, reference: 'RFD-1' };
    return { provider_payment_id, amount, currency, ...order };
  }
  async function failed() {
    const [notified] = await waitForNotifications((await act('decline')).request, 1);
    return { provider_payment_id: String(notified!.json['provider_payment_id']) };
  }
  const otherPayment = async () => ({ provider_payment_id: (await paid()).provider_payment_id });

  it('is made once, and returned again for the same key', async () => {
    const request = await paid();
    const calls = Array.from({ length: 10 }, () => gateway.refund(request));
    const [first, ...others] = await Promise.all(calls);
    for (const other of others) expect(other).toEqual(first);
    const { payments } = await listPayments(running, 'sandbox');
    const { provider_payment_id } = request;
    const { refund_id } = first!;
    expect(payments).toContainEqual(expect.objectContaining({ provider_payment_id, refund_id }));
  });

  it.each([
    ['with another key', async () => ({ idempotency_key: 'another' }), 'refunded before'],
    ['in another currency', async () => ({ currency: 'USD', idempotency_key: '$' }), 'made in XOF'],
    [
      'of no payment',
      async () => ({ provider_payment_id: 'pay_x', idempotency_key: '?' }),
      'No such',
    ],
    [
      'of a payment that failed',
      async () => ({ ...(await paid()), ...(await failed()) }),
      'No such',
    ],
    ['of the other account', () => paid(live), 'No such'],
    ['with the key of another one', otherPayment, 'for another refund'],
  ] as const)('is refused %s', async (_why, other, message) => {
    const request = await paid();
    await gateway.refund(request);
    await expect(gateway.refund({ ...request, ...(await other()) })).rejects.toMatchObject({
      fault: 'refused',
      message: expect.stringContaining(message) as string,
    });
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
