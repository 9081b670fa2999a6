// The workflow that follows the refund of an item of suspense, which an operator has ordered.

import type { Client } from '@temporalio/client';
import { suspenseRefundWorkflowId } from '../domain/ids';
import { refundChangedSignal, WORKFLOW_TYPES } from '../workflows/messages';

/** Has the gateway asked now: starts the item's workflow, or wakes the one that runs. */
export type WakeRefund = (item_id: string) => Promise<void>;

export function createRefundWaker(client: Client, task_queue: string): WakeRefund {
  return async (item_id) => {
    await client.workflow.signalWithStart(WORKFLOW_TYPES.suspenseRefund, {
      workflowId: suspenseRefundWorkflowId(item_id),
      taskQueue: task_queue,
      args: [item_id],
      signal: refundChangedSignal,
      // After a failed refund an operator may order the next, and a made one may fail.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
  };
}
