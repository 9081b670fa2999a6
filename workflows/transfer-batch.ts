// A bulk transfer, from its order to its end: one activity after the other posts a part of it. The
// order, and how far it has come, are rows; started twice, or by hand, this does no more than they
// say.

import {
  ApplicationFailure,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { BatchActivities, BatchProgress } from '../activities/transfer-batches';
import { ENVIRONMENTS } from '../domain/environment';
import { bulkTaskQueue } from '../domain/ids';
import { searchAttributes, type BatchStart } from './messages';
import { BATCH_ACTIVITY } from './options';

export async function transferBatch(start: BatchStart): Promise<BatchProgress> {
  requireBatchStart(start);
  const { runBatch } = proxyActivities<BatchActivities>({
    ...BATCH_ACTIVITY,
    // A queue of its own: single transfers and payments have their workers to themselves.
    taskQueue: bulkTaskQueue(workflowInfo().taskQueue, start.environment),
  });
  for (;;) {
    const progress = await runBatch(start.id);
    setCurrentDetails(describe(progress));
    if (progress.status !== 'processing') {
      upsertSearchAttributes([{ key: searchAttributes.state, value: progress.status }]);
      return progress;
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof transferBatch>(start);
  }
}

/**
 * Refuses a batch that a person has started by hand for another environment: no worker polls its
 * queue. The id is not looked at: the activity asks for its row.
 */
export function requireBatchStart(start: unknown): asserts start is BatchStart {
  const { environment } = Object(start) as Partial<BatchStart>;
  if (ENVIRONMENTS.some((one) => one === environment)) return;
  throw ApplicationFailure.nonRetryable('this is no batch', 'malformed_start');
}

/** Writes Markdown, for Temporal's UI. */
function describe({ status, total, completed, failed }: BatchProgress): string {
  const done = completed + failed;
  return `**${status}**: ${done} of ${total} done, ${completed} completed, ${failed} failed`;
}
