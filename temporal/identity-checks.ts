// The workflow that follows an account's identity check, from its submission until everybody was
// told.

import type { Client } from '@temporalio/client';
import { identityCheckWorkflowId } from '../domain/ids';
import { identityCheckChangedSignal, WORKFLOW_TYPES } from '../workflows/messages';

/** Has the check looked at now: starts the account's workflow, or wakes the one that runs. */
export type WakeIdentityCheck = (user_id: string) => Promise<void>;

export function createIdentityCheckWaker(client: Client, task_queue: string): WakeIdentityCheck {
  return async (user_id) => {
    await client.workflow.signalWithStart(WORKFLOW_TYPES.identityCheck, {
      workflowId: identityCheckWorkflowId(user_id),
      taskQueue: task_queue,
      args: [user_id],
      signal: identityCheckChangedSignal,
      // After a rejection the merchant may submit again.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
  };
}
