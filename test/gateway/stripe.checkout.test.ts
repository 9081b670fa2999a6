// The adapter against a stateful fake of Stripe (test/support/stripe-fake.ts).

import { createServer, type AddressInfo } from 'node:net';
import { createStripeGateway } from '../../gateway/stripe/adapter';
import type { CheckoutRequest, Gateway, RefundRequest } from '../../gateway/port';
import type { Minor } from '../../domain/money';
import { checkoutRequest } from '../support/sandbox-gateway';
import { useClock } from '../support/stripe-clock';
import { INTENT_ID, METADATA, REFERENCE } from '../support/stripe-events';
import { at, startStripeFake, type StripeFake } from '../support/stripe-fake';
import { errorOf } from './support/errors';

const KEY = 'sk_test_51secret';
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

const clock = useClock();
let fake: StripeFake;
let gateway: Gateway;

beforeEach(async () => {
  fake = await startStripeFake(KEY);
  gateway = gatewayTo(fake);
});

function gatewayTo({ api }: Pick<StripeFake, 'api'>, options: object = {}): Gateway {
  return createStripeGateway({
    environment: 'sandbox',
    secret_key: KEY,
    webhook_secrets: ['whsec_1'],
    timeout_ms: 5000,
    api,
    ...options,
  });
}

/** The intent expires this many seconds from now. */
function requestFor(seconds: number, more: Partial<CheckoutRequest> = {}): CheckoutRequest {
  return checkoutRequest({
    intent_id: INTENT_ID,
    reference: REFERENCE,
    description: 'Two seats',
    expires_at: iso(Math.floor(clock.now() / 1000) + seconds),
    ...more,
  });
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

async function closedPort(): Promise<Pick<StripeFake, 'api'>> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { api: { protocol: 'http', host: '127.0.0.1', port } };
}

async function openSession(): Promise<string> {
  return (await gateway.openCheckout(requestFor(2 * HOUR))).session_id;
}

function refundOf(provider_payment_id: string, idempotency_key = 'refund/1'): RefundRequest {
  return {
    provider_payment_id,
    amount: 500_000n as Minor,
    currency: 'XOF',
    idempotency_key,
    reference: 'SUS-1/1',
    is_whole: true,
  };
}

describe('openCheckout', () => {
  it("creates one session with one line item, with the intent's metadata on it and on the payment", async () => {
    const request = requestFor(2 * HOUR);
    const checkout = await gateway.openCheckout(request);
    expect(checkout).toEqual({
      session_id: 'cs_test_1',
      checkout_url: 'https://checkout.stripe.test/c/pay/cs_test_1',
      lapses_at: request.expires_at,
    });
    expect(fake.requests).toEqual([
      {
        method: 'POST',
        path: '/v1/checkout/sessions',
        idempotency_key: `checkout/${INTENT_ID}/1`,
        params: {
          mode: 'payment',
          client_reference_id: INTENT_ID,
          line_items: {
            '0': {
              quantity: '1',
              price_data: {
                currency: 'xof',
                unit_amount: '5000',
                product_data: { name: 'Two seats', description: REFERENCE },
              },
            },
          },
          metadata: METADATA,
          payment_intent_data: { metadata: METADATA },
          adaptive_pricing: { enabled: 'false' },
          success_url: request.return_url,
          cancel_url: request.cancel_url,
          customer_email: 'awa@example.com',
          expires_at: String(Date.parse(request.expires_at) / 1000),
        },
      },
    ]);
  });

  it('shows the reference without a description, and the beginning of a long description', async () => {
    const product = async (description: string | null, number: number) => {
      await gateway.openCheckout(
        requestFor(2 * HOUR, { description, number, customer_email: null }),
      );
      const { params } = fake.requests.at(-1)!;
      expect(params).not.toHaveProperty('customer_email');
      return at(params, 'line_items', '0', 'price_data', 'product_data');
    };
    expect(await product(null, 1)).toEqual({ name: REFERENCE });
    expect(await product('  ', 2)).toEqual({ name: REFERENCE });
    expect(await product('🌍'.repeat(300), 3)).toEqual({
      name: '🌍'.repeat(250),
      description: REFERENCE,
    });
  });

  it.each([
    ['the end of the intent', 2 * HOUR, 2 * HOUR],
    ['the end of the intent, just above the minimum', 33 * MINUTE, 33 * MINUTE],
    ['the minimum after an end that is nearer', 15 * MINUTE, 47 * MINUTE],
    ['the minimum after an end that is near', 3, 32 * MINUTE + 3],
    ['a day when the end is further away', 30 * DAY, DAY],
    ['a day when the end is a day away', DAY, DAY],
  ])("sets the session's expiry to %s", async (_, seconds, expected) => {
    const now = Math.floor(clock.now() / 1000);
    const checkout = await gateway.openCheckout(requestFor(seconds));
    expect(checkout.lapses_at).toBe(iso(now + expected));
    expect(fake.requests).toHaveLength(1);
  });

  it('refuses an expired intent without calling Stripe', async () => {
    const { fault, message } = await errorOf(gateway.openCheckout(requestFor(0)));
    expect([fault, message]).toEqual(['refused', 'The payment intent has expired']);
    expect(fake.requests).toEqual([]);
  });

  it('refuses an amount that Stripe cannot express without calling Stripe', async () => {
    for (const amount of [500_050n, 0n, 10_000_000_000n]) {
      const work = gateway.openCheckout(requestFor(HOUR, { amount: amount as Minor }));
      expect((await errorOf(work)).fault).toBe('refused');
    }
    expect(fake.requests).toEqual([]);
  });

  it('refuses a session of the other mode', async () => {
    const live = gatewayTo(await startStripeFake(KEY, true));
    expect((await errorOf(live.openCheckout(requestFor(HOUR)))).fault).toBe('refused');
  });
});

