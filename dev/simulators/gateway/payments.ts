// Decides what the gateway does: opens and closes checkout sessions, takes payments, refunds them.
// A decision is made and recorded without waiting in between, so of two simultaneous calls one
// comes first. No call is answered and no notification sent before the journal has flushed to disk.

import type { Environment } from '../../../domain/environment';
import type { PaymentState } from '../../../domain/payment';
import { newId, outcomeOf, settlementOf, type Choice, type Outcome } from './actions';
import { createDisputes, type Disputes } from './disputes';
import type { Journal } from './journal';
import {
  findTaken,
  listRefunds,
  listTaken,
  type ListTerms,
  type RefundPage,
  type TakenPage,
} from './lists';
import type { Notifier } from './notifier';
import {
  decideRefund,
  settledRefund,
  showRefund,
  type Decision,
  type RefundTerms,
  type ShownRefund,
} from './refunds';
import {
  paymentStateOf,
  statusOf,
  type Entry,
  type PaymentAttempt,
  type Refund,
  type Session,
  type SessionTerms,
  type Store,
} from './store';
import type { Timers } from './timers';

export type OpenTerms = Omit<SessionTerms, 'session_id' | 'environment'>;

export interface Payments {
  open(environment: Environment, terms: OpenTerms): Promise<Decision<SessionTerms>>;
  close(environment: Environment, session_id: string): Promise<PaymentState>;
  find(environment: Environment, session_id: string): Promise<PaymentState>;
  refund(environment: Environment, terms: RefundTerms): Promise<Decision<ShownRefund>>;
  /** Returns the refund as it is now; undefined when there is none. */
  findRefund(environment: Environment, refund_id: string): Promise<ShownRefund | undefined>;
  list(environment: Environment): Promise<Listing>;
  listTaken(environment: Environment, terms: ListTerms): Promise<TakenPage>;
  findTaken(environment: Environment, id: string): Promise<ReturnType<typeof findTaken>>;
  listRefunds(environment: Environment, terms: ListTerms): Promise<RefundPage>;
  readonly disputes: Disputes;
  findSession(session_id: string): Promise<Session | undefined>;
  /**
   * Does what a customer chose on the checkout page. Returns false when the session can no longer
   * be paid.
   */
  act(session: Session, choice: Choice): Promise<boolean>;
  /** Continues what was pending or undelivered when the previous process ended. */
  resume(): void;
}

export interface Listing {
  readonly payments: readonly ListedPayment[];
  /** How many notifications the service has not accepted yet. */
  readonly undelivered: number;
}

export interface ListedPayment extends Pick<
  PaymentAttempt,
  'provider_payment_id' | 'session_id' | 'status' | 'final' | 'occurred_at'
> {
  readonly intent_id: string;
  readonly number: number;
  readonly reference: string;
  readonly amount_minor: string;
  readonly currency: string;
  readonly refund_id: string | null;
}

export interface PaymentsParts {
  readonly store: Store;
  readonly journal: Journal<Entry>;
  readonly notifier: Notifier;
  readonly timers: Timers;
}

