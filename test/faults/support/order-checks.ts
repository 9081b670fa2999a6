// Checks payment intents: what responses merchants and customers got, what the database holds, what the
// gateway took. Returns every fault in words.

import { promisesNoEffect, type Attempt } from './caller';
import type { GatewayPayment, IntentBooks, IntentKept, PaidOut, PaymentKept } from './intent-books';
import type { Counts } from './checks';
import { groupBy } from './group';
import { readCreated, type OrderRecord } from './run-order';

export interface Judged {
  readonly orders: readonly OrderRecord[];
  readonly books: IntentBooks;
  /** The responses stored for keys: `<user id> <environment> <key>`. */
  readonly answers: ReadonlyMap<string, { readonly body: string }>;
  /** Everything ran again at this time (epoch, ms). */
  readonly healed_at: number;
  /** An intent that could not expire earlier has to expire within this time from then on. */
  readonly expiry_limit_ms: number;
}

/** The codes that a response may have, by its status. */
const CODES: Readonly<Record<number, readonly string[]>> = {
  409: ['idempotency_in_progress', 'intent_not_cancelable'],
  422: ['idempotency_key_reuse'],
  502: ['gateway_error'],
  503: ['unavailable'],
  504: ['gateway_timeout'],
};

export function findOrderFaults({ orders, books, answers, ...times }: Judged): string[] {
  const intents = new Map(books.intents.map((intent) => [nameOf(intent), intent]));
  const records = new Map(orders.map((record) => [nameOfOrder(record), record]));
  const listed = groupBy(books.listed, ({ intent_id }) => intent_id);
  return [
    ...orders.flatMap((record) => {
      const name = nameOfOrder(record);
      return [
        ...findToldFaults(record),
        ...findKeptFaults(record, intents.get(name), answers.get(name)?.body),
      ].map((fault) => `${record.order.key}: ${fault}`);
    }),
    ...books.intents.flatMap((intent) => {
      const record = records.get(nameOf(intent));
      const faults = findStateFaults(intent, listed.get(intent.id) ?? [], record, times);
      return faults.map((fault) => `${intent.idempotency_key} ${intent.reference}: ${fault}`);
    }),
    ...findMoneyFaults(books),
  ];
}

function findToldFaults({ order, attempts, final, ...record }: OrderRecord): string[] {
  const faults: string[] = [];
  if (!final && !record.is_abandoned) {
    const told = attempts.map((it) => it.status ?? it.fault).slice(-5);
    faults.push(`no link after ${attempts.length} tries, at last ${told.join(', ')}`);
  }
  const told = [
    ...attempts.map((attempt) => ['creation', attempt, 201] as const),
    ...record.cancels.map((attempt) => ['cancellation', attempt, 200] as const),
    ...(record.misuse ? [['other body', record.misuse, 422] as const] : []),
  ];
  for (const [what, attempt, good] of told) {
    if (attempt.status === undefined) continue;
    faults.push(...findAnswerFaults(attempt, good).map((fault) => `${what}: ${fault}`));
    if (what === 'cancellation') continue;
    if (attempt.headers['idempotency-key'] !== order.key) {
      faults.push(`${what}: ${attempt.status} without its Idempotency-Key`);
    }
    if (attempt.status === 201 && attempt.text !== final?.text) {
      faults.push(`two responses: ${final?.text} and ${attempt.text}`);
    }
  }
  const last = record.cancels.at(-1);
  const isOver = last?.status === 200 || last?.status === 409;
  if (order.cancel_at && final && !isOver && !(last && promisesNoEffect(last))) {
    faults.push(`the cancellation got no response, at last ${last?.status}`);
  }
  for (const { action, tries } of record.acts) {
    // The load ended before the customer's turn.
    const last_try = tries.at(-1);
    if (last_try === undefined) continue;
    const { status } = last_try;
    // A customer who saw no fault, and has a page that is still open, is not refused.
    const isRefusable = tries.length > 1 || order.cancel_at || order.expires_in !== undefined;
    if (status === 303 || (status === 409 && isRefusable)) continue;
    faults.push(`the page answered ${status} to ${action}`);
  }
  return faults;
}

function findAnswerFaults(attempt: Attempt & { readonly status: number }, good: number): string[] {
  const { status, text, headers, api } = attempt;
  if (status === good) return [];
  const codes = CODES[status];
  const code = /"code":"(\w+)"/.exec(text)?.[1];
  if (!codes?.includes(code ?? '') || (status === 422 && good !== 422)) {
    return [`answered ${status} ${code} by ${api}`];
  }
  const isToldWhen = /^[1-9]\d*$/.test(headers['retry-after'] ?? '');
  return status === 503 && !isToldWhen ? ['503 without Retry-After'] : [];
}

function findKeptFaults(
  { final, is_believed }: OrderRecord,
  intent: IntentKept | undefined,
  kept: string | undefined,
): string[] {
  if (is_believed && intent && intent.status !== 'creating' && intent.status !== 'abandoned') {
    return [`the response said that nothing was changed, and it is ${intent.status}`];
  }
  if (!final) return [];
  const faults = kept === final.text ? [] : [`the stored response is another one: ${kept}`];
  const { id } = readCreated(final);
  if (intent?.id !== id) faults.push(`answered ${id}, kept ${intent?.id}`);
  return faults;
}

