// The workflow that follows a payout.

import type { Client } from '@temporalio/client';
import type { PayoutToFollow } from '../db/payouts/payouts';
import { payoutWorkflowId } from '../domain/ids';
import { formatAmount } from '../domain/money';
import { payoutChangedSignal, searchAttributes, WORKFLOW_TYPES } from '../workflows/messages';

/** Has the payout looked at now: starts its workflow, or wakes the one that runs. */
export type WakePayout = (payout: PayoutToFollow) => Promise<void>;

export function createPayoutWaker(client: Client, task_queue: string): WakePayout {
  return async ({ id, environment, reference, currency, username, status, ...payout }) => {
    const amount = formatAmount(BigInt(payout.amount_minor));
    await client.workflow.signalWithStart(WORKFLOW_TYPES.payout, {
      workflowId: payoutWorkflowId(environment, id),
      taskQueue: task_queue,
      args: [id],
      signal: payoutChangedSignal,
      // One that was paid may come back weeks later.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `${amount} ${currency} · ${username} · ${reference}`,
      staticDetails: `**${amount} ${currency}** paid out by \`${username}\` (${environment}), reference \`${reference}\``,
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
