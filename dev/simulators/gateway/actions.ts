// What a customer can do on the simulator's page, and the result: payment attempts and the
// notifications about them.

import type { PaymentFailure, PaymentNotification } from '../../../domain/payment';
import { renderJson } from '../../../domain/json';
import { amountJson } from '../../../domain/money';
import { randomText } from '../../../secrets/random';
import type { Notification, PaymentAttempt, RefundCourse, SessionTerms } from './store';

export const ACTIONS = [
  'pay',
  'pay_slowly',
  'pay_notify_twice',
  'pay_twice',
  'decline_retry',
  'decline',
  'decline_slowly',
  'come_back_later',
] as const;
export type Action = (typeof ACTIONS)[number];

export const DEFAULT_DELAY_MS = 5_000;
/** A day is longer than any session that a test waits for. */
export const MAX_DELAY_MS = 24 * 60 * 60 * 1000;

const DECLINED: PaymentFailure = {
  code: 'card_declined',
  message: 'The payment was declined. Try again, or pay in another way.',
};
const DECLINED_FOR_GOOD: PaymentFailure = {
  code: 'payment_refused',
  message: 'The payment was refused.',
};

export interface Choice<A extends Action = Action> {
  readonly action: A;
  /** The duration of actions that take a while, and of the refund. */
  readonly delay_ms: number;
  /** How refunds of these payments go; without it they are made at once. */
  readonly refunds?: RefundCourse['course'] | undefined;
}

export interface Outcome {
  readonly attempts: readonly PaymentAttempt[];
  readonly notifications: readonly Notification[];
}

/** Returns the result of an action at this moment. */
export function outcomeOf(
  terms: SessionTerms,
  { action, delay_ms, refunds: course }: Choice<Exclude<Action, 'come_back_later'>>,
  now: Date,
): Outcome {
  const refunds = course === undefined ? undefined : { course, delay_ms };
  const attempt = newAttempt(terms, now, refunds);
  switch (action) {
    case 'pay':
      return withNotifications(terms, [attempt]);
    case 'pay_notify_twice':
      return withNotifications(terms, [attempt], 2);
    case 'pay_twice':
      return withNotifications(terms, [attempt, newAttempt(terms, now, refunds)]);
    case 'decline_retry':
      return withNotifications(terms, [{ ...attempt, status: 'failed', failure: DECLINED }]);
    case 'decline':
      return withNotifications(terms, [failedForGood(attempt, DECLINED_FOR_GOOD)]);
    case 'pay_slowly':
    case 'decline_slowly': {
      const at = new Date(now.getTime() + delay_ms).toISOString();
      const failure = action === 'decline_slowly' ? DECLINED_FOR_GOOD : null;
      return withNotifications(terms, [
        { ...attempt, status: 'pending', settles: { at, failure } },
      ]);
    }
  }
}

/** Returns how a pending attempt ends. */
export function settlementOf(terms: SessionTerms, pending: PaymentAttempt, now: Date): Outcome {
  const failure = pending.settles?.failure ?? null;
  const ended = { ...pending, occurred_at: now.toISOString(), settles: null };
  return withNotifications(terms, [
    failure === null ? { ...ended, status: 'succeeded' } : failedForGood(ended, failure),
  ]);
}

function newAttempt(
  { session_id }: SessionTerms,
  now: Date,
  refunds: RefundCourse | undefined,
): PaymentAttempt {
  return {
    provider_payment_id: newId('pay'),
    session_id,
    occurred_at: now.toISOString(),
    status: 'succeeded',
    final: false,
    failure: null,
    settles: null,
    ...(refunds === undefined ? {} : { refunds }),
  };
}

function failedForGood(attempt: PaymentAttempt, failure: PaymentFailure): PaymentAttempt {
  return { ...attempt, status: 'failed', final: true, failure };
}

function withNotifications(
  terms: SessionTerms,
  attempts: readonly PaymentAttempt[],
  copies = 1,
): Outcome {
  const notifications = attempts.map((attempt) => {
    const event_id = newId('evt');
    const body = notificationBody(event_id, terms, attempt);
    return { event_id, environment: terms.environment, body, copies };
  });
  return { attempts, notifications };
}

/** Only failures have `final` and `failure`. */
function notificationBody(event_id: string, terms: SessionTerms, attempt: PaymentAttempt): string {
  const { status, final, failure } = attempt;
  const type: PaymentNotification['type'] = `payment.${status}`;
  return renderJson({
    event_id,
    type,
    intent_id: terms.intent_id,
    reference: terms.reference,
    amount: amountJson(BigInt(terms.amount_minor)),
    currency: terms.currency,
    environment: terms.environment,
    provider_payment_id: attempt.provider_payment_id,
    final: status === 'failed' ? final : undefined,
    failure: failure === null ? undefined : { ...failure },
    occurred_at: attempt.occurred_at,
  });
}

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** An id has 120 random bits: knowing a session's id is enough to pay it. */
export function newId(prefix: string): string {
  return `${prefix}_${randomText(LETTERS, 24)}`;
}
