// Refunds that an operator orders for a merchant, and ends when the gateway never made them; above
// the limit another operator has to approve it.

import type { ApprovalRequest } from '../../db/operators/approvals';
import { isCheckViolation } from '../../db/errors';
import {
  failRefund,
  orderRefund,
  refundRequestRow,
  type CreatedRefund,
  type FailedRefundOutcome,
  type FailingRefund,
} from '../../db/refunds/refunds';
import type { NewRefund, RefundView } from '../../domain/refund';
import { fingerprintFields, refundReference, uuidOf } from '../../secrets/hash';
import { doOrRequest, type ApprovalNeeded, type Requesting } from '../approvals';

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
      readonly error:
        Exclude<CreatedRefund['outcome'], 'created' | 'lapsed' | 'limit_exceeded'> | 'key_reused';
    };

/** Reserves the merchant's money; the caller has the refund followed. */
export async function refundPayment(
  { db, actor, error_docs_url }: Requesting & { readonly error_docs_url: string },
  payment: RefundOfPayment,
): Promise<OrderedRefund | ApprovalNeeded> {
  const { environment, user_id, intent_id, idempotency_key, amount_minor, reason } = payment;
  // One key gives one request, its reference included: what waits for a second operator is
  // compared.
  const id = uuidOf(`${environment}/${user_id}/refund/${idempotency_key}`);
  const request = refundRequestRow(
    {
      ...payment,
      id,
      reference: refundReference(id),
      metadata: {},
      fingerprint: fingerprintFields({
        payment_intent: intent_id,
        // The amount as it was given, like the API's: what is left is another one each time.
        amount: String(amount_minor),
        reason: JSON.stringify(reason),
        metadata: '[]',
      }),
      request_id: id,
    },
    error_docs_url,
  );
  const { fingerprint } = request;
  const approval: ApprovalRequest = {
    action: 'refunds.create',
    arguments: JSON.parse(JSON.stringify(request)) as ApprovalRequest['arguments'],
    reason: reason ?? '',
  };
  return doOrRequest({ db, actor }, approval, async () => {
    const created = await orderRefund(db, request, actor);
    // An operator's request has no moment past which it is not carried out, and is ordered by no key.
    if (created.outcome === 'lapsed' || created.outcome === 'limit_exceeded') {
      throw new Error(`the refund is ${created.outcome}`);
    }
    if (created.outcome !== 'created') return { ok: false, error: created.outcome };
    const { response, is_replay } = created;
    const is_same =
      JSON.stringify(sorted(response.fingerprint)) === JSON.stringify(sorted(fingerprint));
    return is_same ? { ok: true, id, is_replay } : { ok: false, error: 'key_reused' };
  });
}

export type EndedRefund =
  | { readonly ok: true }
  /**
   * `balance_limit`: the wallet is too full for it. `gateway_is_asked`: a question is under way,
   * for half a minute at most.
   */
  | {
      readonly ok: false;
      readonly error: Exclude<FailedRefundOutcome, 'done'> | 'balance_limit' | 'gateway_is_asked';
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
    return { ok: false, error: 'balance_limit' };
  }
}

function sorted(fields: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
}
