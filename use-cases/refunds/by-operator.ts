// Refunds that an operator orders for a merchant, and ends when the gateway never made them; above
// the limit another operator has to approve it.

import type { ApprovalRequest } from '../../db/operators/approvals';
import { isCheckViolation } from '../../db/errors';
import {
  failRefund,
  orderRefund,
  refundRequestRow,
  type FailedRefundOutcome,
  type FailingRefund,
  type RefusedRefund,
  type RefundView,
  type NewRefund,
} from '../../db/refunds/refunds';
import { differingFields } from '../../domain/idempotency';
import { fingerprintFields, refundReference } from '../../secrets/hash';
import { doOrRequest, type ApprovalNeeded, type Requesting } from '../approvals';
import { keyedId } from '../requests/orders';
import { fingerprinted } from './order';

export interface RefundOfPayment extends Pick<
  NewRefund,
  'environment' | 'user_id' | 'intent_id' | 'currency' | 'reason'
> {
  /** Null: all that is left when it is carried out, or was when a second operator was asked for. */
  readonly amount_minor: string | null;
  /** A key of the merchant's: repeating the command with it makes no second refund. */
  readonly idempotency_key: string;
}

export type OrderedRefund =
  | { readonly ok: true; readonly id: string; readonly is_replay: boolean }
  | {
      readonly ok: false;
      readonly error: RefusedRefund['outcome'] | 'insufficient_funds' | 'key_reused';
    };

/** Reserves the merchant's money; the caller has the refund followed. */
export async function refundPayment(
  { db, actor, error_docs_url }: Requesting & { readonly error_docs_url: string },
  payment: RefundOfPayment,
): Promise<OrderedRefund | ApprovalNeeded> {
  // One key gives one request, its reference included: what waits for a second operator is
  // compared.
  const id = keyedId('refund', payment);
  const request = refundRequestRow(
    {
      ...payment,
      id,
      reference: refundReference(id),
      metadata: {},
      fingerprint: fingerprintFields(fingerprinted({ ...payment, metadata: {} })),
      request_id: id,
    },
    error_docs_url,
  );
  const approval: ApprovalRequest = {
    action: 'refunds.create',
    arguments: JSON.parse(JSON.stringify(request)) as ApprovalRequest['arguments'],
    reason: payment.reason ?? '',
  };
  return doOrRequest({ db, actor }, approval, async () => {
    const created = await orderRefund(db, request, actor);
    // An operator's request has no moment past which it is not carried out, and is ordered by no key.
    if (created.outcome === 'lapsed' || created.outcome === 'key_limit') {
      throw new Error(`the refund is ${created.outcome}`);
    }
    if (created.outcome !== 'created') return { ok: false, error: created.outcome };
    const { response, is_replay } = created;
    const differing = differingFields(response.fingerprint, request.fingerprint);
    return differing.length === 0
      ? { ok: true, id, is_replay }
      : { ok: false, error: 'key_reused' };
  });
}

export type EndedRefund =
  | { readonly ok: true }
  /**
   * `limit_exceeded`: the wallet is too full for it. `gateway_is_asked`: a question is under way,
   * for half a minute at most.
   */
  | {
      readonly ok: false;
      readonly error: Exclude<FailedRefundOutcome, 'done'> | 'limit_exceeded' | 'gateway_is_asked';
    };

export interface UnmadeRefund {
  /** The merchant reads it, too. */
  readonly reason: string;
  /** The gateway's id of it, when the gateway has it and will never make it. */
  readonly gateway_refund: string | null;
}

/** Ends a refund for an operator who has looked: the gateway has made none, and never will. */
export async function failUnmadeRefund(
  { db, actor }: Requesting,
  refund: Pick<RefundView, 'id'>,
  { reason, gateway_refund }: UnmadeRefund,
): Promise<EndedRefund | ApprovalNeeded> {
  const failing = {
    refund: refund.id,
    gateway_refund,
    failure: {
      code: gateway_refund === null ? ('refund_refused' as const) : ('refund_failed' as const),
      message: reason,
    },
  };
  const approval: ApprovalRequest = {
    action: 'refunds.fail',
    arguments: JSON.parse(JSON.stringify(failing)) as ApprovalRequest['arguments'],
    reason,
  };
  return doOrRequest({ db, actor }, approval, () => failNow({ db, actor }, failing));
}

async function failNow({ db, actor }: Requesting, failing: FailingRefund): Promise<EndedRefund> {
  try {
    const outcome = await failRefund(db, failing, actor);
    return outcome === 'done' ? { ok: true } : { ok: false, error: outcome };
  } catch (error) {
    if (isCheckViolation(error, 'gateway_is_asked'))
      return { ok: false, error: 'gateway_is_asked' };
    if (!isCheckViolation(error, 'wallet_has_room')) throw error;
    return { ok: false, error: 'limit_exceeded' };
  }
}
