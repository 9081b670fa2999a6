// Asks gateways about attempts to pay by phone. What ends an attempt is handed to the inbox as a notification, so money
// is booked once and late money has its place; what a gateway does not say is unknown, and asked for.

import {
  beginAskingAttempt,
  beginChargingAgain,
  getAttempt,
  recordAttemptAnswer,
  type AttemptAsk,
  type StoredAttempt,
} from '../db/payment-attempts/payment-attempts';
import { getIntent } from '../db/payment-intents/intents';
import { storeNotification } from '../db/suspense/notifications';
import { GatewayError } from '../domain/gateway-error';
import { payUrl } from '../domain/intent';
import type { Minor } from '../domain/money';
import type { Payment, PaymentNotification } from '../domain/payment';
import type { AttemptFailure, ChargeState } from '../domain/payment-attempt';
import { ended, pauseAfter, type Pauses, type Progress } from '../domain/pursuit';
import { findGateway, type ChargeOrder } from '../gateway/port';
import type { Metrics } from '../telemetry/metrics';
import type { TellIntentEnded } from '../temporal/payment-intents';
import { closeSession, type CheckoutDependencies } from './checkouts';
import { beginQuestion, type Send } from '../use-cases/questions';
import { applyHeard } from '../use-cases/risk/payments';
import type { RefusalLog } from './refused-messages';

export interface AttemptActivityDependencies extends CheckoutDependencies, RefusalLog {
  readonly metrics: Pick<Metrics, 'countIntentEnd'>;
  readonly tellIntentEnded: TellIntentEnded;
}

/** A customer waits, and a callback may be lost. */
const PAUSES: Pauses = { first_ms: 2_000, longest_ms: 30_000, share: 1 / 4 };
const LATE_PAUSES: Pauses = { first_ms: 60_000, longest_ms: 3_600_000, share: 1 / 4 };

export async function followAttempt(
  dependencies: AttemptActivityDependencies,
  id: string,
): Promise<Progress> {
  const { db } = dependencies;
  const [ask, send] = await beginQuestion(db, () => beginAskingAttempt(db, id));
  if (ask !== undefined) {
    // Read after the question was begun: the customer's code may have come just before.
    const attempt = await getAttempt(db, id);
    const answer = await askGateway(dependencies, { attempt, ask, send });
    await record(dependencies, attempt, ask, answer);
  }
  const followed = await getAttempt(db, id);
  if (followed.status === 'succeeded') await endLink(dependencies, followed);
  return progressOf(followed);
}

function progressOf(attempt: StoredAttempt): Progress {
  const { status, is_otp_due, remaining_ms, age_ms, look_ms } = attempt;
  if (status !== 'waiting') {
    if (look_ms === null) return ended(status);
    return { status, waits_for: 'late money', pause_ms: pauseAfter(age_ms, LATE_PAUSES) };
  }
  // An attempt whose time is over is asked about once more, and ends; one that is asked too early has not.
  const rest_ms = Math.ceil(Math.max(remaining_ms, 0) + PAUSES.first_ms / 2);
  if (is_otp_due) return { status, waits_for: 'the code', pause_ms: rest_ms };
  const pause_ms = Math.min(pauseAfter(age_ms, PAUSES), rest_ms);
  return { status, waits_for: 'the customer', pause_ms };
}

interface Question {
  readonly attempt: StoredAttempt;
  readonly ask: AttemptAsk;
  readonly send: Send;
}

/** `nothing_done`: the customer was not asked, now or before. */
type Answer =
  | ChargeState
  | { readonly status: 'unanswered'; readonly fault: string; readonly nothing_done: boolean };

async function askGateway(
  { db, gateways, pay_url_base }: AttemptActivityDependencies,
  { attempt, ask, send }: Question,
): Promise<Answer> {
  if (ask.action === 'expire') return { status: 'failed', failure: EXPIRED };
  const is_first = ask.action === 'charge';
  const phones = findGateway(gateways, attempt)?.phones;
  const unasked = (fault: string): Answer => {
    return { status: 'unanswered', fault, nothing_done: is_first };
  };
  if (!phones) return unasked(`The gateway ${attempt.gateway} takes no phones here.`);
  const charge = (): Promise<ChargeState> =>
    send(attempt, () => phones.charge(orderOf(attempt, pay_url_base)));
  try {
    if (is_first) return await charge();
    const found = await send(attempt, () => phones.findCharge(attempt.id));
    if (found !== 'never_seen') return found;
    const doubt = (fault: string): Answer => ({ status: 'unanswered', fault, nothing_done: false });
    const may_charge = await beginChargingAgain(db, attempt.id, ask.asks, phones.promises);
    if (!may_charge) return doubt('The gateway has never seen it.');
    const repeated = await charge();
    // The customer may have been asked before all the same (is_attempt_failed).
    return repeated.status === 'failed'
      ? doubt(`The gateway does not take it again: ${repeated.failure.message}`)
      : repeated;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const nothing_done = is_first && error.outcome === 'not_done';
    return { status: 'unanswered', fault: error.message, nothing_done };
  }
}

