// The simulator's state in memory: checkout sessions, the payments made in them or by phone, payouts, and
// notifications that the service has not accepted yet. Only journal entries change it, so replaying them restores
// it.

import type { Currency } from '../../../domain/currency';
import type { Environment } from '../../../domain/environment';
import type { PaymentFailure, PaymentState } from '../../../domain/payment';
import { createChargeStore, paidSession, type Charge, type ChargeStore } from './charge-store';
import type { Dispute, DisputeEntry } from './disputes';
import { createPayoutStore, type Payout, type PayoutStore } from './payout-store';

/** The terms on which a session was opened. */
export interface SessionTerms {
  readonly session_id: string;
  readonly environment: Environment;
  readonly intent_id: string;
  readonly number: number;
  readonly reference: string;
  readonly amount_minor: string;
  readonly currency: Currency;
  readonly description: string | null;
  readonly customer_email: string | null;
  readonly merchant_name: string | null;
  readonly merchant_country: string | null;
  readonly merchant_contact: string | null;
  readonly logo_url: string | null;
  readonly return_url: string;
  readonly cancel_url: string;
  /** No payment can be started from this instant on. */
  readonly expires_at: string;
}

export interface PaymentAttempt {
  readonly provider_payment_id: string;
  readonly session_id: string;
  readonly occurred_at: string;
  readonly status: 'pending' | 'succeeded' | 'failed';
  /** True for a failure after which the customer may not try again. */
  readonly final: boolean;
  readonly failure: PaymentFailure | null;
  /** The time at which a pending attempt ends, and how it ends. */
  readonly settles: { readonly at: string; readonly failure: PaymentFailure | null } | null;
  /** How a refund of it goes; without it, it is made at once. */
  readonly refunds?: RefundCourse;
}

/** How a refund goes, and how long it takes. */
export interface RefundCourse {
  readonly course: (typeof REFUND_COURSES)[number];
  readonly delay_ms: number;
}

/**
 * `slow`: pending, then made. `fail`: pending, then failed. `fail_later`: made, and failed
 * afterwards. `pending`, `needs_customer`: pending for ever.
 */
export const REFUND_COURSES = ['slow', 'fail', 'fail_later', 'pending', 'needs_customer'] as const;

export interface Refund {
  readonly refund_id: string;
  readonly provider_payment_id: string;
  readonly environment: Environment;
  readonly idempotency_key: string;
  readonly amount_minor: string;
  /** The name that the service gave the refund. */
  readonly reference: string | null;
  readonly at: string;
  readonly state: RefundCondition;
  /** The time at which the state changes, and the next state. */
  readonly settles?: { readonly at: string; readonly state: RefundCondition };
}

export interface RefundCondition {
  readonly status: 'succeeded' | 'pending' | 'failed';
  /** Why it failed, or what it waits for. */
  readonly detail: string | null;
}

export interface Notification {
  readonly event_id: string;
  readonly environment: Environment;
  /** Every try sends exactly these bytes. */
  readonly body: string;
  /** The event is delivered this many times, all at once. */
  readonly copies: number;
}

export type Entry =
  | { readonly entry: 'opened'; readonly at: string; readonly session: SessionTerms }
  | { readonly entry: 'closed'; readonly at: string; readonly session_id: string }
  | {
      /** New attempts, or the end of a pending one, with their notifications: all or nothing. */
      readonly entry: 'paid';
      readonly attempts: readonly PaymentAttempt[];
      readonly notifications: readonly Notification[];
    }
  | { readonly entry: 'refunded'; readonly refund: Refund }
  | {
      /** The next state of a refund, with its notification. */
      readonly entry: 'refund_changed';
      readonly refund: Refund;
      readonly notification: Notification;
    }
  | DisputeEntry
  | {
      /** A new payout, or its next state. */
      readonly entry: 'payout';
      readonly payout: Payout;
      readonly notifications: readonly Notification[];
    }
  | {
      /** A phone that was asked for a payment, or what became of that. */
      readonly entry: 'charge';
      readonly charge: Charge;
      readonly notifications: readonly Notification[];
    }
  | {
      /** What our account for payouts holds from now on. */
      readonly entry: 'float';
      readonly environment: Environment;
      readonly currency: Currency;
      readonly amount_minor: string;
    }
  | { readonly entry: 'delivered'; readonly event_id: string };

export interface Session {
  readonly terms: SessionTerms;
  closed_at: string | null;
  /** The attempts in the order in which they were made; a second success is a double payment. */
  readonly attempts: Map<string, PaymentAttempt>;
}

export type SessionStatus = 'open' | 'closed' | 'lapsed' | 'paid' | 'pending' | 'failed';

export interface Store {
  apply(entry: Entry): void;
  session(session_id: string): Session | undefined;
  /** All sessions of an intent, lowest number first. */
  sessionsOf(environment: Environment, intent_id: string): readonly Session[];
  attempt(provider_payment_id: string): PaymentAttempt | undefined;
  attempts(environment: Environment): readonly PaymentAttempt[];
  pending(): readonly PaymentAttempt[];
  refundByKey(environment: Environment, idempotency_key: string): Refund | undefined;
  /** The refunds of a payment, oldest first. */
  refundsOf(provider_payment_id: string): readonly Refund[];
  refund(environment: Environment, refund_id: string): Refund | undefined;
  refunds(environment: Environment): readonly Refund[];
  dispute(dispute_id: string): Dispute | undefined;
  /** The disputes of a payment, oldest first. */
  disputesOf(provider_payment_id: string): readonly Dispute[];
  /** The refunds whose state will change. */
  settlingRefunds(): readonly Refund[];
  readonly charges: Omit<ChargeStore, 'keep'>;
  readonly payouts: Omit<PayoutStore, 'keep' | 'setFloat'>;
  /** The undelivered notifications; `copies` counts only those still to be delivered. */
  undelivered(): readonly Notification[];
}

