// Hands a stored notification to the workflow that has to apply it: the intent's own while it runs,
// otherwise one for this notification alone.

import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client';
import type { WaitingNotification } from '../db/notifications';
import { intentWorkflowId, lateNotificationWorkflowId } from '../domain/ids';
import { isRunning } from '../domain/intent';
import { notificationStoredSignal, WORKFLOW_TYPES } from '../workflows/messages';

export type DeliverNotification = (notification: WaitingNotification) => Promise<void>;

export function createNotificationDelivery(
  client: Client,
  task_queue: string,
): DeliverNotification {
  return async ({ id, gateway, environment, intent_id, intent_status }) => {
    if (intent_id !== null && intent_status !== null && isRunning(intent_status)) {
      const handle = client.workflow.getHandle(intentWorkflowId(environment, intent_id));
      try {
        await handle.signal(notificationStoredSignal, id);
        return;
      } catch (error) {
        // It has closed meanwhile.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    }
    try {
      await client.workflow.start(WORKFLOW_TYPES.lateNotification, {
        workflowId: lateNotificationWorkflowId(gateway, task_queue, id),
        taskQueue: task_queue,
        args: [id],
        staticSummary: `notification ${id} of ${gateway} (${environment})`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
}
