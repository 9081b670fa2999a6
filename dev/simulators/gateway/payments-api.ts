// Checkout sessions and what is paid in them or by phone: opened, listed, refunded and disputed. Amounts are minor units
// as text, as in domain/payment.ts.

import type { Environment } from '../../../domain/environment';
import type { ListedPayment } from '../../../domain/payment';
import {
  currencyField,
  FieldFault,
  instantField,
  integerField,
  minorField,
  optionalText,
  textField,
  urlField,
} from '../../../gateway/fields';
import { ok, pageOf, refusal, route, type ApiResponse, type Call, type Route } from './calls';
import {
  begin,
  DISPUTE_COURSES,
  lineFor,
  shownStatus,
  takeStep,
  type Action,
  type DisputeCourse,
  type RefundCourse,
} from './courses';
import type { Desk } from './desk';
import type { Dispute, Refund, RefundTerms, Session, SessionTerms } from './records';
import { allTaken, paymentStateOf, statusOf, takenOf, type Store, type Taken } from './store';

const MAX_NUMBER = 1_000_000;

export function paymentRoutes(desk: Desk, origin: () => string): readonly Route[] {
  const { store } = desk;
  const sessionOf = ({ environment, params }: Call): Session | undefined => {
    const session = store.get('session', params['session_id']!);
    return session?.environment === environment ? session : undefined;
  };
  return [
    route('post', '/checkouts', 'open', ({ environment, body }) => {
      const opened = open(desk, environment, readSession(body()));
      if (typeof opened === 'string') return refusal(opened);
      const { id: session_id, expires_at: lapses_at } = opened;
      const checkout_url = `${origin()}/checkout/${session_id}`;
      return ok({ session_id, checkout_url, lapses_at });
    }),
    route('get', '/checkouts/:session_id', 'find', (call) =>
      ok(paymentStateOf(store, sessionOf(call))),
    ),
    route('post', '/checkouts/:session_id/close', 'close', (call) => {
      const session = sessionOf(call);
      if (session) desk.step(session, 'close');
      return ok(paymentStateOf(store, session));
    }),
    route('post', '/refunds', 'refund', ({ environment, body }) => {
      const refund = refundPayment(desk, environment, readRefund(body()));
      return typeof refund === 'string' ? refusal(refund) : ok(showRefund(refund));
    }),
    route('get', '/refunds/:refund_id', 'refund', ({ environment, params }) =>
      shown(environment, store.get('refund', params['refund_id']!), showRefund),
    ),
    route('get', '/disputes/:dispute_id', 'find', ({ environment, params }) =>
      shown(environment, store.get('dispute', params['dispute_id']!), showDispute),
    ),
    route('get', '/payments', 'list', ({ environment, query }) => {
      const listed = pageOf(query, allTaken(store, environment), (one) => one.changed_at);
      if (listed === undefined) return ok(listAll(store, environment));
      return ok({ payments: listed.page.map(showTaken), next: listed.next });
    }),
    route('get', '/payments/:payment_id', 'list', ({ environment, params }) => {
      const taken = takenOf(store, params['payment_id']!, environment);
      return ok({ payment: taken ? showTaken(taken) : null });
    }),
    route('get', '/refunds', 'list', ({ environment, query }) => {
      const listed = pageOf(query, store.find('refund', environment), (one) => one.created_at);
      if (listed === undefined) throw new FieldFault('from is required');
      const refunds = listed.page.map((refund) => {
        const { provider_payment_id, amount_minor, currency, created_at } = refund;
        const terms = { provider_payment_id, amount_minor, currency, created_at };
        return { ...showRefund(refund), ...terms };
      });
      return ok({ refunds, next: listed.next });
    }),
  ];
}

function shown<R extends { readonly environment: Environment }>(
  environment: Environment,
  record: R | undefined,
  show: (record: R) => object,
): ApiResponse {
  if (record?.environment === environment) return ok(show(record));
  return refusal('There is no such thing in this account.', 404, 'not_found');
}

