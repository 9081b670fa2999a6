import fc from 'fast-check';
import { createStripeGateway } from '../../gateway/stripe/adapter';
import type { NotificationReading } from '../../gateway/port';
import {
  INTENT_ID,
  METADATA,
  paymentIntentEvent,
  disputeEvent,
  refundEvent,
  REFERENCE,
  sessionEvent,
  signedEvent,
  type SignedEvent,
} from '../support/stripe-events';

const SECRET = 'whsec_present';
const FORMER = 'whsec_former';
const COMPLETED = 'checkout.session.completed';

function gateway(environment: 'live' | 'sandbox' = 'sandbox') {
  return createStripeGateway({
    environment,
    secret_key: environment === 'live' ? 'sk_live_1' : 'sk_test_1',
    webhook_secrets: [SECRET, FORMER],
    timeout_ms: 1000,
  });
}

function read(
  { raw, headers }: SignedEvent,
  environment?: 'live' | 'sandbox',
): NotificationReading {
  return gateway(environment).readNotification(raw, headers);
}

function readEvent(event: object | string): NotificationReading {
  return read(signedEvent(event, SECRET));
}

function faultOf(reading: NotificationReading): string {
  return reading.ok ? 'none' : reading.fault;
}

const PAID = {
  event_id: 'evt_1',
  environment: 'sandbox',
  type: 'payment.succeeded',
  final: true,
  intent_id: INTENT_ID,
  reference: REFERENCE,
  provider_payment_id: 'pi_1',
  amount_minor: '1999',
  currency: 'EUR',
  failure: null,
  occurred_at: '2026-11-18T11:06:40.000Z',
};

