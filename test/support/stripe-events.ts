// Stripe's events as it sends them: the bytes, and the signature header made by its own library.

import Stripe from 'stripe';

export const INTENT_ID = '7d9f4e9e-7a5e-5b46-9d8c-0a3f2b1c4d5e';
export const REFERENCE = 'TRX-0123456789ABCDEFGHJK';

export const METADATA = {
  intent_id: INTENT_ID,
  reference: REFERENCE,
  environment: 'sandbox',
  session_number: '1',
};

export interface SignedEvent {
  readonly raw: Buffer;
  readonly headers: { readonly 'stripe-signature': string };
}

export function sessionEvent(type: string, session: object = {}, event: object = {}): object {
  const object = {
    id: 'cs_test_1',
    object: 'checkout.session',
    client_reference_id: INTENT_ID,
    metadata: METADATA,
    amount_total: 1999,
    currency: 'eur',
    payment_intent: 'pi_1',
    payment_status: 'paid',
    status: 'complete',
    livemode: false,
    ...session,
  };
  return stripeEvent(type, object, event);
}

export function paymentIntentEvent(type: string, payment_intent: object = {}): object {
  return stripeEvent(type, {
    id: 'pi_1',
    object: 'payment_intent',
    metadata: METADATA,
    amount: 1999,
    currency: 'eur',
    status: 'requires_payment_method',
    last_payment_error: {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      message: 'Your card has insufficient funds.',
    },
    livemode: false,
    ...payment_intent,
  });
}

/**
 * A refund as Stripe's events have it. The fields are those of a recorded `charge.refund.updated` of API
 * version 2020-03-02, whose `previous_attributes` say that it had succeeded before; they have the same
 * names in 2026-10-28.endive, which adds `refund.created`, `refund.updated` and `refund.failed`.
 */
export function refundEvent(type: string, refund: object = {}): object {
  return stripeEvent(type, {
    id: 're_1',
    object: 'refund',
    amount: 1999,
    balance_transaction: 'txn_1',
    charge: 'ch_1',
    created: 1_795_000_000,
    currency: 'eur',
    failure_balance_transaction: 'txn_2',
    failure_reason: 'expired_or_canceled_card',
    metadata: {},
    payment_intent: 'pi_1',
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'failed',
    transfer_reversal: null,
    ...refund,
  });
}

/** A dispute as Stripe's library types it, API version 2026-10-28.endive. */
export function disputeEvent(type: string, dispute: object = {}): object {
  return stripeEvent(type, stripeDispute(dispute));
}

export function stripeDispute(fields: object = {}): object {
  return {
    id: 'dp_1',
    object: 'dispute',
    amount: 1999,
    balance_transactions: [
      { id: 'txn_1', object: 'balance_transaction', amount: -1999, currency: 'eur', fee: 1500 },
    ],
    charge: 'ch_1',
    created: 1_795_000_000,
    currency: 'eur',
    evidence_details: { due_by: 1_795_600_000, has_evidence: false, submission_count: 0 },
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: 'pi_1',
    reason: 'fraudulent',
    status: 'needs_response',
    ...fields,
  };
}

function stripeEvent(type: string, object: object, event: object = {}): object {
  return {
    id: 'evt_1',
    object: 'event',
    api_version: '2026-10-28.endive',
    created: 1_795_000_000,
    livemode: false,
    type,
    data: { object },
    ...event,
  };
}

/** `timestamp` is in seconds; by default now. */
export function signedEvent(
  event: object | string,
  secret: string,
  timestamp?: number,
): SignedEvent {
  const payload = typeof event === 'string' ? event : JSON.stringify(event);
  const header = Stripe.webhooks.generateTestHeaderString({
    payload,
    secret,
    ...(timestamp === undefined ? {} : { timestamp }),
  });
  return { raw: Buffer.from(payload, 'utf8'), headers: { 'stripe-signature': header } };
}
