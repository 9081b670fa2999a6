// Which of our workflows Temporal runs: a list, which may be some seconds old, and one by its id,
// as it is.

import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { WORKFLOW_TYPES } from '../workflows/messages';

export interface WorkflowRun {
  readonly workflow_id: string;
  readonly run_id: string;
}

export interface RunningWorkflow extends WorkflowRun {
  readonly started_at: Date;
}

export interface RunningWorkflows {
  /** `id_prefix`: only those whose id begins so. */
  list(type: keyof typeof WORKFLOW_TYPES, id_prefix?: string): AsyncIterable<RunningWorkflow>;
  /**
   * Those that cannot go on, because their history does not fit what their code does. Temporal
   * reports it after five workflow tasks in a row, half a minute. Throws with a server before 1.30,
   * which does not.
   */
  listBroken(type: keyof typeof WORKFLOW_TYPES, limit: number): Promise<WorkflowRun[]>;
  /** Without a run, the newest one: a workflow's id may have been used again. */
  isRunning(of: { readonly workflow_id: string; readonly run_id?: string }): Promise<boolean>;
}

/** Temporal's longest page. */
const PAGE = 1_000;
/**
 * What the server writes into `TemporalReportedProblems` (service/history/workflow,
 * `mutable_state_impl.go`).
 */
const NONDETERMINISM = 'cause=WorkflowTaskFailedCauseNonDeterministicError';

/** Workflows of this installation: others may share the namespace, never a task queue. */
export function createRunningWorkflows(client: Client, task_queue: string): RunningWorkflows {
  const running = (type: keyof typeof WORKFLOW_TYPES): string =>
    `WorkflowType = ${quoted(WORKFLOW_TYPES[type])} and ExecutionStatus = 'Running' ` +
    `and TaskQueue = ${quoted(task_queue)}`;
  return {
    async *list(type, id_prefix) {
      const query =
        id_prefix === undefined
          ? running(type)
          : `${running(type)} and WorkflowId STARTS_WITH ${quoted(id_prefix)}`;
      for await (const found of client.workflow.list({ query, pageSize: PAGE })) {
        const { workflowId: workflow_id, runId: run_id, startTime: started_at } = found;
        yield { workflow_id, run_id, started_at };
      }
    },
    async listBroken(type, limit) {
      const query = `${running(type)} and TemporalReportedProblems = ${quoted(NONDETERMINISM)}`;
      const broken: WorkflowRun[] = [];
      for await (const { workflowId, runId } of client.workflow.list({ query, pageSize: limit })) {
        broken.push({ workflow_id: workflowId, run_id: runId });
        if (broken.length === limit) break;
      }
      return broken;
    },
    async isRunning({ workflow_id, run_id }) {
      try {
        const { status } = await client.workflow.getHandle(workflow_id, run_id).describe();
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
