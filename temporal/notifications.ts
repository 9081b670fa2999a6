// Hands a stored notification to the workflow that has to apply it: the intent's own until the
// intent has come to its end, otherwise one for this notification alone.

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { WaitingNotification } from '../db/suspense/notifications';
import { lateNotificationWorkflowId } from '../domain/ids';
import { isRunning } from '../domain/intent';
import { WORKFLOW_TYPES } from '../workflows/messages';
import { signalIntent, type IntentWorkflowOptions } from './payment-intents';

export type DeliverNotification = (notification: WaitingNotification) => Promise<void>;

export function createNotificationDelivery(options: IntentWorkflowOptions): DeliverNotification {
  const { client, task_queue } = options;
  return async ({ id, gateway, environment, intent_id, intent_status }) => {
    if (intent_id !== null && intent_status !== null && isRunning(intent_status)) {
      const told = await signalIntent(options, { environment, id: intent_id }, id);
      if (told === 'signalled') return;
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
