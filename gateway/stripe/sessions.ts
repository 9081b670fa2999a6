// Stripe's Checkout Sessions: the parameters to open one, and the payment's state read from one.

import type Stripe from 'stripe';
import type { Environment } from '../../domain/environment';
import { GatewayError } from '../../domain/gateway-error';
import type { PaymentState } from '../../domain/payment';
import type { CheckoutRequest } from '../port';
import { readMoney, toStripeUnits } from './amounts';

/**
 * Stripe's limits: 30 minutes to 24 hours (https://docs.stripe.com/api/checkout/sessions/create).
 */
export const SESSION_SECONDS = { minimum: 1_800, maximum: 86_400 } as const;

// Stripe measures by its own clock, from the arrival of the request.
const SKEW_SECONDS = 120;

// Stripe's limit is not documented; its older products allowed 250.
const LONGEST_NAME = 250;

/** The parts that Stripe must include in a session for `paymentState`. */
export const EXPANDED = ['payment_intent.latest_charge'];

/**
 * The values of `expires_at` for this intent: the present one first, then those that an earlier call
 * for the same session may have sent. A repeated call must send the same parameters, so each value
 * depends on the intent's end alone, and the clock only chooses among three:
 *
 * - the end is too far away: no value, and Stripe uses its maximum;
 * - the end itself;
 * - the end is nearer than the minimum: the minimum after the end. We close the session at the end.
 *
 * As time passes the choice only moves down this list, so the first call sent the present value or one
 * above it. Empty when the end has passed.
 */
export function expiryForms(expires_at: string, now_ms: number): readonly (number | undefined)[] {
  const end = Math.floor(Date.parse(expires_at) / 1000);
  const remaining = end - now_ms / 1000;
  if (!(remaining > 0)) return [];
  if (remaining > SESSION_SECONDS.maximum - SKEW_SECONDS) return [undefined];
  if (remaining >= SESSION_SECONDS.minimum + SKEW_SECONDS) return [end, undefined];
  return [end + SESSION_SECONDS.minimum + SKEW_SECONDS, end, undefined];
}

export function sessionParams(
  environment: Environment,
  request: CheckoutRequest,
  expires_at: number | undefined,
): Stripe.Checkout.SessionCreateParams {
  const { currency, reference, return_url, cancel_url, customer_email } = request;
  const unit_amount = toStripeUnits(request.amount, currency);
  if (unit_amount === undefined) {
    throw new GatewayError('refused', `Stripe has no such amount of ${currency}`);
  }
  // Stripe shows metadata in its dashboard and includes it in events. It is on the session and on
  // the payment, because an event can be about either.
  const metadata = {
    intent_id: request.intent_id,
    reference,
    environment,
    session_number: String(request.number),
  };
  const title = request.description?.trim() || reference;
  const name = Array.from(title).slice(0, LONGEST_NAME).join('');
  return {
    mode: 'payment',
    client_reference_id: request.intent_id,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount,
          product_data: name === reference ? { name } : { name, description: reference },
        },
      },
    ],
    metadata,
    payment_intent_data: { metadata },
    // Otherwise Stripe may let the customer pay another amount in another currency.
    adaptive_pricing: { enabled: false },
    success_url: return_url,
    cancel_url,
    ...(customer_email === null ? {} : { customer_email }),
    ...(expires_at === undefined ? {} : { expires_at }),
  };
}

/** The session must have been read with `EXPANDED`. */
export function paymentState(session: Stripe.Checkout.Session): PaymentState {
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  if (session.payment_status === 'paid')
    return { state: 'paid', payment: payment(session, intent) };
  if (intent?.status === 'processing') return { state: 'pending' };
  // Open: the customer may try again after any failure. Expired: it can no longer be paid.
  if (session.status !== 'complete') return { state: 'none' };
  // Completed with a method that takes time. If that fails, the session stays `unpaid` for ever;
  // only the payment shows it, by asking for another method, which a completed page cannot provide.
  if (intent?.status !== 'requires_payment_method' && intent?.status !== 'canceled') {
    return { state: 'pending' };
  }
  return { state: 'failed', failure: paymentFailure(intent.last_payment_error) };
}

function payment(session: Stripe.Checkout.Session, intent: Stripe.PaymentIntent | null) {
  const money = readMoney(session.amount_total, session.currency);
  if (intent === null || money === undefined) {
    throw new GatewayError(
      'refused',
      'Stripe reports a payment that does not match any checkout of ours',
    );
  }
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  return {
    provider_payment_id: intent.id,
    ...money,
    occurred_at: instant((charge ?? intent).created),
  };
}

export function paymentFailure(error: Stripe.PaymentIntent.LastPaymentError | null | undefined) {
  return {
    code: error?.decline_code ?? error?.code ?? 'payment_failed',
    message: error?.message ?? 'The payment did not go through.',
  };
}

/** Converts Stripe's Unix seconds to ISO 8601. */
export function instant(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