describe('events of Stripe', () => {
  it('are payments when the session is completed and paid', () => {
    expect(readEvent(sessionEvent(COMPLETED))).toEqual({ ok: true, notification: PAID });
  });

  it('are pending payments when the session is completed and not paid', () => {
    expect(readEvent(sessionEvent(COMPLETED, { payment_status: 'unpaid' }))).toEqual({
      ok: true,
      notification: { ...PAID, type: 'payment.pending' },
    });
  });

  it('are payments when a pending one goes through', () => {
    expect(readEvent(sessionEvent('checkout.session.async_payment_succeeded'))).toEqual({
      ok: true,
      notification: PAID,
    });
  });

  it('are final failures when a pending payment fails', () => {
    const event = sessionEvent('checkout.session.async_payment_failed', {
      payment_status: 'unpaid',
    });
    expect(readEvent(event)).toEqual({
      ok: true,
      notification: {
        ...PAID,
        type: 'payment.failed',
        failure: { code: 'payment_failed', message: 'The payment did not go through.' },
      },
    });
  });

  it('are non-final failures when an attempt on the page fails', () => {
    expect(readEvent(paymentIntentEvent('payment_intent.payment_failed'))).toEqual({
      ok: true,
      notification: {
        ...PAID,
        type: 'payment.failed',
        final: false,
        failure: { code: 'insufficient_funds', message: 'Your card has insufficient funds.' },
      },
    });
  });

  it('give francs at scale 2', () => {
    const reading = readEvent(sessionEvent(COMPLETED, { amount_total: 5000, currency: 'xof' }));
    expect(reading).toMatchObject({
      notification: { amount_minor: '500000', currency: 'XOF' },
    });
  });

  it('name the payment when Stripe has expanded it', () => {
    const reading = readEvent(sessionEvent(COMPLETED, { payment_intent: { id: 'pi_2' } }));
    expect(reading).toMatchObject({ notification: { provider_payment_id: 'pi_2' } });
  });

  it.each(['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated'])(
    'are notices of a refund when they are %s, whatever they say about it',
    (type) => {
      const notice = {
        event_id: 'evt_1',
        environment: 'sandbox',
        provider_payment_id: 'pi_1',
        refund_id: 're_1',
        reference: null,
      };
      for (const refund of [
        {},
        { status: 'succeeded' },
        { payment_intent: { id: 'pi_1' } },
        { metadata: null },
        { metadata: { reference: 7 } },
      ]) {
        expect(readEvent(refundEvent(type, refund))).toEqual({ ok: true, refund: notice });
      }
      const ours = refundEvent(type, { metadata: { reference: 'RFD-1' } });
      expect(readEvent(ours)).toEqual({ ok: true, refund: { ...notice, reference: 'RFD-1' } });
    },
  );

  it.each(['charge.dispute.created', 'charge.dispute.updated', 'charge.dispute.closed'])(
    'are notices of a dispute when they are %s, whatever they say about it',
    (type) => {
      for (const dispute of [{}, { status: 'lost' }, { payment_intent: null }]) {
        const notice = { environment: 'sandbox', dispute_id: 'dp_1' };
        expect(readEvent(disputeEvent(type, dispute))).toEqual({ ok: true, dispute: notice });
      }
      expect(readEvent(disputeEvent(type, { id: 7 }))).toMatchObject({ fault: 'malformed' });
    },
  );

  it.each([
    ['a refund of no payment', refundEvent('refund.updated', { payment_intent: null })],
    ['a session that expired', sessionEvent('checkout.session.expired')],
    ['a payment that succeeded', paymentIntentEvent('payment_intent.succeeded')],
    [
      'a session that costs nothing',
      sessionEvent(COMPLETED, { payment_status: 'no_payment_required' }),
    ],
    ['a session of another program', sessionEvent(COMPLETED, { metadata: {} })],
    ['a session without metadata', sessionEvent(COMPLETED, { metadata: null })],
    [
      'a payment of another program',
      paymentIntentEvent('payment_intent.payment_failed', { metadata: { order: '1' } }),
    ],
    ['a customer', { ...sessionEvent('customer.created', { metadata: null }) }],
  ])('are irrelevant when they are about %s', (_, event) => {
    expect(faultOf(readEvent(event))).toBe('irrelevant');
  });

  it.each([
    ['no JSON', '{"id": "evt_1"'],
    ['nothing', 'null'],
    ['a text', '"evt_1"'],
    ['no event', { id: 'evt_1', object: 'v2.core.event', type: COMPLETED, livemode: false }],
    ['an event about nothing', sessionEvent(COMPLETED, {}, { data: { object: null } })],
    ['an event without an instant', sessionEvent(COMPLETED, {}, { created: 1e15 })],
    ['an amount that is none', sessionEvent(COMPLETED, { amount_total: 19.99 })],
    ['a foreign currency', sessionEvent(COMPLETED, { currency: 'gbp' })],
    ['no payment', sessionEvent(COMPLETED, { payment_intent: null })],
  ])('are malformed when they are %s', (_, event) => {
    expect(faultOf(readEvent(event))).toBe('malformed');
  });
});

