// Refunds as JSON for scripts and as text for people.

import type { OperatorRefund } from '../db/operator-refunds';
import type { JsonValue } from '../domain/json';
import { presentRefund } from '../domain/refund';
import { amountText } from './intent-text';
import { table } from './table';
import { printable } from './terminal';

export function refundTable(refunds: readonly OperatorRefund[]): string {
  return table([
    ['REFUND', 'STATUS', 'AMOUNT', 'ENVIRONMENT', 'MERCHANT', 'PAYMENT', 'ORDERED', 'DETAIL'],
    ...refunds.map((refund) => [
      refund.reference,
      refund.status,
      amountText(refund.amount_minor, refund.currency),
      refund.environment,
      refund.username,
      refund.payment_reference,
      refund.created_at,
      printable(refund.detail ?? ''),
    ]),
  ]);
}

/** The API's fields, and those by which an operator finds the refund in other places. */
export function presentForOperator(refund: OperatorRefund): Record<string, JsonValue> {
  return {
    ...presentRefund(refund),
    username: refund.username,
    payment_reference: refund.payment_reference,
    gateway: refund.gateway,
    provider_payment_id: refund.provider_payment_id,
    gateway_refund_id: refund.gateway_refund_id,
    gateway_status: refund.gateway_status,
    detail: refund.detail,
    asks: refund.asks,
    asked_at: refund.asked_at,
    idempotency_key: refund.idempotency_key,
    request_id: refund.request_id,
  };
}
