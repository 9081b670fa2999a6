// Wakes the workflows of endpoints that have something new to deliver. A wake-up is a hint: it is not
// waited for, and one that is lost is made up for by the sweeper.

import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { webhookResendWorkflowId, webhookTaskQueue, webhookWorkflowId } from '../domain/ids';

export interface EndpointWaker {
  /** At once, whatever comes of it. */
  wake(endpoint_ids: readonly string[]): void;
  /** Idempotent; resolves when it has been started, by this call or another. */
  startResend(resend_id: string): Promise<void>;
  /** Until all that were begun have ended. */
  flush(): Promise<void>;
}

export interface WakerOptions {
  readonly temporal: Client;
  /** The one of payments. */
  readonly task_queue: string;
  readonly onError: (endpoint_id: string, error: unknown) => void;
}

export function createEndpointWaker({
  temporal,
  task_queue,
  onError,
}: WakerOptions): EndpointWaker {
  // An endpoint is told once at a time: what comes meanwhile is told together, afterwards.
  const waking = new Map<string, Promise<void>>();
  const again = new Set<string>();

  const signal = async (id: string): Promise<void> => {
    do {
      again.delete(id);
      try {
        await temporal.workflow.signalWithStart('webhookEndpoint', {
          workflowId: webhookWorkflowId(id),
          taskQueue: webhookTaskQueue(task_queue),
          args: [id],
          // A task that was given to a process just as it ended goes to another after this.
          workflowTaskTimeout: '5s',
          signal: 'deliveriesAdded',
          signalArgs: [],
        });
      } catch (error) {
        onError(id, error);
      }
    } while (again.has(id));
    waking.delete(id);
  };

  return {
    wake(ids) {
      for (const id of ids) {
        if (waking.has(id)) again.add(id);
        else waking.set(id, signal(id));
      }
    },
    async startResend(id) {
      try {
        await temporal.workflow.start('webhookResend', {
          workflowId: webhookResendWorkflowId(id),
          taskQueue: webhookTaskQueue(task_queue),
          args: [id],
        });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },
    async flush() {
      await Promise.all(waking.values());
    },
  };
}
