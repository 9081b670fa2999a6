// Starts the workflows of payout batches: one at a time for each account and environment, as of bulk transfers.

import type { Client } from '@temporalio/client';
import type { PayoutBatchToRun } from '../db/payout-batches/payout-batches';
import { payoutBatchWorkflowId } from '../domain/ids';
import { counted } from '../domain/language';
import {
  payoutChangedSignal,
  searchAttributes,
  WORKFLOW_TYPES,
  type BatchStart,
} from '../workflows/messages';

/** Starts a batch's workflow, or has the one that runs look again. */
export type StartPayoutBatch = (batch: PayoutBatchToRun) => Promise<void>;

export function createPayoutBatchStarter(client: Client, task_queue: string): StartPayoutBatch {
  return async ({ id, environment, status, username, total, request_id }) => {
    const payouts = counted('en', total, 'payout', 'payouts');
    await client.workflow.signalWithStart<(start: BatchStart) => Promise<unknown>>(
      WORKFLOW_TYPES.payoutBatch,
      {
        workflowId: payoutBatchWorkflowId(environment, id),
        taskQueue: task_queue,
        args: [{ id, environment }],
        signal: payoutChangedSignal,
        // It ends while people decide.
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: `${payouts} · ${username}`,
        staticDetails: `**${payouts}** of \`${username}\` (${environment}), request \`${request_id}\``,
        typedSearchAttributes: [
          { key: searchAttributes.environment, value: environment },
          { key: searchAttributes.account, value: username },
          { key: searchAttributes.reference, value: id },
          { key: searchAttributes.state, value: status },
        ],
      },
    );
  };
}
