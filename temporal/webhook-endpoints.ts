// Wakes the workflows of endpoints that have something new to deliver. It coalesces: while a signal
// to an endpoint is under way, any number of further wake-ups become one more signal, because one
// is enough to have everything delivered that was committed before it. A wake-up is a hint that no
// request waits for; the sweeper finds what was left by one that got lost.

import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { webhookResendWorkflowId, webhookTaskQueue, webhookWorkflowId } from '../domain/ids';
import {
  deliveriesAddedSignal,
  WORKFLOW_TASK_TIMEOUT_MS,
  WORKFLOW_TYPES,
} from '../workflows/messages';

export interface EndpointWaker {
  /** Returns at once. A failure is only reported to `onError`. */
  wake(endpoint_ids: readonly string[]): void;
  /** Idempotent: resolves when the workflow was started, by this call or an earlier one. */
  startResend(resend_id: string): Promise<void>;
  /** Resolves when no signal is under way. */
  flush(): Promise<void>;
}

export interface WakerOptions {
  readonly temporal: Client;
  /** The queue of the payment workers; the webhook workers' queue is derived from it. */
  readonly task_queue: string;
  readonly onError: (endpoint_id: string, error: unknown) => void;
}

export function createEndpointWaker({
  temporal,
  task_queue,
  onError,
}: WakerOptions): EndpointWaker {
  const signalling = new Map<string, Promise<void>>();
  /** Woken again while their signal was under way. */
  const signal_again = new Set<string>();

  const signal = async (id: string): Promise<void> => {
    do {
      signal_again.delete(id);
      try {
        await temporal.workflow.signalWithStart(WORKFLOW_TYPES.webhookEndpoint, {
          workflowId: webhookWorkflowId(id),
          taskQueue: webhookTaskQueue(task_queue),
          args: [id],
          // A task that was handed to a process just as it ended goes to another one after this
          // time.
          workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
          signal: deliveriesAddedSignal,
          signalArgs: [],
        });
      } catch (error) {
        onError(id, error);
      }
    } while (signal_again.has(id));
    signalling.delete(id);
  };

  return {
    wake(ids) {
      for (const id of ids) {
        if (signalling.has(id)) signal_again.add(id);
        else signalling.set(id, signal(id));
      }
    },
    async startResend(id) {
      try {
        await temporal.workflow.start(WORKFLOW_TYPES.webhookResend, {
          workflowId: webhookResendWorkflowId(id),
          taskQueue: webhookTaskQueue(task_queue),
          args: [id],
        });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },
    async flush() {
      await Promise.all(signalling.values());
    },
  };
}
