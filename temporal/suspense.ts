// The workflow that refunds money in suspense: it is requested by an operator, and retries until the
// gateway and the ledger have both completed it.

import type { Client } from '@temporalio/client';
import { suspenseRefundWorkflowId } from '../domain/ids';
import { WORKFLOW_TYPES } from '../workflows/messages';

/**
 * One refund, however often it is requested: one workflow at a time, and one key at the gateway.
 * @throws WorkflowFailedError with the gateway's own words when it refuses; a gRPC error when the
 * refund is not finished by `deadline`, which does not stop it
 */
export async function refundSuspense(
  client: Client,
  { task_queue, item_id, deadline }: RefundOptions,
): Promise<void> {
  await client.connection.withDeadline(deadline, async () => {
    const handle = await client.workflow.start(WORKFLOW_TYPES.suspenseRefund, {
      workflowId: suspenseRefundWorkflowId(item_id),
      taskQueue: task_queue,
      args: [item_id],
      workflowIdConflictPolicy: 'USE_EXISTING',
      // After a refusal an operator may request it again.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
    await handle.result();
  });
}

export interface RefundOptions {
  readonly task_queue: string;
  readonly item_id: string;
  /** ms since the epoch. */
  readonly deadline: number;
}
