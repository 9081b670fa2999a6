// Follows attempts to pay by phone. The order is a row, and without one this activity rings no phone, however its
// workflow was started. What ends an attempt is handed to the inbox as a notification, so money is booked once and
// late money has its place; what a gateway does not say is unknown, and asked for.

import {
  beginAskingAttempt,
  beginChargingAgain,
  getAttempt,
  recordAttemptAnswer,
  type AttemptAsk,
  type StoredAttempt,
} from '../db/payment-attempts/payment-attempts';
import { getIntent } from '../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../db/suspense/notifications';
import { GatewayError } from '../domain/gateway-error';
import { payUrl } from '../domain/intent';
import type { Minor } from '../domain/money';
import type { Payment, PaymentNotification } from '../domain/payment';
import type { AttemptFailure, AttemptStatus, ChargeState } from '../domain/payment-attempt';
import { findGateway, type ChargeOrder, type PhonePayments } from '../gateway/port';
import type { Metrics } from '../telemetry/metrics';
import type { TellIntentEnded } from '../temporal/payment-intents';
import { closeSession, type CheckoutDependencies } from './checkouts';
import { withHeartbeats } from './heartbeats';
import { withOrderedFault } from './ordered-faults';
import type { RefusalLog } from './refused-messages';
import { forRows } from './rows';

export interface AttemptActivityDependencies extends CheckoutDependencies, RefusalLog {
  readonly metrics: Pick<Metrics, 'countIntentEnd'>;
  readonly tellIntentEnded: TellIntentEnded;
}

/** The state of an attempt; whose it is stands in the database, not in the workflow's history. */
export interface AttemptProgress {
  readonly status: AttemptStatus;
  /** Until the gateway is asked again; null when it is not. */
  readonly pause_ms: number | null;
}

/** A process that stood still for longer rings no phone: another may have asked since (activities/payouts.ts). */
const CHARGED_WITHIN_MS = 10_000;

const FIRST_PAUSE_MS = 2_000;
/** A customer waits, and a callback may be lost. */
const LONGEST_PAUSE_MS = 30_000;
/** Late money is looked for at pauses that grow. */
const LATE_PAUSE = { first_ms: 60_000, longest_ms: 3_600_000 };

export function createAttemptActivities(dependencies: AttemptActivityDependencies) {
  const { db } = dependencies;
  return withHeartbeats(
    forRows(dependencies, 'attempt', {
      /** Asks the gateway once, and books its answer. */
      async followAttempt(id: string): Promise<AttemptProgress> {
        const begun_at = performance.now();
        const ask = await beginAskingAttempt(db, id);
        if (ask !== undefined) {
          // Read after the question was begun: the customer's code may have come just before.
          const attempt = await getAttempt(db, id);
          const answer = await askGateway(dependencies, { attempt, ask, begun_at });
          await record(dependencies, attempt, ask, answer);
        }
        const followed = await getAttempt(db, id);
        if (followed.status === 'succeeded') await endLink(dependencies, followed);
        return progressOf(followed);
      },
    }),
  );
}

export type AttemptActivities = ReturnType<typeof createAttemptActivities>;

function progressOf({
  status,
  is_otp_due,
  remaining_ms,
  age_ms,
  look_ms,
}: StoredAttempt): AttemptProgress {
  const growing = (first_ms: number, longest_ms: number): number =>
    Math.min(Math.max(first_ms, age_ms / 4), longest_ms);
  if (status !== 'waiting') {
    const pause = growing(LATE_PAUSE.first_ms, LATE_PAUSE.longest_ms);
    return { status, pause_ms: look_ms === null ? null : Math.ceil(pause) };
  }
  // What is over is asked about once more, and ends; what is asked too early has not.
  const rest = Math.max(remaining_ms, 0) + FIRST_PAUSE_MS / 2;
  const pause = is_otp_due ? rest : Math.min(growing(FIRST_PAUSE_MS, LONGEST_PAUSE_MS), rest);
  return { status, pause_ms: Math.ceil(pause) };
}

interface Question {
  readonly attempt: StoredAttempt;
  readonly ask: AttemptAsk;
  readonly begun_at: number;
}

/** `nothing_done`: the customer was not asked, now or before. */
type Answer =
  | ChargeState
  | { readonly status: 'unanswered'; readonly fault: string; readonly nothing_done: boolean };

async function askGateway(
  { db, gateways, pay_url_base }: AttemptActivityDependencies,
  { attempt, ask, begun_at }: Question,
): Promise<Answer> {
  if (ask.action === 'expire') return { status: 'failed', failure: EXPIRED };
  const is_first = ask.action === 'charge';
  const phones = findGateway(gateways, attempt)?.phones;
  const unasked = (fault: string): Answer => {
    return { status: 'unanswered', fault, nothing_done: is_first };
  };
  if (!phones) return unasked(`The gateway ${attempt.gateway} takes no phones here.`);
  const isLate = (): boolean => performance.now() - begun_at > CHARGED_WITHIN_MS;
  if (isLate()) return unasked('The process stood still for too long, and has not asked.');
  const charge = (): Promise<ChargeState> => phones.charge(orderOf(attempt, pay_url_base));
  try {
    const call = <T>(first: () => Promise<T>): Promise<T> => withOrderedFault(db, attempt, first);
    if (is_first) return await call(charge);
    const found = await call(() => phones.findCharge(attempt.id));
    if (found !== 'never_seen') return found;
    const may_charge =
      mayChargeAgain(phones, ask) && (await beginChargingAgain(db, attempt.id, ask.asks));
    if (may_charge && !isLate()) return await charge();
    return { status: 'unanswered', fault: 'The gateway has never seen it.', nothing_done: false };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const nothing_done = is_first && error.outcome === 'not_done';
    return { status: 'unanswered', fault: error.message, nothing_done };
  }
}

/** Whether a second ring cannot be a second payment. */
function mayChargeAgain({ promises }: PhonePayments, { charge_age_s }: AttemptAsk): boolean {
  const { idempotent_by_id, not_found_is_final_after_s } = promises;
  if (idempotent_by_id) return true;
  if (not_found_is_final_after_s === null) return false;
  return (charge_age_s ?? 0) > not_found_is_final_after_s + CHARGED_WITHIN_MS / 1_000;
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
  const { db, pay_url_base, metrics, waker } = dependencies;
  const of = { environment, intent_id, reference, attempt_id: id };
  const notification: PaymentNotification = { ...of, final: false, ...booked };
  const raw = Buffer.from(JSON.stringify(notification));
  const stored = await storeNotification(db, gateway, notification, raw);
  const applied = await applyNotification(db, stored.id, pay_url_base, (env, status) =>
    metrics.countIntentEnd(env, status),
  );
  waker.wake(applied.wake);
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
