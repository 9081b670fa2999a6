// Starts the workflows of bulk transfers: one at a time for each account and environment, so that
// an account with many batches has no more turns than one with a single batch.

import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { BatchToRun } from '../db/transfer-batches/transfer-batches';
import type { Environment } from '../domain/environment';
import { bulkTransferWorkflowId } from '../domain/ids';
import { counted } from '../domain/language';
import {
  searchAttributes,
  WORKFLOW_TASK_TIMEOUT_MS,
  WORKFLOW_TYPES,
  type BatchStart,
} from '../workflows/messages';

/** Starts a batch's workflow unless it runs. True when it did not run. */
export type StartBatch = (batch: BatchToRun) => Promise<boolean>;

/** Starts the workflow of the account's next batch, if there is one. Called after the commit. */
export type WakeBatches = (account: {
  readonly user_id: string;
  readonly environment: Environment;
}) => Promise<void>;

export function createBatchStarter(client: Client, task_queue: string): StartBatch {
  return async (batch) => {
    const { id, environment, username, total, mode, dry_run, request_id } = batch;
    const kind = `${mode}${dry_run ? ', dry run' : ''}`;
    const transfers = counted('en', total, 'transfer', 'transfers');
    try {
      await client.workflow.start<(start: BatchStart) => Promise<unknown>>(
        WORKFLOW_TYPES.transferBatch,
        {
          workflowId: bulkTransferWorkflowId(environment, id),
          taskQueue: task_queue,
          args: [{ id, environment }],
          // One that was lost is started again; the row decides what is still to do.
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'FAIL',
          workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
          staticSummary: `${transfers} · ${username} · ${kind}`,
          staticDetails: `**${transfers}** of \`${username}\` (${environment}, ${kind}), request \`${request_id}\``,
          typedSearchAttributes: [
            { key: searchAttributes.environment, value: environment },
            { key: searchAttributes.account, value: username },
            { key: searchAttributes.reference, value: id },
            { key: searchAttributes.state, value: 'processing' },
          ],
        },
      );
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  };
}

/**
 * The caller that commits a new batch, and the one that ends one, looks afterwards which is the
 * first: one of the two sees what the other has committed, so none is forgotten.
 */
export function createBatchWaker<Batch>(
  startBatch: (batch: Batch) => Promise<unknown>,
  findNext: (user_id: string, environment: Environment) => Promise<Batch | undefined>,
): WakeBatches {
  return async ({ user_id, environment }) => {
    const next = await findNext(user_id, environment);
    if (next) await startBatch(next);
  };
}