/** The session that is open for the intent's number from now on, or why there is none. */
function open(desk: Desk, environment: Environment, terms: SessionTerms): Session | string {
  const sessions = desk.store.find('session', environment, ['intent_id', terms.intent_id]);
  const same = sessions.find(({ number }) => number === terms.number);
  if (same) {
    const fields = ['amount_minor', 'currency', 'reference'] as const;
    return fields.every((field) => same[field] === terms[field])
      ? same
      : 'The session is open with another amount, currency or reference.';
  }
  const latest = sessions.at(-1)?.number ?? 0;
  if (terms.number < latest) return `The intent's session number ${latest} was opened before.`;
  const session = begin('session', { ...terms, environment, outcome: '' }, desk.durations);
  // An intent has one live session.
  const closed = sessions.flatMap((one) => takeStep(one, 'close', desk.durations) ?? []);
  desk.change(session, ...closed);
  return session;
}

export interface Choice {
  readonly action: Action;
  /** How long actions that take a while take, and refunds. */
  readonly delay_ms: number;
  /** How refunds of these payments go; without it they are made at once. */
  readonly refunds?: RefundCourse | undefined;
}

/** Does what a customer chose on the checkout page; false when the session can no longer be paid. */
export function payIn(desk: Desk, session: Session, choice: Choice): boolean {
  const { action, delay_ms, refunds = 'works' } = choice;
  if (action === 'come_back_later') return true;
  if (statusOf(desk.store, session) !== 'open') return false;
  const { id: session_id, environment, intent_id, number, reference } = session;
  const { amount_minor, currency } = session;
  const terms = { session_id, environment, intent_id, number, reference, amount_minor, currency };
  const pay = () =>
    begin(
      'payment',
      { ...terms, refunds, delay_ms, outcome: action },
      { ...desk.durations, delay_ms },
    );
  desk.change(...(action === 'pay_twice' ? [pay(), pay()] : [pay()]));
  return true;
}

/** A failed refund may be made again, with another key. Returns the refund, or why there is none. */
function refundPayment(desk: Desk, environment: Environment, terms: RefundTerms): Refund | string {
  const { provider_payment_id, idempotency_key, amount_minor, currency } = terms;
  const { store, durations } = desk;
  const [same] = store.find('refund', environment, ['idempotency_key', idempotency_key]);
  if (same) {
    const is_same =
      same.provider_payment_id === provider_payment_id && same.amount_minor === amount_minor;
    return is_same ? same : 'The key was used for another refund.';
  }
  const taken = takenOf(store, provider_payment_id, environment);
  if (taken === undefined) return 'No such payment was made.';
  if (taken.currency !== currency) return `The payment was made in ${taken.currency}.`;
  // A pending refund counts: its money is no longer there to be refunded.
  const refunded = store
    .find('refund', environment, ['provider_payment_id', provider_payment_id])
    .filter(({ status }) => status !== 'failed')
    .reduce((sum, one) => sum + BigInt(one.amount_minor), BigInt(amount_minor));
  if (refunded > BigInt(taken.amount_minor)) {
    return 'The payment was refunded before, or less was paid.';
  }
  const { refunds: outcome, delay_ms } =
    taken.kind === 'payment' ? taken : { refunds: 'works', delay_ms: 0 };
  const refund = begin('refund', { ...terms, environment, outcome }, { ...durations, delay_ms });
  desk.change(refund);
  return refund;
}

/** The fee of a lost dispute. */
const FEES = { XOF: '1000000', EUR: '1500', USD: '1500' };
const EVIDENCE_MS = 7 * 24 * 60 * 60 * 1_000;

/** A person who knows a paid checkout's address plays the customer's bank, as one who knows an open one's may pay. */
export function disputeAs(
  desk: Desk,
  taken: Taken,
  course: DisputeCourse,
  amount_minor = taken.amount_minor,
): boolean {
  const latest = latestDispute(desk.store, taken);
  if (!coursesAfter(latest).includes(course)) return false;
  if (course !== 'open') return desk.step(latest!, course) !== undefined;
  const { environment, id: provider_payment_id, currency } = taken;
  const evidence_due_by = new Date(Date.now() + EVIDENCE_MS).toISOString();
  const claim = { reason: 'product_not_received', fee_minor: FEES[currency], evidence_due_by };
  const terms = { provider_payment_id, amount_minor, currency, ...claim };
  desk.change(begin('dispute', { ...terms, environment, outcome: '' }, desk.durations));
  return true;
}

