// Refunds that an operator orders for a merchant; above the limit another operator has to approve them.

import type { ApprovalRequest } from '../db/approvals';
import { orderRefund, refundRequestRow, type CreatedRefund } from '../db/refunds';
import type { NewRefund } from '../domain/refund';
import { fingerprintFields, refundReference, uuidOf } from '../secrets/hash';
import { doOrRequest, type ApprovalNeeded, type Requesting } from './approvals';

export interface RefundOfPayment extends Pick<
  NewRefund,
  'environment' | 'user_id' | 'intent_id' | 'currency' | 'reason'
> {
  readonly amount_minor: string;
  /** Of the merchant's: repeating the command with it makes no second refund. */
  readonly idempotency_key: string;
}

export type OrderedRefund =
  | { readonly ok: true; readonly id: string; readonly is_replay: boolean }
  | {
      readonly ok: false;
      readonly error: Exclude<CreatedRefund['outcome'], 'created' | 'lapsed'> | 'key_reused';
    };

/** Reserves the merchant's money; whoever calls it has the refund followed. */
export async function refundPayment(
  { db, actor, error_docs_url }: Requesting & { readonly error_docs_url: string },
  payment: RefundOfPayment,
): Promise<OrderedRefund | ApprovalNeeded> {
  const { environment, user_id, intent_id, idempotency_key, amount_minor, reason } = payment;
  // One key gives one request, its reference included: what waits for a second operator is compared.
  const id = uuidOf(`${environment}/${user_id}/refund/${idempotency_key}`);
  const request = refundRequestRow(
    {
      ...payment,
      id,
      reference: refundReference(id),
      metadata: {},
      fingerprint: fingerprintFields({
        payment_intent: intent_id,
        amount: amount_minor,
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
    // An operator's request has no moment past which it is not carried out.
    if (created.outcome === 'lapsed') throw new Error('the refund has lapsed');
    if (created.outcome !== 'created') return { ok: false, error: created.outcome };
    const { response, is_replay } = created;
    const is_same =
      JSON.stringify(sorted(response.fingerprint)) === JSON.stringify(sorted(fingerprint));
    return is_same ? { ok: true, id, is_replay } : { ok: false, error: 'key_reused' };
  });
}

function sorted(fields: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
}