/** The gateway's payments decide: closing the checkout comes before every other end. */
function findStateFaults(
  intent: IntentKept,
  attempts: readonly GatewayPayment[],
  record: OrderRecord | undefined,
  { healed_at, expiry_limit_ms }: Pick<Judged, 'healed_at' | 'expiry_limit_ms'>,
): string[] {
  const { status, is_early, expires_at, expired_at } = intent;
  const faults: string[] = [];
  if (!record) faults.push('no merchant requested it');
  const isToldCanceled = record?.cancels.some((attempt) => attempt.status === 200);
  const unpaid = isToldCanceled
    ? 'canceled'
    : record?.order.expires_in === undefined
      ? 'open'
      : 'expired';
  const isPaid = attempts.some((attempt) => attempt.status === 'succeeded');
  const isRefused = attempts.some((attempt) => attempt.final);
  const allowed: string[] = [isPaid ? 'succeeded' : isRefused ? 'failed' : unpaid];
  // No caller saw it: it got no response, and may never have been opened.
  if (!record?.final) allowed.push('creating', 'abandoned');
  if (!allowed.includes(status)) {
    const made = attempts.map((attempt) => attempt.status).join(', ');
    faults.push(`it is ${status}, not ${allowed.join(' or ')} (attempts: ${made || 'none'})`);
  }
  if (is_early) faults.push(`expired at ${expired_at}, before ${expires_at}`);
  const late_ms = lateness(intent, healed_at);
  if (late_ms > expiry_limit_ms) faults.push(`expired ${late_ms} ms late`);
  return faults;
}

/** Counts since it could have expired: not before it was open, nor before everything ran again. */
function lateness({ expires_at, expired_at, opened_at }: IntentKept, healed_at: number): number {
  if (expired_at === null) return 0;
  const times = [expires_at, opened_at ?? expires_at].map((time) => Date.parse(time));
  return Math.max(0, Date.parse(expired_at) - Math.max(healed_at, ...times));
}

/** Every payment that the gateway took is booked once, and nothing else is. */
function findMoneyFaults({ listed, payments, accounts, paid_out }: IntentBooks): string[] {
  const faults: string[] = [];
  const taken = listed.filter(({ status }) => status === 'succeeded');
  const booked = new Map(payments.map((payment) => [paymentName(payment), payment]));
  for (const payment of taken) {
    const kept = booked.get(paymentName(payment));
    const wanted = [payment.intent_id, payment.currency, payment.amount_minor].join();
    const is = kept && [kept.intent_id, kept.currency, kept.amount_minor].join();
    if (is !== wanted) faults.push(`${paymentName(payment)}: took ${wanted}, booked ${is}`);
    booked.delete(paymentName(payment));
  }
  for (const name of booked.keys()) faults.push(`${name}: booked, and the gateway never took it`);
  for (const payment of payments) {
    if (payment.booked_as === 'suspense' && payment.reason !== 'second_payment') {
      faults.push(`${paymentName(payment)}: in suspense because of ${payment.reason}`);
    }
  }
  for (const { kind, environment, currency, balance_minor } of accounts) {
    const sumOf = (of: readonly PaidOut[]): bigint =>
      of
        .filter((it) => it.environment === environment && it.currency === currency)
        .reduce((total, { amount_minor }) => total + amount_minor, 0n);
    const wanted =
      kind === 'gateway_clearing'
        ? sumOf(paid_out) - sumOf(payments)
        : sumOf(payments.filter((it) => it.booked_as === 'suspense'));
    if (balance_minor !== wanted) {
      faults.push(`${kind} ${environment} ${currency}: balance is ${balance_minor}, not ${wanted}`);
    }
  }
  return faults;
}

function paymentName(it: Pick<PaymentKept, 'environment' | 'provider_payment_id'>): string {
  return `${it.environment} ${it.provider_payment_id}`;
}

function nameOf({ user_id, environment, idempotency_key }: IntentKept): string {
  return `${user_id} ${environment} ${idempotency_key}`;
}

function nameOfOrder({ order: { merchant, environment, key } }: OrderRecord): string {
  return `${merchant.id} ${environment} ${key}`;
}

/** Counts for the line that each experiment prints. */
export function countOrders({
  orders,
  books,
  healed_at,
}: Omit<Judged, 'answers' | 'expiry_limit_ms'>): Counts {
  const counts: Record<string, number> = { orders: orders.length };
  const add = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
  for (const { attempts, cancels, is_abandoned, is_believed } of orders) {
    for (const { status } of attempts)
      add(status === undefined ? 'created_no_answer' : `created_${status}`);
    for (const { status } of cancels)
      add(status === undefined ? 'cancel_no_answer' : `cancel_${status}`);
    if (is_abandoned) add('left');
    if (is_believed) add('left_believing');
  }
  for (const { status } of books.intents) add(`intents_${status}`);
  const own = new Set(books.intents.map(({ id }) => id));
  for (const { intent_id, booked_as } of books.payments) {
    if (own.has(intent_id ?? '')) add(`booked_${booked_as}`);
  }
  const late = books.intents.map((intent) => lateness(intent, healed_at));
  return { ...counts, expiry_late_ms: Math.max(0, ...late) };
}
