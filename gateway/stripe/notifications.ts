// Translates Stripe's events into notifications of payments, refunds and disputes. Nothing is parsed before
// the signature over the received bytes is verified.

import type { IncomingHttpHeaders } from 'node:http';
import Stripe from 'stripe';
import type { Environment } from '../../domain/environment';
import type { PaymentNotification } from '../../domain/payment';
import type { NotificationReading } from '../port';
import { readMoney } from './amounts';
import { REFERENCE } from './refunds';
import { instant, paymentFailure } from './sessions';

/** Stripe's own default. An older event may be a replay by an attacker who has a copy. */
const TOLERANCE_SECONDS = 300;

// The last second of year 9999, the end of ISO 8601's four digits.
const LAST_SECOND = 253_402_300_799;

/** Ten signatures fit; Stripe sends up to three. */
const MAX_HEADER = 1_000;

export interface NotificationSource {
  readonly environment: Environment;
  /** The secrets that may have signed: two are in use during a rotation. */
  readonly webhook_secrets: readonly string[];
}

/**
 * The header has a time and at least one signature: `t=1763700000,v1=…`. During a rotation there
 * are two signatures, and test events have one of another scheme beside
 * (https://docs.stripe.com/webhooks#verify-manually).
 */
export function mayBeSignedByStripe({ 'stripe-signature': header }: IncomingHttpHeaders): boolean {
  return (
    typeof header === 'string' &&
    header.length <= MAX_HEADER &&
    // Two times are two headers that Node has joined.
    header.match(/(^|,)\s*t=/g)?.length === 1 &&
    /(^|,)\s*t=\d+/.test(header) &&
    /(^|,)\s*v1=[0-9a-f]{64}/.test(header)
  );
}

export function readStripeNotification(
  { environment, webhook_secrets }: NotificationSource,
  raw: Buffer,
  headers: IncomingHttpHeaders,
): NotificationReading {
  const header = headers['stripe-signature'];
  if (header === undefined) return { ok: false, fault: 'not_ours' };
  // The library verifies text. Bytes that are not UTF-8 would all decode to the replacement
  // character, so bodies that differ only there would share a signature.
  const text = raw.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(raw)) return signatureFault('the body is not UTF-8');
  if (
    typeof header !== 'string' ||
    !webhook_secrets.some((secret) => isSigned(text, header, secret))
  ) {
    return signatureFault('no secret of ours signed it within the last five minutes');
  }
  const event = parseEvent(text);
  if (event === undefined) return { ok: false, fault: 'malformed', detail: 'it is no event' };
  if (event.livemode !== (environment === 'live')) {
    return signatureFault(`it is signed for ${environment}, and of the other mode`);
  }
  return readEvent(event, environment);
}

function signatureFault(detail: string): NotificationReading {
  return { ok: false, fault: 'signature', detail };
}

function isSigned(text: string, header: string, secret: string): boolean {
  try {
    // `constructEvent` would parse too, and a signed body that is not JSON is a different fault.
    return Stripe.webhooks.signature!.verifyHeader(text, header, secret, TOLERANCE_SECONDS);
  } catch {
    // The signature is by another secret, too old, or malformed.
    return false;
  }
}