describe('openCheckout, repeated', () => {
  it('returns the same session, also when the first response was lost', async () => {
    const request = requestFor(2 * HOUR);
    fake.mishap('lose');
    expect((await errorOf(gateway.openCheckout(request))).fault).toBe('unreachable');
    const first = await gateway.openCheckout(request);
    clock.pass(20 * MINUTE);
    expect(await gateway.openCheckout(request)).toEqual(first);
    expect(fake.sessions.size).toBe(1);
  });

  it('returns another session for another number', async () => {
    const first = await gateway.openCheckout(requestFor(2 * HOUR));
    const second = await gateway.openCheckout(requestFor(2 * HOUR, { number: 2 }));
    expect(second.session_id).not.toBe(first.session_id);
  });

  it.each([
    ['is less than a day away meanwhile', DAY, 10 * MINUTE],
    ['has come near meanwhile', 40 * MINUTE, 15 * MINUTE],
    ['was far away and has come near meanwhile', DAY - MINUTE, DAY - 11 * MINUTE],
  ])('returns the same session when the end %s', async (_, seconds, pause) => {
    const request = requestFor(seconds);
    const first = await gateway.openCheckout(request);
    clock.pass(pause);
    expect(await gateway.openCheckout(request)).toEqual(first);
    expect(fake.sessions.size).toBe(1);
  });

  it('returns a new session when other parameters have changed, and then the same one again', async () => {
    const request = requestFor(2 * HOUR);
    const first = await gateway.openCheckout(request);
    const changed = { ...request, return_url: 'https://pay.example.org/p/abcdefghij' };
    const second = await gateway.openCheckout(changed);
    expect(second.session_id).not.toBe(first.session_id);
    expect(await gateway.openCheckout(changed)).toEqual(second);
    expect(fake.sessions.size).toBe(2);
  });

  it('continues past an error that Stripe has stored', async () => {
    const request = requestFor(2 * HOUR);
    const error = { type: 'api_error', message: 'Something went wrong on our end.' };
    fake.mishap({ status: 500, error, kept: true });
    expect((await errorOf(gateway.openCheckout(request))).fault).toBe('unreachable');
    const { session_id } = await gateway.openCheckout(request);
    expect((await gateway.openCheckout(request)).session_id).toBe(session_id);
    expect(fake.requests.map(({ idempotency_key }) => idempotency_key)).toEqual([
      `checkout/${INTENT_ID}/1`,
      `checkout/${INTENT_ID}/1`,
      `checkout/${INTENT_ID}/1/2`,
      `checkout/${INTENT_ID}/1`,
      `checkout/${INTENT_ID}/1/2`,
    ]);
  });

  it('gives up when every key is used up', async () => {
    const request = requestFor(2 * HOUR);
    for (const host of ['a', 'b', 'c']) {
      await gateway.openCheckout({ ...request, return_url: `https://${host}.example.com/` });
    }
    const { fault } = await errorOf(gateway.openCheckout(request));
    expect(fault).toBe('refused');
    expect(fake.sessions.size).toBe(3);
  });
});

