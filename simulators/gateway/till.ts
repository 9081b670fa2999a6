// Takes payments. Each decision is made and entered in one go, so that of two calls at the same
// moment one comes first; nothing is answered or told before the journal has it on the disk.

import type { Environment } from '../../domain/environment';
import type { PaymentState } from '../../domain/payment';
import { newId, outcomeOf, settlementOf, type Action, type Outcome } from './actions';
import * as books from './book';
import type { Entry, PaymentAttempt, Refund, Session, SessionTerms } from './book';
import type { Journal } from './journal';
import type { Notifier } from './notifier';

export type OpenTerms = Omit<SessionTerms, 'session_id' | 'environment'>;

export interface RefundTerms {
  readonly provider_payment_id: string;
  readonly amount_minor: string;
  readonly currency: string;
  readonly idempotency_key: string;
}

/** A refusal says why, in a sentence. */
export type Decision<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refused: string };

export interface Till {
  open(environment: Environment, terms: OpenTerms): Promise<Decision<SessionTerms>>;
  close(environment: Environment, session_id: string): Promise<PaymentState>;
  find(environment: Environment, session_id: string): Promise<PaymentState>;
  refund(environment: Environment, terms: RefundTerms): Promise<Decision<Refund>>;
  list(environment: Environment): Promise<Listing>;
  look(session_id: string): Promise<Session | undefined>;
  /** False when nobody can pay there any more. */
  act(session: Session, action: Action, delay_ms: number): Promise<boolean>;
  /** Goes on with what was pending or undelivered when the last process ended. */
  resume(): void;
  stop(): void;
}

export interface Listing {
  readonly payments: readonly ListedPayment[];
  /** Notifications that the service has not taken yet. */
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

export interface TillParts {
  readonly book: books.Book;
  readonly journal: Journal<Entry>;
  readonly notifier: Notifier;
  /** What happened while nobody was waiting for an answer. */
  readonly onError: (error: unknown) => void;
}

export function createTill({ book, journal, notifier, onError }: TillParts): Till {
  const timers = new Set<NodeJS.Timeout>();
  let isStopped = false;

  const enter = (entry: Entry): void => {
    book.apply(entry);
    journal.append(entry);
  };
  /** Also for answers that changed nothing: what they tell may have been entered a moment ago. */
  const durable = async <Value>(value: Value): Promise<Value> => {
    await journal.flushed();
    return value;
  };
  const pay = async (outcome: Outcome): Promise<void> => {
    enter({ entry: 'paid', ...outcome });
    await journal.flushed();
    for (const notification of outcome.notifications) notifier.send(notification);
    for (const attempt of outcome.attempts) settleLater(attempt);
  };
  const settleLater = ({ provider_payment_id, settles }: PaymentAttempt): void => {
    if (settles === null || isStopped) return;
    const settle = (): void => {
      timers.delete(timer);
      const pending = book.attempt(provider_payment_id)!;
      const { terms } = book.session(pending.session_id)!;
      pay(settlementOf(terms, pending, new Date())).catch(onError);
    };
    const timer = setTimeout(settle, Math.max(0, Date.parse(settles.at) - Date.now()));
    timers.add(timer);
  };
  const sessionOf = (environment: Environment, session_id: string): Session | undefined => {
    const session = book.session(session_id);
    return session?.terms.environment === environment ? session : undefined;
  };
  /** Of a session that is not known: nothing was paid in it, and nobody can. */
  const stateOf = (session: Session | undefined): PaymentState =>
    session ? books.paymentStateOf(session) : { state: 'none' };

  return {
    open(environment, terms) {
      const decision = decideOpen(book, environment, terms);
      if (decision.ok && !book.session(decision.value.session_id)) {
        enter({ entry: 'opened', at: new Date().toISOString(), session: decision.value });
      }
      return durable(decision);
    },
    close(environment, session_id) {
      const session = sessionOf(environment, session_id);
      if (session?.closed_at === null) {
        enter({ entry: 'closed', at: new Date().toISOString(), session_id });
      }
      return durable(stateOf(session));
    },
    find: (environment, session_id) => durable(stateOf(sessionOf(environment, session_id))),
    refund(environment, terms) {
      const decision = decideRefund(book, environment, terms);
      if (decision.ok && !book.refundOf(terms.provider_payment_id)) {
        enter({ entry: 'refunded', refund: decision.value });
      }
      return durable(decision);
    },
    list: (environment) => durable(list(book, environment)),
    look: (session_id) => durable(book.session(session_id)),
    async act(session, action, delay_ms) {
      if (action === 'come_back_later') return true;
      const now = new Date();
      if (books.statusOf(session, now) !== 'open') return durable(false);
      await pay(outcomeOf(session.terms, action, now, delay_ms));
      return true;
    },
    resume() {
      for (const notification of book.undelivered()) notifier.send(notification);
      for (const attempt of book.pending()) settleLater(attempt);
    },
    stop() {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

function decideOpen(
  book: books.Book,
  environment: Environment,
  terms: OpenTerms,
): Decision<SessionTerms> {
  const sessions = book.sessionsOf(environment, terms.intent_id);
  const same = sessions.find((session) => session.terms.number === terms.number)?.terms;
  if (same) {
    const { amount_minor, currency, reference } = terms;
    const isAgain =
      same.amount_minor === amount_minor &&
      same.currency === currency &&
      same.reference === reference;
    return isAgain
      ? { ok: true, value: same }
      : { ok: false, refused: 'The session is open with another amount, currency or reference.' };
  }
  const latest = sessions.at(-1)?.terms.number ?? 0;
  if (terms.number < latest) {
    return { ok: false, refused: `The intent's session number ${latest} was opened before.` };
  }
  return { ok: true, value: { session_id: newId('cs'), environment, ...terms } };
}

function decideRefund(
  book: books.Book,
  environment: Environment,
  terms: RefundTerms,
): Decision<Refund> {
  const { provider_payment_id, idempotency_key } = terms;
  const same = book.refundByKey(environment, idempotency_key);
  if (same) {
    return same.provider_payment_id === provider_payment_id
      ? { ok: true, value: same }
      : { ok: false, refused: 'The key was used to refund another payment.' };
  }
  const payment = book.attempt(provider_payment_id);
  const paid = payment && book.session(payment.session_id)?.terms;
  if (payment?.status !== 'succeeded' || paid?.environment !== environment) {
    return { ok: false, refused: 'No such payment was made.' };
  }
  if (paid.amount_minor !== terms.amount_minor || paid.currency !== terms.currency) {
    return { ok: false, refused: 'Payments are refunded in full.' };
  }
  if (book.refundOf(provider_payment_id)) {
    return { ok: false, refused: 'The payment was refunded before.' };
  }
  const at = new Date().toISOString();
  return {
    ok: true,
    value: { refund_id: newId('re'), provider_payment_id, environment, idempotency_key, at },
  };
}

function list(book: books.Book, environment: Environment): Listing {
  const payments = book.attempts(environment).map((attempt): ListedPayment => {
    const { provider_payment_id, session_id, status, final, occurred_at } = attempt;
    const { terms } = book.session(session_id)!;
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
      refund_id: book.refundOf(provider_payment_id)?.refund_id ?? null,
    };
  });
  const undelivered = book.undelivered().filter((one) => one.environment === environment).length;
  return { payments, undelivered };
}
