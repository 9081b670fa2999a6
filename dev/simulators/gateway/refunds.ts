// Refunds of the simulator: which it makes, and how they go. How a refund goes was chosen with the
// payment, as at gateways that have test cards for it.

import { renderJson } from '../../../domain/json';
import type { Environment } from '../../../domain/environment';
import type { RefundState } from '../../../domain/payment';
import { newId } from './actions';
import type { Notification, Refund, RefundCondition, RefundCourse, Store } from './store';

export interface RefundTerms {
  readonly provider_payment_id: string;
  readonly amount_minor: string;
  readonly currency: string;
  readonly idempotency_key: string;
  readonly reference: string | null;
}

/** `refused` is a sentence that says why. */
export type Decision<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refused: string };

const SUCCEEDED: RefundCondition = { status: 'succeeded', detail: null };
const PENDING: RefundCondition = { status: 'pending', detail: 'the bank is slow' };
const NEEDS_CUSTOMER: RefundCondition = {
  status: 'pending',
  detail: 'the customer has to say to which account',
};
const FAILED: RefundCondition = {
  status: 'failed',
  detail: 'The account that was paid from is closed.',
};

/** Decides at this moment. A failed refund may be made again, with another key. */
export function decideRefund(
  store: Store,
  environment: Environment,
  { provider_payment_id, idempotency_key, ...terms }: RefundTerms,
  now: Date,
): Decision<Refund> {
  const same = store.refundByKey(environment, idempotency_key);
  if (same) {
    const is_same =
      same.provider_payment_id === provider_payment_id && same.amount_minor === terms.amount_minor;
    return is_same
      ? { ok: true, value: same }
      : { ok: false, refused: 'The key was used for another refund.' };
  }
  const payment = store.attempt(provider_payment_id);
  const paid = payment && store.session(payment.session_id)?.terms;
  if (payment?.status !== 'succeeded' || paid?.environment !== environment) {
    return { ok: false, refused: 'No such payment was made.' };
  }
  if (paid.currency !== terms.currency) {
    return { ok: false, refused: `The payment was made in ${paid.currency}.` };
  }
  // A pending refund counts: its money is no longer there to be refunded.
  const refunded = store
    .refundsOf(provider_payment_id)
    .filter(({ state }) => state.status !== 'failed')
    .reduce((sum, one) => sum + BigInt(one.amount_minor), 0n);
  if (refunded + BigInt(terms.amount_minor) > BigInt(paid.amount_minor)) {
    return { ok: false, refused: 'The payment was refunded before, or less was paid.' };
  }
  const made = {
    refund_id: newId('re'),
    provider_payment_id,
    environment,
    idempotency_key,
    amount_minor: terms.amount_minor,
    reference: terms.reference,
  };
  return {
    ok: true,
    value: { ...made, at: now.toISOString(), ...courseOf(payment.refunds, now) },
  };
}

function courseOf(refunds: RefundCourse | undefined, now: Date): Pick<Refund, 'state' | 'settles'> {
  if (refunds === undefined) return { state: SUCCEEDED };
  const at = new Date(now.getTime() + refunds.delay_ms).toISOString();
  switch (refunds.course) {
    case 'slow':
      return { state: PENDING, settles: { at, state: SUCCEEDED } };
    case 'fail':
      return { state: PENDING, settles: { at, state: FAILED } };
    case 'fail_later':
      return { state: SUCCEEDED, settles: { at, state: FAILED } };
    case 'pending':
      return { state: PENDING };
    case 'needs_customer':
      return { state: NEEDS_CUSTOMER };
  }
}

/** Returns the refund's next state and the notification that it has changed. */
export function settledRefund({ settles, ...refund }: Refund): {
  readonly refund: Refund;
  readonly notification: Notification;
} {
  const event_id = newId('evt');
  const { environment, provider_payment_id, refund_id, reference } = refund;
  const body = renderJson({
    event_id,
    type: 'refund.updated',
    environment,
    provider_payment_id,
    refund_id,
    reference,
  });
  return {
    refund: { ...refund, state: settles!.state },
    notification: { event_id, environment, body, copies: 1 },
  };
}

export type ShownRefund = RefundCondition & Pick<RefundState, 'refund_id'>;

export function showRefund({ refund_id, state }: Refund): ShownRefund {
  return { refund_id, ...state };
}