describe('closeCheckout', () => {
  it('closes an open session, in which nothing was paid', async () => {
    const id = await openSession();
    expect(await gateway.closeCheckout(id)).toEqual({ state: 'none' });
    expect(fake.sessions.get(id)!.status).toBe('expired');
  });

  it('accepts a session that is closed or expired', async () => {
    const id = await openSession();
    await gateway.closeCheckout(id);
    expect(await gateway.closeCheckout(id)).toEqual({ state: 'none' });
    const lapsing = (await gateway.openCheckout(requestFor(2 * HOUR, { number: 2 }))).session_id;
    clock.pass(3 * HOUR);
    expect(await gateway.closeCheckout(lapsing)).toEqual({ state: 'none' });
  });

  it('does not take a session that Stripe does not know for one in which nothing was paid', async () => {
    const id = await openSession();
    fake.pay(id);
    // The key of another account, in which this session does not exist.
    const other = gatewayTo(await startStripeFake(KEY));
    const { fault, message, is_about_access } = await errorOf(other.closeCheckout(id));
    expect([fault, is_about_access]).toEqual(['refused', true]);
    expect(message).toBe(
      `Stripe does not know our session ${id}: is STRIPE_SECRET_KEY of the account that opened it?`,
    );
    expect(await gateway.closeCheckout(id)).toMatchObject({ state: 'paid' });
  });

  it('reports a payment that was made just before', async () => {
    const id = await openSession();
    clock.pass(MINUTE);
    const provider_payment_id = fake.pay(id);
    const paid_at = Math.floor(clock.now() / 1000);
    clock.pass(MINUTE);
    expect(await gateway.closeCheckout(id)).toEqual({
      state: 'paid',
      payment: {
        provider_payment_id,
        amount_minor: '500000',
        currency: 'XOF',
        occurred_at: iso(paid_at),
      },
    });
  });

  it('reports a pending payment, and how it ended', async () => {
    const id = await openSession();
    const provider_payment_id = fake.payLater(id);
    expect(await gateway.closeCheckout(id)).toEqual({ state: 'pending' });
    fake.settle(id, { code: 'bank_declined', message: 'The bank said no.' });
    expect(await gateway.closeCheckout(id)).toEqual({
      state: 'failed',
      failure: { code: 'bank_declined', message: 'The bank said no.' },
    });
    fake.settle(id, null);
    expect(await gateway.closeCheckout(id)).toMatchObject({ payment: { provider_payment_id } });
  });

  it('reports a payment that is pending in a session that has expired', async () => {
    const id = await openSession();
    const provider_payment_id = fake.payLater(id);
    fake.sessions.get(id)!.status = 'expired';
    expect(await gateway.closeCheckout(id)).toEqual({ state: 'pending' });
    fake.settle(id, null);
    expect(await gateway.closeCheckout(id)).toMatchObject({
      state: 'paid',
      payment: { provider_payment_id, amount_minor: '500000' },
    });
  });

  it('closes a session even if the response was lost', async () => {
    const id = await openSession();
    fake.mishap('lose');
    expect((await errorOf(gateway.closeCheckout(id))).fault).toBe('unreachable');
    expect(await gateway.closeCheckout(id)).toEqual({ state: 'none' });
  });

  it('may be repeated when Stripe neither closes a session nor says that it is closed', async () => {
    const id = await openSession();
    const error = { type: 'invalid_request_error', message: 'Not now.' };
    fake.mishap({ status: 400, error });
    expect((await errorOf(gateway.closeCheckout(id))).fault).toBe('unreachable');
    expect(await gateway.closeCheckout(id)).toEqual({ state: 'none' });
  });
});

const NO_SUCH_PAYMENT = {
  type: 'invalid_request_error',
  code: 'resource_missing',
  message: "No such payment_intent: 'pi_unknown'",
};

