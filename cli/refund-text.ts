// Refunds as JSON for scripts and as text for people.

import type { OperatorRefund } from '../db/refunds/operator-refunds';
import { withFields, type JsonText } from '../domain/json';
import { CommandError } from './error';
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

/** Adds to the API's fields those by which an operator finds the refund in other places. */
export function presentForOperator(refund: OperatorRefund): JsonText {
  return withFields(refund, {
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
  });
}

/** A request to the gateway is under way: what an operator saw there says nothing about it. */
export function gatewayIsAsked(): CommandError {
  return new CommandError(
    'gateway_is_asked',
    'The gateway was asked about this refund less than half a minute ago, and may be making it. Nothing was done: at first it is asked often, so look there again in a few minutes, and repeat the command',
  );
}

export function refundAtGateway(refund_id: string): CommandError {
  const id = printable(refund_id);
  return new CommandError(
    'refund_at_gateway',
    `The gateway has it as ${id} and may still make it. If it has said that it never will: --gateway-refund ${id}`,
  );
}
