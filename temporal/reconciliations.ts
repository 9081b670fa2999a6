// The reconciliation's schedule, and a reconciliation that an operator orders.

import {
  ScheduleNotFoundError,
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type ScheduleOptions,
  type WorkflowHandle,
} from '@temporalio/client';
import type { Config } from '../config/load';
import { reconciliationWorkflowId } from '../domain/ids';
import { WORKFLOW_TYPES, type ReconciliationOrder } from '../workflows/messages';
import { createMissingSchedule } from './schedules';

type ScheduleConfig = Pick<Config, 'task_queue' | 'reconcile_schedule'>;

/**
 * One schedule per task queue, created by the first process to start, and again when it was lost.
 */
export async function scheduleReconciliation(
  client: Client,
  config: ScheduleConfig,
): Promise<void> {
  const options = scheduleOptions(config);
  if (options !== undefined) await createMissingSchedule(client, options);
}

/**
 * Called at the start of a process: the schedule follows the setting. Whether an operator has
 * paused it stays as it is.
 */
export async function updateReconciliationSchedule(
  client: Client,
  config: ScheduleConfig,
): Promise<void> {
  const handle = client.schedule.getHandle(scheduleId(config.task_queue));
  const options = scheduleOptions(config);
  try {
    if (options === undefined) await handle.delete();
    else {
      const { spec, policies, action } = options;
      await handle.update(({ state }) => ({ spec, action, policies: policies ?? {}, state }));
    }
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    await scheduleReconciliation(client, config);
  }
}

function scheduleId(task_queue: string): string {
  return reconciliationWorkflowId(task_queue);
}

function scheduleOptions({
  task_queue,
  reconcile_schedule,
}: ScheduleConfig): ScheduleOptions | undefined {
  if (reconcile_schedule === undefined) return undefined;
  return {
    scheduleId: scheduleId(task_queue),
    spec: { cronExpressions: [reconcile_schedule] },
    // One that was missed, because Temporal was away, is made up for on the same day.
    policies: { overlap: 'SKIP', catchupWindow: '12h' },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW_TYPES.scheduledReconciliation,
      workflowId: `scheduled-${reconciliationWorkflowId(task_queue)}`,
      taskQueue: task_queue,
    },
  };
}

/** Starts one and returns its handle; undefined when one runs already. */
export type StartReconciliation = (
  order: ReconciliationOrder,
) => Promise<WorkflowHandle | undefined>;

export function createReconciliationStarter(
  client: Client,
  task_queue: string,
): StartReconciliation {
  return async (order) => {
    try {
      return await client.workflow.start(WORKFLOW_TYPES.reconciliation, {
        workflowId: reconciliationWorkflowId(task_queue),
        taskQueue: task_queue,
        args: [order],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
      });
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
      throw error;
    }
  };
}