describe('refund', () => {
  it('refunds once, with any idempotency key', async () => {
    const payment = fake.pay(await openSession());
    const first = await gateway.refund(refundOf(payment));
    expect(await gateway.refund(refundOf(payment))).toEqual(first);
    expect(await gateway.refund(refundOf(payment, 'refund/2'))).toEqual(first);
    expect(fake.requests[1]).toEqual({
      method: 'POST',
      path: '/v1/refunds',
      idempotency_key: 'refund/1',
      params: { payment_intent: payment, amount: '5000', metadata: { reference: 'SUS-1/1' } },
    });
  });

  it('takes a refund of the whole that was made by hand for its own, and no other’s', async () => {
    const another = await gateway.openCheckout(
      requestFor(2 * HOUR, { intent_id: 'another-intent' }),
    );
    const [by_hand, named] = [fake.pay(await openSession()), fake.pay(another.session_id)];
    const request = { ...refundOf(by_hand, 'by hand'), reference: undefined as never };
    const made = await gateway.refund(request);
    expect(await gateway.refund({ ...refundOf(by_hand), may_exist: true })).toEqual(made);
    await gateway.refund({ ...refundOf(named, 'named'), reference: 'RFD-OTHER' });
    expect((await errorOf(gateway.refund(refundOf(named, 'other')))).fault).toBe('refused');
  });

  it('refuses a payment that Stripe does not know, which may be one of another account', async () => {
    const { fault, is_about_access } = await errorOf(gateway.refund(refundOf('pi_unknown')));
    expect([fault, is_about_access]).toEqual(['refused', true]);
    // Stripe may say so with 400 of what is named in the parameters.
    fake.mishap({ status: 400, error: NO_SUCH_PAYMENT });
    expect(await errorOf(gateway.refund(refundOf('pi_unknown')))).toMatchObject({
      fault: 'refused',
      is_about_access: true,
    });
  });

  it.each([
    ['succeeded', {}, { status: 'succeeded' }],
    [
      'pending',
      { pending_reason: 'insufficient_funds' },
      { status: 'pending', detail: 'Stripe: insufficient_funds' },
    ],
    ['pending', {}, { status: 'pending', detail: null }],
    [
      'requires_action',
      {},
      { status: 'pending', detail: expect.stringContaining('customer') as string },
    ],
    [
      'failed',
      { failure_reason: 'lost_or_stolen_card' },
      {
        status: 'failed',
        reason: expect.stringMatching(
          /^Stripe's refund re_\d+ is failed \(lost_or_stolen_card\)$/,
        ) as string,
      },
    ],
    [
      'canceled',
      {},
      { status: 'failed', reason: expect.stringMatching(/ is canceled$/) as string },
    ],
    [
      'something_new',
      {},
      { status: 'pending', detail: expect.stringContaining('something_new') as string },
    ],
  ] as const)(
    'that is %s (%p) is shown so, when it is made and when it is read',
    async (status, fields, shown) => {
      const payment = fake.pay(await openSession());
      fake.nextRefund({ status, ...fields });
      const made = await gateway.refund(refundOf(payment));
      expect(made).toEqual({ refund_id: expect.stringMatching(/^re_/) as string, ...shown });
      expect(await gateway.findRefund(made.refund_id)).toEqual(made);
    },
  );

  it('is read as it is now, not as Stripe first responded', async () => {
    const payment = fake.pay(await openSession());
    fake.nextRefund({ status: 'pending' });
    const { refund_id } = await gateway.refund(refundOf(payment));
    fake.changeRefund(refund_id, { status: 'succeeded' });
    // Stripe repeats its stored response to the key.
    expect(await gateway.refund(refundOf(payment))).toMatchObject({ status: 'pending' });
    expect(await gateway.findRefund(refund_id)).toEqual({ status: 'succeeded', refund_id });
    fake.changeRefund(refund_id, { status: 'failed', failure_reason: 'declined' });
    expect(await gateway.findRefund(refund_id)).toMatchObject({ status: 'failed' });
  });

  it('finds a refund that was made although its response was lost, while it is pending too', async () => {
    const payment = fake.pay(await openSession());
    fake.nextRefund({ status: 'pending' });
    fake.mishap('lose');
    expect((await errorOf(gateway.refund(refundOf(payment)))).fault).toBe('unreachable');
    // Stripe has forgotten the key.
    clock.pass(25 * HOUR);
    expect(await gateway.refund(refundOf(payment))).toMatchObject({ status: 'pending' });
  });

  it('makes another one with another key after one that failed', async () => {
    const payment = fake.pay(await openSession());
    fake.nextRefund({ status: 'failed' });
    const failed = await gateway.refund(refundOf(payment));
    const next = await gateway.refund(refundOf(payment, 'refund/1/2'));
    expect(next).toMatchObject({ status: 'succeeded' });
    expect(next.refund_id).not.toBe(failed.refund_id);
  });

  it('refuses when the payment was refunded in parts at Stripe', async () => {
    const payment = fake.pay(await openSession());
    for (const part of [1, 2]) {
      const half = { ...refundOf(payment, `part/${part}`), amount: 250_000n as Minor };
      await gateway.refund({ ...half, reference: `RFD-${part}` });
    }
    const { fault, message } = await errorOf(gateway.refund(refundOf(payment, 'refund/2')));
    expect([fault, message]).toEqual(['refused', expect.stringContaining('already been refunded')]);
  });

  describe('with a reference, of which a payment may have several', () => {
    const part = (payment: string, n: number, amount = 200_000n): RefundRequest => ({
      ...refundOf(payment, `refund/${n}`),
      amount: amount as Minor,
      reference: `RFD-${n}`,
      is_whole: false,
    });

    it('makes parts of the same amount, each its own refund, and keeps the reference', async () => {
      const payment = fake.pay(await openSession());
      const [first, second] = [
        await gateway.refund(part(payment, 1)),
        await gateway.refund(part(payment, 2)),
      ];
      expect(first.refund_id).not.toBe(second.refund_id);
      expect(fake.requests.at(-1)).toMatchObject({
        idempotency_key: 'refund/2',
        params: { payment_intent: payment, amount: '2000', metadata: { reference: 'RFD-2' } },
      });
    });

    it('does not know the outcome when Stripe has the key of another request', async () => {
      const payment = fake.pay(await openSession());
      await gateway.refund({ ...part(payment, 1), reference: 'RFD-BEFORE' });
      expect((await errorOf(gateway.refund(part(payment, 1)))).fault).toBe('unreachable');
    });

    it.each([400, 401, 403, 404])(
      'does not know the outcome when it cannot look for an earlier one: %d',
      async (status) => {
        const payment = fake.pay(await openSession());
        fake.mishap({ status, error: NO_SUCH_PAYMENT });
        const again = gateway.refund({ ...part(payment, 1), may_exist: true });
        expect((await errorOf(again)).fault).toBe('unreachable');
      },
    );

    it('finds what it made when the response was lost and Stripe has forgotten the key', async () => {
      const payment = fake.pay(await openSession());
      await gateway.refund(part(payment, 1));
      fake.nextRefund({ status: 'pending' });
      fake.mishap('lose');
      expect((await errorOf(gateway.refund(part(payment, 2)))).fault).toBe('unreachable');
      clock.pass(25 * HOUR);
      const again = await gateway.refund({ ...part(payment, 2), may_exist: true });
      expect(again).toMatchObject({ status: 'pending' });
      expect(
        fake.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/refunds'),
      ).toHaveLength(2);
      const third = await gateway.refund({ ...part(payment, 3, 100_000n), may_exist: true });
      expect(third).toMatchObject({ status: 'succeeded' });
    });

    it('finds one that failed meanwhile, and makes no other', async () => {
      const payment = fake.pay(await openSession());
      const { refund_id } = await gateway.refund(part(payment, 1));
      fake.changeRefund(refund_id, { status: 'failed', failure_reason: 'declined' });
      clock.pass(25 * HOUR);
      const again = await gateway.refund({ ...part(payment, 1), may_exist: true });
      expect(again).toMatchObject({ status: 'failed', refund_id });
    });

    it('does not take a refund of the whole for its own, nor more than is left', async () => {
      const payment = fake.pay(await openSession());
      await gateway.refund(part(payment, 1, 300_000n));
      const more = await errorOf(gateway.refund(part(payment, 2, 300_000n)));
      expect([more.fault, more.is_about_access]).toEqual(['refused', false]);
      const another = requestFor(2 * HOUR, { intent_id: 'another-intent' });
      const other = fake.pay((await gateway.openCheckout(another)).session_id);
      await gateway.refund(refundOf(other, 'another'));
      const refused = await errorOf(
        gateway.refund({ ...refundOf(other, 'x'), reference: 'RFD-9', is_whole: false }),
      );
      expect([refused.fault, refused.message]).toEqual([
        'refused',
        expect.stringContaining('already been refunded'),
      ]);
    });
  });

  it('is a fault when Stripe does not know a refund that it made', async () => {
    const { fault, is_about_access } = await errorOf(gateway.findRefund('re_unknown'));
    expect([fault, is_about_access]).toEqual(['refused', true]);
  });
});

