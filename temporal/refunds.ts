// The workflow that follows a refund of a payment, which its merchant has ordered.

import type { Client } from '@temporalio/client';
import type { RefundToFollow } from '../db/refunds/refunds';
import { refundWorkflowId } from '../domain/ids';
import { formatAmount } from '../domain/money';
import { refundChangedSignal, searchAttributes, WORKFLOW_TYPES } from '../workflows/messages';

/** Has the gateway asked now: starts the refund's workflow, or wakes the one that runs. */
export type WakePaymentRefund = (refund: RefundToFollow) => Promise<void>;

export function createPaymentRefundWaker(client: Client, task_queue: string): WakePaymentRefund {
  return async ({ id, environment, reference, currency, username, status, ...refund }) => {
    const amount = formatAmount(BigInt(refund.amount_minor));
    await client.workflow.signalWithStart(WORKFLOW_TYPES.refund, {
      workflowId: refundWorkflowId(environment, id),
      taskQueue: task_queue,
      args: [id],
      signal: refundChangedSignal,
      // One that was made may fail weeks later.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `${amount} ${currency} · ${username} · ${reference}`,
      staticDetails: `**${amount} ${currency}** back to a customer of \`${username}\` (${environment}), reference \`${reference}\``,
      typedSearchAttributes: [
        { key: searchAttributes.environment, value: environment },
        { key: searchAttributes.account, value: username },
        { key: searchAttributes.currency, value: currency },
        { key: searchAttributes.reference, value: reference },
        { key: searchAttributes.state, value: status },
        { key: searchAttributes.amount, value: Number(amount) },
      ],
    });
  };
}
