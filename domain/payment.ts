// A payment gateway's word about a customer's payment, in the same form for every gateway.

import type { Currency } from './currency';
import type { Environment } from './environment';

export interface PaymentFailure {
  /** The gateway's code, such as `card_declined`. */
  readonly code: string;
  /** The text that the merchant and the customer read. */
  readonly message: string;
}

/** Money that a gateway has taken. Plain JSON: it travels through workflows. */
export interface Payment {
  /** The gateway's own id of the payment: money is booked once per id. */
  readonly provider_payment_id: string;
  /** Minor units as decimal text: `JSON.stringify` throws on bigint. */
  readonly amount_minor: string;
  readonly currency: Currency;
  /** ISO 8601, the gateway's clock. */
  readonly occurred_at: string;
}

/** A checkout's state in the gateway's answer. */
export type PaymentState =
  /** Nothing is paid or under way. */
  | { readonly state: 'none' }
  /** The customer has paid in a way that takes time; the gateway will tell. */
  | { readonly state: 'pending' }
  | { readonly state: 'failed'; readonly failure: PaymentFailure }
  | { readonly state: 'paid'; readonly payment: Payment };

/** A payment of one of our intents in the gateway's list of what it has taken. */
export interface ListedPayment extends Payment {
  readonly intent_id: string | null;
  readonly reference: string | null;
}

/** A refund in the gateway's list, which others may have ordered. */
export interface ListedRefund {
  readonly refund_id: string;
  readonly provider_payment_id: string;
  /** Minor units as decimal text. */
  readonly amount_minor: string;
  readonly currency: Currency;
  readonly status: RefundState['status'];
  /** ISO 8601, the gateway's clock. */
  readonly created_at: string;
}

/** A refund's state in the gateway's answer. */
export type RefundState =
  | { readonly status: 'succeeded'; readonly refund_id: string }
  /** The gateway will make it. `detail`: what it waits for, when it says so. */
  | { readonly status: 'pending'; readonly refund_id: string; readonly detail: string | null }
  /** Nothing was given back, or it came back: the money is at the gateway. */
  | { readonly status: 'failed'; readonly refund_id: string; readonly reason: string };

/**
 * A notification, with a signature that was verified, that a refund has changed. It does not say to
 * what: notifications may arrive in any order, so the gateway is asked.
 */
export interface RefundNotice {
  readonly event_id: string;
  readonly environment: Environment;
  readonly provider_payment_id: string;
  readonly refund_id: string;
  /**
   * The reference of ours with which the refund was ordered; null when the gateway does not say it.
   */
  readonly reference: string | null;
}

/** A gateway could not be asked about a refund, or did not say. Nothing is known of it. */
export interface RefundFault {
  readonly fault: string;
  /** This question has had no refund made, and will not. */
  readonly nothing_done: boolean;
}

/** A notification whose signature was verified. Plain JSON: it travels through workflows. */
export interface PaymentNotification {
  /** The event's id, unique for each gateway and environment. */
  readonly event_id: string;
  readonly environment: Environment;
  readonly type: 'payment.succeeded' | 'payment.failed' | 'payment.pending';
  /** False for a failure after which the customer may try again in the same checkout. */
  readonly final: boolean;
  /** At least one of these two names the intent. */
  readonly intent_id: string | null;
  readonly reference: string | null;
  readonly provider_payment_id: string;
  /** Minor units as decimal text. */
  readonly amount_minor: string;
  readonly currency: Currency;
  readonly failure: PaymentFailure | null;
  /** ISO 8601, the gateway's clock. */
  readonly occurred_at: string;
  /** The attempt to pay by phone that it ends; left out of any other. */
  readonly attempt_id?: string;
  /** The question that a failure of the attempt answers: after a later one it is out of date. */
  readonly asks?: number;
  /** The gateway has not asked the customer. */
  readonly nothing_done?: boolean;
}

export interface Polled {
  readonly intent: {
    readonly id: string;
    readonly environment: Environment;
    readonly reference: string;
    readonly amount_minor: bigint;
    readonly currency: Currency;
  };
  readonly session_id: string;
  readonly now: Date;
}

/**
 * Makes a notification of what the gateway said when it was asked: one for each session and state,
 * so that asking again tells nothing new.
 */
export function polledNotification(
  { intent, session_id, now }: Polled,
  state: Exclude<PaymentState, { readonly state: 'none' }>,
): PaymentNotification {
  const { id: intent_id, environment, reference } = intent;
  const common = { environment, intent_id, reference, final: true };
  const unpaid = {
    provider_payment_id: session_id,
    amount_minor: intent.amount_minor.toString(),
    currency: intent.currency,
    failure: null,
    occurred_at: now.toISOString(),
  };
  const event_id = `polled/${session_id}/${state.state}`;
  switch (state.state) {
    case 'paid':
      return {
        ...common,
        ...state.payment,
        event_id: `${event_id}/${state.payment.provider_payment_id}`,
        type: 'payment.succeeded',
        failure: null,
      };
    case 'failed':
      return { ...common, ...unpaid, event_id, type: 'payment.failed', failure: state.failure };
    case 'pending':
      return { ...common, ...unpaid, event_id, type: 'payment.pending' };
  }
}