describe('faults of Stripe', () => {
  it.each([
    ['refused', 'a request that is wrong', 400, 'invalid_request_error'],
    ['unreachable', 'a key of another refund', 400, 'idempotency_error'],
    ['refused', 'a key without permission', 403, 'invalid_request_error'],
    ['unreachable', 'a request that another one is in the way of', 409, 'idempotency_error'],
    ['unreachable', 'too many calls', 429, 'invalid_request_error'],
    ['unreachable', 'an error of its own', 500, 'api_error'],
    ['unreachable', 'an outage', 503, 'api_error'],
  ])('are %s after %s', async (fault, _, status, type) => {
    fake.mishap({ status, error: { type, message: 'No.' } });
    expect((await errorOf(gateway.refund(refundOf('pi_1')))).fault).toBe(fault);
    expect(fake.requests).toHaveLength(1);
  });

  it('are unreachable when the response is not JSON, or the connection closes', async () => {
    fake.mishap({ status: 502, text: '<html>Bad gateway</html>' }, 'drop');
    expect((await errorOf(gateway.refund(refundOf('pi_1')))).fault).toBe('unreachable');
    expect((await errorOf(gateway.refund(refundOf('pi_1')))).fault).toBe('unreachable');
    expect(fake.requests).toHaveLength(2);
  });

  it('are unreachable when nothing listens', async () => {
    // The system hands this port out again only much later.
    const unreachable = gatewayTo(await closedPort());
    const { fault, message } = await errorOf(unreachable.refund(refundOf('pi_1')));
    expect([fault, message]).toEqual(['unreachable', 'Stripe could not be reached (ECONNREFUSED)']);
  });

  it('are timeouts when the response does not arrive, or not completely', async () => {
    const hasty = gatewayTo(fake, { timeout_ms: 100 });
    fake.mishap('hang', 'stall');
    expect((await errorOf(hasty.refund(refundOf('pi_1')))).fault).toBe('timeout');
    expect((await errorOf(hasty.refund(refundOf('pi_1')))).fault).toBe('timeout');
  });

  it('leave the second request of a call the rest of the time', async () => {
    // Stripe refuses to close a paid session, and meanwhile the clock jumps ahead. Without a shared
    // deadline the second request would wait a minute, and Jest allows half of one.
    const patient = gatewayTo(fake, { timeout_ms: 60_000 });
    const id = await openSession();
    fake.pay(id);
    const start = clock.now();
    const clocks = jest.spyOn(Date, 'now').mockReturnValue(start + 59_900);
    clocks.mockReturnValueOnce(start).mockReturnValueOnce(start);
    fake.mishap({ status: 400, error: { type: 'invalid_request_error', message: 'No.' } }, 'hang');
    const { fault } = await errorOf(patient.closeCheckout(id));
    clocks.mockRestore();
    expect(fault).toBe('timeout');
  });

  it('contain neither our key nor an e-mail address, nor a cause that might', async () => {
    const unknown = gatewayTo(fake, { secret_key: 'sk_test_51unknown' });
    const wrong = await errorOf(unknown.openCheckout(requestFor(HOUR)));
    fake.mishap({
      status: 400,
      error: {
        type: 'invalid_request_error',
        param: 'customer_email',
        message: `Invalid email address: awa@example (${KEY}, rk_live_****1234, whsec_abc)`,
      },
    });
    const invalid = await errorOf(gateway.openCheckout(requestFor(HOUR)));
    expect(wrong.fault).toBe('refused');
    expect(invalid.message).toBe(
      'Stripe responded with 400 invalid_request_error customer_email req_2: ' +
        'Invalid email address: [address] ([key], [key], [key])',
    );
    for (const error of [wrong, invalid]) {
      expect(error.cause).toBeUndefined();
      expect(error.message).not.toMatch(/51secret|1234|nown|_abc|awa/);
    }
  });

  it('do not reveal a key that no header can carry', async () => {
    const broken = gatewayTo(fake, { secret_key: 'sk_test_51secret\u2028' });
    const { fault, message, cause } = await errorOf(broken.refund(refundOf('pi_1')));
    expect([fault, cause]).toEqual(['unreachable', undefined]);
    expect(message).not.toContain('51secret');
  });
});

