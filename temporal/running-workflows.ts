// Which of our workflows Temporal runs: a list, which may be some seconds old, and one by its id, as it is.

import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { webhookTaskQueue } from '../domain/ids';
import { WORKFLOW_TYPES } from '../workflows/messages';

export interface RunningWorkflow {
  readonly workflow_id: string;
  readonly started_at: Date;
}

export interface RunningWorkflows {
  list(type: keyof typeof WORKFLOW_TYPES): AsyncIterable<RunningWorkflow>;
  isRunning(workflow_id: string): Promise<boolean>;
}

/** Temporal's longest page. */
const PAGE = 1_000;

/** Of this installation: others may share the namespace, never a task queue. */
export function createRunningWorkflows(client: Client, task_queue: string): RunningWorkflows {
  const queues = [task_queue, webhookTaskQueue(task_queue)].map(quoted).join(', ');
  return {
    async *list(type) {
      const query =
        `WorkflowType = ${quoted(WORKFLOW_TYPES[type])} and ExecutionStatus = 'Running' ` +
        `and TaskQueue in (${queues})`;
      for await (const found of client.workflow.list({ query, pageSize: PAGE })) {
        yield { workflow_id: found.workflowId, started_at: found.startTime };
      }
    },
    async isRunning(workflow_id) {
      try {
        const { status } = await client.workflow.getHandle(workflow_id).describe();
        return status.name === 'RUNNING' || status.name === 'PAUSED';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