describe('signatures of Stripe', () => {
  const event = sessionEvent(COMPLETED);

  it('are accepted from every secret in use, including the former one', () => {
    expect(read(signedEvent(event, SECRET)).ok).toBe(true);
    expect(read(signedEvent(event, FORMER)).ok).toBe(true);
  });

  it('are accepted when Stripe signs with both secrets at once', () => {
    const { raw, headers } = signedEvent(event, FORMER);
    const [time] = headers['stripe-signature'].split(',');
    const header = `${time},v1=${'0'.repeat(64)},${headers['stripe-signature'].split(',')[1]}`;
    expect(read({ raw, headers: { 'stripe-signature': header } }).ok).toBe(true);
  });

  it('are wrong with any other secret', () => {
    expect(faultOf(read(signedEvent(event, 'whsec_other')))).toBe('signature');
  });

  it('are always wrong when there is no secret', () => {
    const without = createStripeGateway({
      environment: 'sandbox',
      secret_key: 'sk_test_1',
      webhook_secrets: [],
      timeout_ms: 1000,
    });
    const { raw, headers } = signedEvent(event, '');
    expect(faultOf(without.readNotification(raw, headers))).toBe('signature');
  });

  it('are valid for five minutes', () => {
    const now = Math.floor(Date.now() / 1000);
    expect(read(signedEvent(event, SECRET, now - 290)).ok).toBe(true);
    expect(faultOf(read(signedEvent(event, SECRET, now - 301)))).toBe('signature');
  });

  it('belong to another gateway when the header is missing', () => {
    const { raw } = signedEvent(event, SECRET);
    expect(faultOf(read({ raw, headers: {} as never }))).toBe('not_ours');
  });

  it.each(['', 't=1', 'v1=00', 't=x,v1=', 't=,v1=00', 'nonsense'])('are not “%s”', (header) => {
    const { raw } = signedEvent(event, SECRET);
    expect(faultOf(read({ raw, headers: { 'stripe-signature': header } }))).toBe('signature');
  });

  it('are refused when the mode is of another environment', () => {
    const live = sessionEvent(COMPLETED, {}, { livemode: true });
    expect(faultOf(read(signedEvent(live, SECRET), 'sandbox'))).toBe('signature');
    expect(faultOf(read(signedEvent(event, SECRET), 'live'))).toBe('signature');
    const ours = sessionEvent(
      COMPLETED,
      { metadata: { ...METADATA, environment: 'live' } },
      { livemode: true },
    );
    expect(read(signedEvent(ours, SECRET), 'live')).toMatchObject({
      notification: { environment: 'live' },
    });
  });

  it.each([
    ['a test event', 'live', false],
    ['a live event', 'sandbox', true],
  ] as const)('are refused when %s says that it is of %s', (_, environment, livemode) => {
    // The mode is all that differs from an event of ours.
    const foreign = sessionEvent(
      COMPLETED,
      { metadata: { ...METADATA, environment } },
      { livemode },
    );
    expect(faultOf(read(signedEvent(foreign, SECRET), environment))).toBe('signature');
  });

  it('are refused when the metadata names another environment', () => {
    const other = sessionEvent(COMPLETED, { metadata: { ...METADATA, environment: 'live' } });
    expect(faultOf(readEvent(other))).toBe('signature');
  });

  it('are wrong when one byte of the body is changed', () => {
    const { raw, headers } = signedEvent(event, SECRET);
    const position = fc.nat({ max: raw.length - 1 });
    fc.assert(
      fc.property(position, fc.integer({ min: 1, max: 255 }), (index, change) => {
        const changed = Buffer.from(raw);
        changed[index] = changed[index]! ^ change;
        expect(faultOf(read({ raw: changed, headers }))).toBe('signature');
      }),
    );
  });

  it('are wrong when bytes are added that a decoder would drop or replace', () => {
    // Every byte that is not UTF-8 decodes to the same replacement character.
    const { raw, headers } = signedEvent(`${JSON.stringify(event)}\ufffd`, SECRET);
    const replaced = Buffer.concat([raw.subarray(0, -3), Buffer.from([0xff])]);
    expect(faultOf(read({ raw: replaced, headers }))).toBe('signature');
    const plain = signedEvent(event, SECRET);
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain.raw]);
    expect(faultOf(read({ raw: marked, headers: plain.headers }))).toBe('signature');
  });

  it('never make the reading throw', () => {
    const header = fc.oneof(
      fc.string(),
      fc.constant(signedEvent('', SECRET).headers['stripe-signature']),
    );
    fc.assert(
      fc.property(fc.uint8Array(), header, (bytes, value) => {
        const raw = Buffer.from(bytes);
        expect(read({ raw, headers: { 'stripe-signature': value } }).ok).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(faultOf(readEvent(text))).toBe('malformed');
      }),
    );
  });
});