export function createStore(): Store {
  const sessions = new Map<string, Session>();
  const by_intent = new Map<string, Session[]>();
  const attempts = new Map<string, PaymentAttempt>();
  const refunds_by_key = new Map<string, Refund>();
  const refunds_by_payment = new Map<string, Map<string, Refund>>();
  const refunds_by_id = new Map<string, Refund>();
  const disputes = new Map<string, Dispute>();
  const charges = createChargeStore();
  const payouts = createPayoutStore();
  const undelivered = new Map<string, Notification>();
  const pair = (environment: Environment, id: string): string => `${environment}/${id}`;

  const open = (terms: SessionTerms, at: string): void => {
    const session: Session = { terms, closed_at: null, attempts: new Map() };
    const intent = pair(terms.environment, terms.intent_id);
    const earlier = by_intent.get(intent) ?? [];
    // An intent has one live session.
    for (const one of earlier) one.closed_at ??= at;
    by_intent.set(intent, [...earlier, session]);
    sessions.set(terms.session_id, session);
  };
  const deliver = (event_id: string): void => {
    const notification = undelivered.get(event_id);
    if (!notification) return;
    const copies = notification.copies - 1;
    if (copies === 0) undelivered.delete(event_id);
    else undelivered.set(event_id, { ...notification, copies });
  };

  const keepRefund = (refund: Refund): void => {
    refunds_by_key.set(pair(refund.environment, refund.idempotency_key), refund);
    const of_payment = refunds_by_payment.get(refund.provider_payment_id) ?? new Map();
    refunds_by_payment.set(
      refund.provider_payment_id,
      of_payment.set(refund.refund_id, refund) as Map<string, Refund>,
    );
    refunds_by_id.set(pair(refund.environment, refund.refund_id), refund);
  };

  return {
    apply(entry) {
      switch (entry.entry) {
        case 'opened':
          return open(entry.session, entry.at);
        case 'closed':
          sessions.get(entry.session_id)!.closed_at ??= entry.at;
          return;
        case 'paid':
          for (const attempt of entry.attempts) {
            const id = attempt.provider_payment_id;
            attempts.set(id, attempt);
            sessions.get(attempt.session_id)!.attempts.set(id, attempt);
          }
          for (const one of entry.notifications) undelivered.set(one.event_id, one);
          return;
        case 'refunded':
          return keepRefund(entry.refund);
        case 'refund_changed':
          keepRefund(entry.refund);
          undelivered.set(entry.notification.event_id, entry.notification);
          return;
        case 'disputed':
          disputes.set(entry.dispute.dispute_id, entry.dispute);
          undelivered.set(entry.notification.event_id, entry.notification);
          return;
        case 'payout':
          payouts.keep(entry.payout);
          for (const one of entry.notifications) undelivered.set(one.event_id, one);
          return;
        case 'charge':
          charges.keep(entry.charge);
          if (entry.charge.status === 'paid') {
            const session = paidSession(entry.charge);
            sessions.set(session.terms.session_id, session);
            for (const [id, payment] of session.attempts) attempts.set(id, payment);
          }
          for (const one of entry.notifications) undelivered.set(one.event_id, one);
          return;
        case 'float':
          return payouts.setFloat(entry.environment, entry.currency, entry.amount_minor);
        case 'delivered':
          return deliver(entry.event_id);
      }
    },
    session: (session_id) => sessions.get(session_id),
    sessionsOf: (environment, intent_id) => by_intent.get(pair(environment, intent_id)) ?? [],
    attempt: (id) => attempts.get(id),
    attempts: (environment) =>
      [...attempts.values()].filter(
        ({ session_id }) => sessions.get(session_id)!.terms.environment === environment,
      ),
    pending: () => [...attempts.values()].filter(({ status }) => status === 'pending'),
    refundByKey: (environment, key) => refunds_by_key.get(pair(environment, key)),
    refundsOf: (id) => [...(refunds_by_payment.get(id)?.values() ?? [])],
    refund: (environment, refund_id) => refunds_by_id.get(pair(environment, refund_id)),
    refunds: (environment) =>
      [...refunds_by_id.values()].filter((refund) => refund.environment === environment),
    dispute: (dispute_id) => disputes.get(dispute_id),
    disputesOf: (id) =>
      [...disputes.values()].filter(({ provider_payment_id }) => provider_payment_id === id),
    settlingRefunds: () => [...refunds_by_id.values()].filter((refund) => refund.settles),
    charges,
    payouts,
    undelivered: () => [...undelivered.values()],
  };
}

/** Whether the session can be paid at this moment, and if not, why. */
export function statusOf(session: Session, now: Date): SessionStatus {
  const { state } = paymentStateOf(session);
  if (state !== 'none') return state;
  if (session.closed_at !== null) return 'closed';
  return now >= new Date(session.terms.expires_at) ? 'lapsed' : 'open';
}

/** A failed attempt that the customer may retry counts as no payment. */
export function paymentStateOf({ terms, attempts }: Session): PaymentState {
  const made = [...attempts.values()];
  const paid = made.find(({ status }) => status === 'succeeded');
  if (paid) {
    const { provider_payment_id, occurred_at } = paid;
    const { amount_minor, currency } = terms;
    return { state: 'paid', payment: { provider_payment_id, amount_minor, currency, occurred_at } };
  }
  if (made.some(({ status }) => status === 'pending')) return { state: 'pending' };
  const refused = made.find(({ final }) => final);
  return refused?.failure ? { state: 'failed', failure: refused.failure } : { state: 'none' };
}
