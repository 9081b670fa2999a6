// Refunds as operators see them: of every account, with what only they see.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { RefundFailure, RefundStatus, RefundView } from '../../domain/refund';
import { readableOfAll } from '../readable';

export interface OperatorRefund extends RefundView {
  readonly username: string;
  readonly payment_reference: string;
  readonly currency: Currency;
  readonly environment: Environment;
  readonly status: RefundStatus;
  readonly failure: RefundFailure | null;
  readonly gateway: string;
  readonly provider_payment_id: string;
  /** The gateway's. */
  readonly gateway_refund_id: string | null;
  readonly gateway_status: RefundStatus | null;
  /** The gateway waits for it, or could not be asked because of it. */
  readonly detail: string | null;
  readonly asks: number;
  readonly asked_at: string | null;
  readonly idempotency_key: string;
  readonly request_id: string;
}

const COLUMNS = `r.id, r.environment, r.reference, r.intent_id, r.status, r.amount_minor, r.currency,
    r.reason, r.metadata, r.failure, r.created_at, r.updated_at, u.username,
    i.reference as payment_reference, r.gateway, r.provider_payment_id, r.gateway_refund_id,
    r.gateway_status, r.detail, r.asks, r.asked_at, r.idempotency_key, r.request_id,
    (select s.body::text from refunds y cross join lateral refund_json(y) s where y.id = r.id) as json`;

const READABLE = readableOfAll<
  OperatorRefund,
  { user_id: string; environment: Environment; status: RefundStatus; intent_id: string }
>({
  rows: 'refunds',
  row: 'r',
  view: COLUMNS,
  joins: 'join users u on u.id = r.user_id join payment_intents i on i.id = r.intent_id',
  filters: {
    user_id: 'r.user_id = ?',
    environment: 'r.environment = ?',
    status: 'r.status = ?',
    intent_id: 'r.intent_id = ?',
  },
});
export const {
  list: listOperatorRefunds,
  statement: operatorRefundsStatement,
  find: findOperatorRefund,
  findStatement: operatorRefundStatement,
} = READABLE;