describe('createStripeGateway', () => {
  it('refuses a key of the other mode, without showing it', () => {
    const api = fake.api;
    expect(() => gatewayTo({ api }, { environment: 'live' })).toThrow(
      "Stripe's secret key is a test key, and the environment is live.",
    );
    expect(() => gatewayTo({ api }, { secret_key: 'rk_live_1' })).toThrow(
      "Stripe's secret key is a live key, and the environment is sandbox.",
    );
  });

  it("has Stripe's bounds", () => {
    expect(gateway.bounds).toEqual({
      currencies: ['XOF', 'EUR', 'USD'],
      minimum: { XOF: 32_800n, EUR: 50n, USD: 50n },
    });
  });
});

describe('what Stripe lists', () => {
  const since = (seconds: number) => ({ from: iso(now() - seconds), to: iso(now() + MINUTE) });
  const now = () => Math.floor(clock.now() / 1000);
  let number = 0;
  /** A session of its own. */
  const openNext = async (): Promise<string> =>
    (await gateway.openCheckout(requestFor(2 * HOUR, { number: (number += 1) }))).session_id;

  async function everything<Item>(
    list: (cursor?: string) => Promise<{ items: readonly Item[]; next: string | null }>,
  ): Promise<{ items: Item[]; pages: number }> {
    const items: Item[] = [];
    for (let cursor: string | undefined, pages = 1; ; pages += 1) {
      const page = await list(cursor);
      items.push(...page.items);
      if (page.next === null) return { items, pages };
      cursor = page.next;
    }
  }

  it('is all payments that were taken, page by page, in our amounts', async () => {
    fake.listPagesOf(2);
    const paid: string[] = [];
    for (let n = 0; n < 5; n += 1) paid.push(fake.pay(await openNext()));
    const { items, pages } = await everything((cursor) =>
      gateway.listPayments(since(HOUR), cursor),
    );
    expect(pages).toBe(3);
    expect(items.map((one) => one.provider_payment_id).sort()).toEqual(paid.sort());
    expect(items[0]).toEqual({
      provider_payment_id: expect.stringMatching(/^pi_/),
      amount_minor: '500000',
      currency: 'XOF',
      occurred_at: expect.stringMatching(/^20.*Z$/),
      intent_id: INTENT_ID,
      reference: REFERENCE,
    });
  });

  it('leaves out payments that take days, those of others, and those before the window', async () => {
    fake.payLater(await openNext());
    const session = await openNext();
    const others = fake.pay(session);
    const { params } = fake.sessions.get(session)!;
    (params['payment_intent_data'] as { metadata: object }).metadata = { shop: 'another' };
    const old = fake.pay(await openNext());
    fake.changePayment(old, { created: now() - 2 * HOUR });
    expect((await gateway.listPayments(since(HOUR))).items).toEqual([]);
    expect(await gateway.findTakenPayment(others)).toBeUndefined();
    expect(await gateway.findTakenPayment('pi_of_nobody')).toBeUndefined();
    expect(await gateway.findTakenPayment(old)).toMatchObject({ provider_payment_id: old });
  });

  it('is all refunds with their status', async () => {
    fake.listPagesOf(1);
    const ids: string[] = [];
    for (const status of ['succeeded', 'pending', 'requires_action', 'canceled']) {
      fake.nextRefund({ status });
      const { refund_id } = await gateway.refund({
        provider_payment_id: fake.pay(await openNext()),
        amount: 500_000n as Minor,
        currency: 'XOF',
        idempotency_key: status,
        reference: 'RFD-1',
      });
      ids.push(refund_id);
    }
    const { items } = await everything((cursor) => gateway.listRefunds(since(HOUR), cursor));
    const statuses = ids.map((id) => items.find(({ refund_id }) => refund_id === id)?.status);
    expect(statuses).toEqual(['succeeded', 'pending', 'pending', 'failed']);
    expect(items[0]).toMatchObject({
      provider_payment_id: expect.stringMatching(/^pi_/),
      amount_minor: '500000',
      currency: 'XOF',
      created_at: expect.stringMatching(/^20.*Z$/),
    });
  });

  it('is not there when Stripe is away', async () => {
    const away = gatewayTo(await closedPort());
    expect(await errorOf(away.listPayments(since(HOUR)))).toMatchObject({ fault: 'unreachable' });
    expect(await errorOf(away.listRefunds(since(HOUR)))).toMatchObject({ fault: 'unreachable' });
  });
});