export function latestDispute(store: Store, { environment, id }: Taken): Dispute | undefined {
  return store.find('dispute', environment, ['provider_payment_id', id]).at(-1);
}

/** The bank's next courses. Another part of the payment is another dispute. */
export function coursesAfter(latest: Dispute | undefined): readonly DisputeCourse[] {
  return DISPUTE_COURSES.filter((course) =>
    course === 'open'
      ? latest?.status !== 'open'
      : latest !== undefined && lineFor(latest, course) !== undefined,
  );
}

export type Listing = ReturnType<typeof listAll>;
export type GatewayPayment = Listing['payments'][number];

/** All that was tried, with how many notifications the service has not accepted yet. */
function listAll(store: Store, environment: Environment) {
  const taken = allTaken(store, environment).filter(({ kind }) => kind === 'charge');
  const payments = [...store.find('payment', environment), ...taken].map((one) => ({
    provider_payment_id: one.id,
    session_id: one.kind === 'payment' ? one.session_id : one.id,
    intent_id: one.intent_id,
    number: one.kind === 'payment' ? one.number : 0,
    reference: one.reference,
    amount_minor: one.amount_minor,
    currency: one.currency,
    status: one.kind === 'payment' ? shownStatus(one) : 'succeeded',
    final: one.status === 'refused',
    occurred_at: one.changed_at,
    refund_id:
      store.find('refund', environment, ['provider_payment_id', one.id]).at(-1)?.id ?? null,
  }));
  const undelivered = store.undelivered().filter((one) => one.environment === environment).length;
  return { payments, undelivered };
}

function showTaken(taken: Taken): ListedPayment {
  const { id: provider_payment_id, changed_at: occurred_at } = taken;
  const { amount_minor, currency, intent_id, reference } = taken;
  return { provider_payment_id, amount_minor, currency, occurred_at, intent_id, reference };
}

function showRefund({ id: refund_id, status, failure }: Refund): object {
  return { refund_id, status, detail: failure?.message ?? null };
}

function showDispute(dispute: Dispute): object {
  const { id: dispute_id, environment, status, provider_payment_id, amount_minor } = dispute;
  const { currency, fee_minor, reason, evidence_due_by } = dispute;
  const claim = { amount_minor, currency, fee_minor, reason, evidence_due_by };
  return { dispute_id, environment, provider_payment_id, status, ...claim };
}

function readSession(value: ReturnType<Call['body']>): SessionTerms {
  const currency = currencyField(value);
  const merchant_country = optionalText(value, 'merchant_country', 2);
  if (merchant_country !== null && !/^[A-Z]{2}$/.test(merchant_country)) {
    throw new FieldFault('merchant_country must be a country code, such as SN');
  }
  return {
    intent_id: textField(value, 'intent_id', 200),
    number: integerField(value, 'number', 1, MAX_NUMBER),
    reference: textField(value, 'reference', 200),
    amount_minor: minorField(value, currency),
    currency,
    description: optionalText(value, 'description', 5_000),
    customer_email: optionalText(value, 'customer_email', 500),
    merchant_name: optionalText(value, 'merchant_name', 500),
    merchant_country,
    merchant_contact: optionalText(value, 'merchant_contact', 500),
    logo_url: (value['logo_url'] ?? null) === null ? null : urlField(value, 'logo_url'),
    return_url: urlField(value, 'return_url'),
    cancel_url: urlField(value, 'cancel_url'),
    expires_at: instantField(value, 'expires_at'),
  };
}

function readRefund(value: ReturnType<Call['body']>): RefundTerms {
  const currency = currencyField(value);
  return {
    provider_payment_id: textField(value, 'provider_payment_id', 200),
    amount_minor: minorField(value, currency),
    currency,
    idempotency_key: textField(value, 'idempotency_key', 255),
    reference: optionalText(value, 'reference', 200),
  };
}
