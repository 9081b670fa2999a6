// Posts transfers. Idempotent by (sender, environment, key): Postgres' unique key decides.

import { Context } from '@temporalio/activity';
import { type Db } from '../db/connect';
import { isRefused } from '../db/errors';
import { postTransfers } from '../db/transfers/transfers';
import {
  NOT_POSTED,
  type SealedTransfers,
  type TransferRequest,
  type TransferResult,
} from '../domain/transfer';
import type { WorkflowMessages } from '../secrets/workflow-messages';
import type { Metrics } from '../telemetry/metrics';
import { refuseMessage, type RefusalLog } from './refused-messages';

export interface TransferActivityDependencies extends RefusalLog {
  readonly db: Db;
  readonly workflow_messages: Pick<WorkflowMessages, 'openTransfers'>;
  /** Hands results to requests of this process, so that they need not ask Temporal. */
  readonly local_transfers: { publish(reference: string, result: TransferResult): void };
  readonly error_docs_url: string;
  readonly metrics: Pick<Metrics, 'countTransfer'>;
}

export function createTransferActivities(dependencies: TransferActivityDependencies) {
  return {
    /**
     * All in one database transaction. What the API has not sealed is not posted. Throws only when
     * Postgres is unreachable.
     */
    async postTransfers(message: SealedTransfers): Promise<readonly TransferResult[]> {
      const requests = dependencies.workflow_messages.openTransfers(message);
      if (requests) return postAll(dependencies, requests);
      refuseMessage(dependencies, { message: 'transfers', references: referencesIn(message) });
      return [NOT_POSTED];
    },
  };
}

export type TransferActivities = ReturnType<typeof createTransferActivities>;

/** Started by hand, the message may be anything. */
function referencesIn(message: unknown): unknown[] {
  const { transfers } = Object(message) as { readonly transfers?: unknown };
  const all: readonly unknown[] = Array.isArray(transfers) ? transfers : [transfers];
  return all.map((one) => (Object(one) as { readonly reference?: unknown }).reference);
}

async function postAll(
  dependencies: TransferActivityDependencies,
  requests: readonly TransferRequest[],
): Promise<TransferResult[]> {
  // After a failure each transfer is tried alone, so that one cannot hold up the others.
  if (requests.length > 1 && Context.current().info.attempt === 1) {
    const results = await postBatch(dependencies, requests);
    if (results) return results;
  }
  return settleAll(requests.map((request) => postAlone(dependencies, request)));
}

async function post(
  { db, local_transfers, error_docs_url, metrics }: TransferActivityDependencies,
  requests: readonly TransferRequest[],
): Promise<TransferResult[]> {
  const posted = await postTransfers(db, requests, error_docs_url);
  return posted.map((result, i) => {
    const { environment, reference } = requests[i]!;
    local_transfers.publish(reference, result);
    metrics.countTransfer(environment, result);
    const { response: _, ...kept } = result;
    return kept;
  });
}

/** Undefined when the database refuses the batch, because of one transfer in it or several. */
async function postBatch(
  dependencies: TransferActivityDependencies,
  requests: readonly TransferRequest[],
): Promise<TransferResult[] | undefined> {
  try {
    return await post(dependencies, requests);
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

/**
 * A refusal by the database is a fault of ours, and a result: the statement was rolled back, and no
 * retry would change that.
 */
async function postAlone(
  dependencies: TransferActivityDependencies,
  request: TransferRequest,
): Promise<TransferResult> {
  try {
    const [result] = await post(dependencies, [request]);
    return result!;
  } catch (error) {
    if (!isRefused(error)) throw error;
    const { environment, reference, request_id } = request;
    dependencies.metrics.countTransfer(environment, NOT_POSTED);
    dependencies.log({ part: 'posting', request_id, reference, error: String(error) });
    dependencies.local_transfers.publish(reference, NOT_POSTED);
    return NOT_POSTED;
  }
}

/** Waits for all of them, also when one fails: the next attempt must not meet this one. */
async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
