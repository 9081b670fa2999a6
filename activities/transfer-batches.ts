// Carries out bulk transfers, step by step. What is to be done is in the batch's row, so it does
// not matter who has started the workflow, or how often.

import { Context } from '@temporalio/activity';
import type { Db } from '../db/connect';
import { isRefused, isStatementTimeout } from '../db/errors';
import {
  checkBatch,
  failBatchItems,
  getBatch,
  listUnheardItems,
  noteHeardItems,
  postBatchStep,
  type BatchRow,
} from '../db/transfer-batches/transfer-batches';
import { MAX_STEP_ITEMS } from '../domain/batch-limits';
import type { BatchStatus } from '../domain/transfer-batch';
import { transferRefusals } from '../domain/transfer';
import { makeTransferReferences } from '../secrets/random';
import type { WakeBatches } from '../temporal/transfer-batches';
import type { Voices } from '../use-cases/risk/voices';
import { withHeartbeats } from './heartbeats';
import type { RefusalLog } from './refused-messages';
import { forRows } from './rows';
import type { Metrics } from '../telemetry/metrics';

export interface BatchActivityDependencies extends RefusalLog {
  readonly db: Db;
  readonly error_docs_url: string;
  readonly voices: Voices;
  readonly metrics: Pick<Metrics, 'countBatchItems'>;
  /** Starts the workflow of the account's next batch. */
  readonly wakeBatches: WakeBatches;
}

/** How far a batch has come; Temporal keeps it. */
export interface BatchProgress {
  readonly status: BatchStatus;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
}

/** Time-outs of a whole batch in a row: more than a minute. */
const MOST_TIMEOUTS = 20;
/** After this time the batches of other accounts have their turn. */
const RUN_MS = 250;

export function createBatchActivities(dependencies: BatchActivityDependencies) {
  return forRows(
    dependencies,
    'batch',
    withHeartbeats({
      /**
       * Posts items of the batch for a moment, in one transaction for each few hundred; an atomic
       * batch and a dry run as a whole. Throws only when Postgres cannot be reached, or Temporal
       * for the account's next batch.
       */
      async runBatch(id: string): Promise<BatchProgress> {
        const began = performance.now();
        let batch = await getBatch(dependencies.db, id);
        const step = batch.dry_run || batch.mode === 'atomic' ? wholeBatch : createSteps();
        while (batch.status === 'processing' && performance.now() - began < RUN_MS) {
          if (batch.is_asked && (await askAboutSome(dependencies, batch))) continue;
          const after = await step(dependencies, batch);
          countItems(dependencies, batch, after);
          batch = after;
        }
        // The batches of an account follow one another. Also when this one was over before.
        if (batch.status !== 'processing') await dependencies.wakeBatches(batch);
        const { status, total, completed, failed } = batch;
        return { status, total, completed, failed };
      },
    }),
  );
}

export type BatchActivities = ReturnType<typeof createBatchActivities>;

/** Questions about the items of one batch at once, and before other accounts have their turn. */
const ASKED_AT_ONCE = 16;

/** Asks others about some items. False: about each that is to be posted they were asked. */
async function askAboutSome(
  { db, voices }: BatchActivityDependencies,
  batch: BatchRow,
): Promise<boolean> {
  const { id, environment, user_id, ip } = batch;
  const items = await listUnheardItems(db, batch, ASKED_AT_ONCE);
  if (items.length === 0) return false;
  const heard = await Promise.all(
    items.map(({ index, currency, amount_minor, to_username }) =>
      voices.ask({
        id: `${id}/${index}`,
        type: 'transfer',
        environment,
        user_id,
        currency,
        amount_minor: amount_minor.toString(),
        recipient: { username: to_username },
        ip,
        batch_id: id,
      }),
    ),
  );
  const indexes = items.map(({ index }) => index);
  await noteHeardItems(db, id, indexes, heard);
  return true;
}

type Step = (dependencies: BatchActivityDependencies, batch: BatchRow) => Promise<BatchRow>;

function countItems(
  { metrics }: BatchActivityDependencies,
  before: BatchRow,
  { environment, dry_run, completed, failed }: BatchRow,
): void {
  if (dry_run) return;
  metrics.countBatchItems(environment, 'completed', completed - before.completed);
  metrics.countBatchItems(environment, 'failed', failed - before.failed);
}

/**
 * A step that Postgres refuses is halved, until the one item is found that it refuses: that item
 * fails, and holds up no other. A step that was too long for Postgres is shorter in the next
 * attempt.
 */
function createSteps(): Step {
  const { attempt } = Context.current().info;
  const longest = Math.max(1, Math.floor(MAX_STEP_ITEMS / 4 ** Math.min(attempt - 1, 5)));
  let items = longest;
  return async ({ db, error_docs_url, log }, batch) => {
    const done = batch.completed + batch.failed + batch.held;
    const references = makeTransferReferences(Math.min(items, batch.total - done));
    try {
      const refusals = JSON.stringify(transferRefusals(error_docs_url));
      return await postBatchStep(db, batch.id, references, refusals);
    } catch (error) {
      if (!isRefused(error)) throw error;
      if (items > 1) {
        items = Math.ceil(items / 2);
        return batch;
      }
      items = longest;
      log({ part: 'batches', batch_id: batch.id, error: String(error) });
      return failBatchItems(db, batch.id, done);
    }
  };
}

const wholeBatch: Step = async ({ db, error_docs_url, log }, { id, total, dry_run }) => {
  try {
    if (dry_run) return await checkBatch(db, id);
    const refusals = JSON.stringify(transferRefusals(error_docs_url));
    return await postBatchStep(db, id, makeTransferReferences(total), refusals);
  } catch (error) {
    if (!isHopeless(error)) throw error;
    log({ part: 'batches', batch_id: id, error: String(error) });
    return failBatchItems(db, id, 0);
  }
};

/**
 * A whole batch cannot be made shorter: what is too long for Postgres so often would be so for
 * ever.
 */
function isHopeless(error: unknown): boolean {
  return (
    isRefused(error) ||
    (isStatementTimeout(error) && Context.current().info.attempt >= MOST_TIMEOUTS)
  );
}
