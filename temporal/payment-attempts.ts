// The workflow that follows an attempt to pay by phone.

import type { Client } from '@temporalio/client';
import type { AttemptToFollow } from '../db/payment-attempts/payment-attempts';
import { attemptWorkflowId } from '../domain/ids';
import { formatAmount } from '../domain/money';
import { attemptChangedSignal, searchAttributes, WORKFLOW_TYPES } from '../workflows/messages';

/** Has the attempt looked at now: starts its workflow, or wakes the one that runs. */
export type WakeAttempt = (attempt: AttemptToFollow) => Promise<void>;

export function createAttemptWaker(client: Client, task_queue: string): WakeAttempt {
  return async ({ id, environment, reference, currency, operator, username, status, ...of }) => {
    const amount = formatAmount(BigInt(of.amount_minor));
    await client.workflow.signalWithStart(WORKFLOW_TYPES.paymentAttempt, {
      workflowId: attemptWorkflowId(environment, id),
      taskQueue: task_queue,
      args: [id],
      signal: attemptChangedSignal,
      // A phone that was given up may pay hours later.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `${amount} ${currency} · ${operator} · ${username} · ${reference}`,
      staticDetails: `**${amount} ${currency}** for \`${username}\` (${environment}) by \`${operator}\`, reference \`${reference}\``,
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
