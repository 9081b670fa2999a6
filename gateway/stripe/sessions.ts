// A Checkout Session: what we ask of Stripe when we open one, and what one says of the payment.

import type Stripe from 'stripe';
import type { Environment } from '../../domain/environment';
import type { PaymentState } from '../../domain/payment';
import { GatewayError, type CheckoutRequest } from '../port';
import { readMoney, toStripeUnits } from './amounts';

/** From 30 minutes to 24 hours (https://docs.stripe.com/api/checkout/sessions/create). */
export const SESSION_SECONDS = { minimum: 1_800, maximum: 86_400 } as const;

// Stripe measures from its own clock and from when the request arrives.
const SKEW_SECONDS = 120;

// Stripe's limit is not documented; its older products allowed 250.
const LONGEST_NAME = 250;

/** What must be inside of a session for `paymentState` to tell all. */
export const EXPANDED = ['payment_intent.latest_charge'];

/**
 * What `expires_at` may be for this intent, the form for now first and then those that an earlier
 * call for the same session would have sent. A repeated call has to carry the same parameters, so
 * each form follows from the intent's end alone, and the clock only chooses among the three:
 *
 * - the end is too far away: none, and Stripe takes its maximum;
 * - the end itself;
 * - the end is nearer than the minimum: the minimum after the end. We close the session at the end.
 *
 * As time passes the choice only moves down this list, so the form of the first call is the present
 * one or one above it. Empty when the end has passed.
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
  const { currency, reference, return_url, customer_email } = request;
  const unit_amount = toStripeUnits(request.amount, currency);
  if (unit_amount === undefined) {
    throw new GatewayError('refused', `Stripe has no such amount of ${currency}`);
  }
  // Stripe shows metadata in its dashboard and repeats it in every event: on the session and on the
  // payment each, because either can be what an event is about.
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
    // Otherwise Stripe may offer the customer another currency, and the amount would be its choice.
    adaptive_pricing: { enabled: false },
    success_url: return_url,
    cancel_url: return_url,
    ...(customer_email === null ? {} : { customer_email }),
    ...(expires_at === undefined ? {} : { expires_at }),
  };
}

/** Of a session with `EXPANDED`. */
export function paymentState(session: Stripe.Checkout.Session): PaymentState {
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  if (session.payment_status === 'paid')
    return { state: 'paid', payment: payment(session, intent) };
  if (intent?.status === 'processing') return { state: 'pending' };
  // Open: the customer may try again, whatever failed before. Expired: nobody can pay.
  if (session.status !== 'complete') return { state: 'none' };
  // Completed with a method that takes time. Stripe calls it unpaid for ever when that has failed,
  // and only the payment shows it: it asks for another method, which a completed page cannot give.
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
      'Stripe tells of a payment that no checkout of ours asks for',
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

/** Stripe's seconds as ISO 8601. */
export function instant(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