function orderOf(attempt: StoredAttempt, pay_url_base: string): ChargeOrder {
  const { id, intent_id, reference, currency, operator, phone, otp } = attempt;
  const { description, merchant_name, short_code } = attempt;
  const amount = attempt.amount_minor as Minor;
  const return_url = `${payUrl(pay_url_base, short_code)}?back=1`;
  const by = { operator, phone, otp, description, merchant_name, return_url };
  return { id, intent_id, reference, amount, currency, ...by };
}

const EXPIRED: AttemptFailure = {
  code: 'expired',
  message: 'The customer has not confirmed the payment in time.',
  provider_code: null,
};

const NOT_ASKED: AttemptFailure = {
  code: 'provider_unavailable',
  message: 'The operator could not be reached: nobody was asked to pay.',
  provider_code: null,
};

/** An answer that leaves the customer time is recorded; any other one is booked before. */
async function record(
  dependencies: AttemptActivityDependencies,
  attempt: StoredAttempt,
  ask: AttemptAsk,
  answer: Answer,
): Promise<void> {
  const { db } = dependencies;
  const is_over = attempt.status === 'waiting' && attempt.remaining_ms <= 0;
  const fail = (failure: AttemptFailure, nothing_done = false): Promise<void> =>
    book(dependencies, attempt, failedBecause(attempt, ask, { failure, nothing_done }));
  switch (answer.status) {
    case 'paid':
      await book(dependencies, attempt, paidBy(attempt, answer.payment));
      return recordAttemptAnswer(db, attempt.id, ask.asks, { is_final: true });
    case 'failed': {
      await fail(answer.failure);
      const is_final = answer.failure.code !== 'expired';
      return recordAttemptAnswer(db, attempt.id, ask.asks, { is_final });
    }
    case 'waiting':
      if (is_over) await fail(EXPIRED);
      return recordAttemptAnswer(db, attempt.id, ask.asks, answer);
    case 'unanswered': {
      const { fault, nothing_done } = answer;
      if (nothing_done) await fail(NOT_ASKED, nothing_done);
      else if (is_over) await fail(EXPIRED);
      return recordAttemptAnswer(db, attempt.id, ask.asks, { fault });
    }
  }
}

type Booked = Pick<
  PaymentNotification,
  | 'event_id'
  | 'type'
  | 'provider_payment_id'
  | 'amount_minor'
  | 'currency'
  | 'failure'
  | 'occurred_at'
  | 'asks'
  | 'nothing_done'
>;

function paidBy({ id }: StoredAttempt, payment: Payment): Booked {
  const event_id = `polled/${id}/paid/${payment.provider_payment_id}`;
  return { ...payment, event_id, type: 'payment.succeeded', failure: null };
}

/** Each question has a failure of its own: one that is out of date changes nothing for the next. */
function failedBecause(
  { id, amount_minor, currency }: StoredAttempt,
  { asks }: AttemptAsk,
  failed: Required<Pick<Booked, 'failure' | 'nothing_done'>>,
): Booked {
  return {
    event_id: `polled/${id}/failed/${asks}`,
    type: 'payment.failed',
    provider_payment_id: id,
    amount_minor: amount_minor.toString(),
    currency,
    occurred_at: new Date().toISOString(),
    asks,
    ...failed,
  };
}

/** Hands it to the inbox as if the gateway had sent it. A failure is not final: the link stays open. */
async function book(
  dependencies: AttemptActivityDependencies,
  { id, intent_id, environment, reference, gateway }: StoredAttempt,
  booked: Booked,
): Promise<void> {
  const { db, metrics } = dependencies;
  const of = { environment, intent_id, reference, attempt_id: id };
  const notification: PaymentNotification = { ...of, final: false, ...booked };
  const raw = Buffer.from(JSON.stringify(notification));
  const stored = await storeNotification(db, gateway, notification, raw);
  await applyHeard(dependencies, stored.id, (env, status) => metrics.countIntentEnd(env, status));
}

/** Apart from the booking, and again each time: a process may die in between. */
async function endLink(
  dependencies: AttemptActivityDependencies,
  { intent_id, environment }: StoredAttempt,
): Promise<void> {
  const intent = await getIntent(dependencies.db, intent_id);
  if (intent.status !== 'succeeded') return;
  await dependencies.tellIntentEnded({ environment, id: intent_id });
  // Nobody pays it a second time in its checkout. One that stays open takes money that is held in suspense.
  await closeSession(dependencies, intent);
}