export function createPayments({ store, journal, notifier, timers }: PaymentsParts): Payments {
  const record = (entry: Entry): void => {
    store.apply(entry);
    journal.append(entry);
  };
  /** Waits for the disk. Reads wait too: what they show may have been recorded a moment ago. */
  const durable = async <Value>(value: Value): Promise<Value> => {
    await journal.flushed();
    return value;
  };
  const pay = async (outcome: Outcome): Promise<void> => {
    record({ entry: 'paid', ...outcome });
    await journal.flushed();
    for (const notification of outcome.notifications) notifier.send(notification);
    for (const attempt of outcome.attempts) settleLater(attempt);
  };
  const settleLater = ({ provider_payment_id, settles }: PaymentAttempt): void => {
    if (settles === null) return;
    timers.at(settles.at, () => {
      const pending = store.attempt(provider_payment_id)!;
      const { terms } = store.session(pending.session_id)!;
      return pay(settlementOf(terms, pending, new Date()));
    });
  };
  const settleRefundLater = (refund: Refund): void => {
    if (refund.settles === undefined) return;
    timers.at(refund.settles.at, async () => {
      const change = settledRefund(refund);
      record({ entry: 'refund_changed', ...change });
      await journal.flushed();
      notifier.send(change.notification);
    });
  };

  return {
    open(environment, terms) {
      const decision = decideOpen(store, environment, terms);
      if (decision.ok && !store.session(decision.value.session_id)) {
        record({ entry: 'opened', at: new Date().toISOString(), session: decision.value });
      }
      return durable(decision);
    },
    close(environment, session_id) {
      const session = sessionOf(store, environment, session_id);
      if (session?.closed_at === null) {
        record({ entry: 'closed', at: new Date().toISOString(), session_id });
      }
      return durable(stateOf(session));
    },
    find: (environment, session_id) => durable(stateOf(sessionOf(store, environment, session_id))),
    refund(environment, terms) {
      const decision = decideRefund(store, environment, terms, new Date());
      if (!decision.ok) return durable(decision);
      const refund = decision.value;
      if (!store.refund(environment, refund.refund_id)) {
        record({ entry: 'refunded', refund });
        settleRefundLater(refund);
      }
      return durable({ ok: true, value: showRefund(refund) });
    },
    findRefund(environment, refund_id) {
      const refund = store.refund(environment, refund_id);
      return durable(refund && showRefund(refund));
    },
    list: (environment) => durable(list(store, environment)),
    listTaken: (environment, terms) => durable(listTaken(store, environment, terms)),
    findTaken: (environment, id) => durable(findTaken(store, environment, id)),
    listRefunds: (environment, terms) => durable(listRefunds(store, environment, terms)),
    disputes: createDisputes({ store, journal, notifier }),
    findSession: (session_id) => durable(store.session(session_id)),
    async act(session, { action, ...choice }) {
      if (action === 'come_back_later') return true;
      const now = new Date();
      if (statusOf(session, now) !== 'open') return durable(false);
      await pay(outcomeOf(session.terms, { action, ...choice }, now));
      return true;
    },
    resume() {
      for (const notification of store.undelivered()) notifier.send(notification);
      for (const attempt of store.pending()) settleLater(attempt);
      for (const refund of store.settlingRefunds()) settleRefundLater(refund);
    },
  };
}

function decideOpen(
  store: Store,
  environment: Environment,
  terms: OpenTerms,
): Decision<SessionTerms> {
  const sessions = store.sessionsOf(environment, terms.intent_id);
  const same = sessions.find((session) => session.terms.number === terms.number)?.terms;
  if (same) {
    const fields = ['amount_minor', 'currency', 'reference'] as const;
    return fields.every((field) => same[field] === terms[field])
      ? { ok: true, value: same }
      : { ok: false, refused: 'The session is open with another amount, currency or reference.' };
  }
  const latest = sessions.at(-1)?.terms.number ?? 0;
  if (terms.number < latest) {
    return { ok: false, refused: `The intent's session number ${latest} was opened before.` };
  }
  return { ok: true, value: { session_id: newId('cs'), environment, ...terms } };
}

function sessionOf(store: Store, environment: Environment, session_id: string) {
  const session = store.session(session_id);
  return session?.terms.environment === environment ? session : undefined;
}

/** Returns a session's state. Nothing was paid in an unknown session, and nothing can be. */
function stateOf(session: Session | undefined): PaymentState {
  return session ? paymentStateOf(session) : { state: 'none' };
}

function list(store: Store, environment: Environment): Listing {
  const payments = store.attempts(environment).map((attempt): ListedPayment => {
    const { provider_payment_id, session_id, status, final, occurred_at } = attempt;
    const { terms } = store.session(session_id)!;
    return {
      provider_payment_id,
      session_id,
      intent_id: terms.intent_id,
      number: terms.number,
      reference: terms.reference,
      amount_minor: terms.amount_minor,
      currency: terms.currency,
      status,
      final,
      occurred_at,
      refund_id: store.refundsOf(provider_payment_id).at(-1)?.refund_id ?? null,
    };
  });
  const undelivered = store.undelivered().filter((one) => one.environment === environment).length;
  return { payments, undelivered };
}
