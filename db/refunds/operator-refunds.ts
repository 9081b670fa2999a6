// Refunds as operators see them: of every account, with what only they see.

import type { Environment } from '../../domain/environment';
import type { RefundStatus } from '../../domain/refund';
import { columns, type RowOf } from '../columns';
import { readableOfAll } from '../readable';
import { REFUND_VIEW, type RefundView } from './refunds';

const ONLY = columns(`refunds r:
  gateway provider_payment_id gateway_refund_id gateway_status detail asks asked_at idempotency_key
  request_id`);

export interface OperatorRefund extends RefundView, RowOf<typeof ONLY> {
  readonly username: string;
  readonly payment_reference: string;
}

const READABLE = readableOfAll<
  OperatorRefund,
  { user_id: string; environment: Environment; status: RefundStatus; intent_id: string }
>({
  rows: 'refunds',
  row: 'r',
  view: `${REFUND_VIEW}, ${ONLY}, u.username, i.reference as payment_reference`,
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