function parseEvent(text: string): Stripe.Event | undefined {
  let value: unknown;
  try {
    // A byte order mark is signed with the rest, and is no part of the JSON.
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
  const event = value as Partial<Stripe.Event> | null;
  const is_event =
    event?.object === 'event' &&
    typeof event.id === 'string' &&
    typeof event.type === 'string' &&
    typeof event.livemode === 'boolean' &&
    Number.isSafeInteger(event.created) &&
    Math.abs(event.created!) <= LAST_SECOND &&
    typeof event.data?.object === 'object' &&
    event.data.object !== null;
  return is_event ? (event as Stripe.Event) : undefined;
}

type Outcome = Pick<PaymentNotification, 'type' | 'final' | 'failure'>;

const SUCCEEDED: Outcome = { type: 'payment.succeeded', final: true, failure: null };
const PENDING: Outcome = { type: 'payment.pending', final: true, failure: null };

function readEvent(event: Stripe.Event, environment: Environment): NotificationReading {
  switch (event.type) {
    case 'checkout.session.completed': {
      const session = event.data.object;
      if (session.payment_status === 'paid') {
        return read(event, environment, ofSession(session), SUCCEEDED);
      }
      if (session.payment_status === 'unpaid') {
        return read(event, environment, ofSession(session), PENDING);
      }
      return { ok: false, fault: 'irrelevant', detail: `completed, ${session.payment_status}` };
    }
    case 'checkout.session.async_payment_succeeded':
      return read(event, environment, ofSession(event.data.object), SUCCEEDED);
    case 'checkout.session.async_payment_failed':
      return read(event, environment, ofSession(event.data.object), {
        type: 'payment.failed',
        final: true,
        // The session does not say why; the earlier `payment_intent.payment_failed` did.
        failure: paymentFailure(null),
      });
    case 'payment_intent.payment_failed':
      // The page stays open, and the customer can try again.
      return read(event, environment, ofPaymentIntent(event.data.object), {
        type: 'payment.failed',
        final: false,
        failure: paymentFailure(event.data.object.last_payment_error),
      });
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return readRefund(event, environment, event.data.object);
    // `funds_withdrawn` and `funds_reinstated` come beside these.
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed': {
      const { id: dispute_id }: { id: unknown } = event.data.object;
      return typeof dispute_id === 'string' && dispute_id !== ''
        ? { ok: true, dispute: { environment, dispute_id } }
        : { ok: false, fault: 'malformed', detail: `${event.type} without a dispute` };
    }
    default:
      // `checkout.session.expired` is among these: our own timer expires an intent.
      return { ok: false, fault: 'irrelevant', detail: event.type };
  }
}

/**
 * The payment tells whose refund it is, and our reference which of the payment's. Refunds of
 * suspense have none.
 */
function readRefund(
  { id: event_id, type }: Stripe.Event,
  environment: Environment,
  { id: refund_id, payment_intent, metadata }: Stripe.Refund,
): NotificationReading {
  const provider_payment_id =
    typeof payment_intent === 'object' ? payment_intent?.id : payment_intent;
  if (typeof refund_id !== 'string' || typeof provider_payment_id !== 'string') {
    return { ok: false, fault: 'irrelevant', detail: `${type} of no payment` };
  }
  const named: unknown = metadata?.[REFERENCE];
  const reference = typeof named === 'string' ? named : null;
  return { ok: true, refund: { event_id, environment, provider_payment_id, refund_id, reference } };
}

interface Subject {
  readonly metadata: Stripe.Metadata | null;
  readonly payment_id: unknown;
  readonly amount: unknown;
  readonly currency: unknown;
}

function ofSession(session: Stripe.Checkout.Session): Subject {
  const { metadata, payment_intent, amount_total, currency } = session;
  const payment_id = typeof payment_intent === 'object' ? payment_intent?.id : payment_intent;
  return { metadata, payment_id, amount: amount_total, currency };
}

function ofPaymentIntent({ metadata, id, amount, currency }: Stripe.PaymentIntent): Subject {
  return { metadata, payment_id: id, amount, currency };
}

function read(
  event: Stripe.Event,
  environment: Environment,
  subject: Subject,
  outcome: Outcome,
): NotificationReading {
  const { intent_id, reference, environment: named } = subject.metadata ?? {};
  if (typeof intent_id !== 'string' || intent_id === '') {
    return { ok: false, fault: 'irrelevant', detail: `${event.type} of no intent` };
  }
  if (named !== environment)
    return signatureFault(`it is signed for ${environment}, and of another`);
  const money = readMoney(subject.amount, subject.currency);
  const { payment_id } = subject;
  if (money === undefined || typeof payment_id !== 'string' || payment_id === '') {
    return { ok: false, fault: 'malformed', detail: `${event.type} without a payment` };
  }
  const notification: PaymentNotification = {
    event_id: event.id,
    environment,
    ...outcome,
    intent_id,
    reference: typeof reference === 'string' ? reference : null,
    provider_payment_id: payment_id,
    ...money,
    occurred_at: instant(event.created),
  };
  return { ok: true, notification };
}
