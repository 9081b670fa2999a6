// Posts transfers. Idempotent by (sender, environment, key): Postgres' unique key decides.

import { Context } from '@temporalio/activity';
import { isRefused, type Db } from '../db/connect';
import { postTransfers } from '../db/transfers';
import {
  renderTransferResponses,
  type TransferOutcome,
  type TransferRequest,
} from '../domain/transfer';
import type { TransferResult } from '../workflows/messages';

/** Tells a waiting request of this very process, so that its caller need not ask Temporal. */
export interface TransferOutcomes {
  publish(attempt: string, outcome: TransferOutcome): void;
}

export interface TransferActivityDependencies {
  readonly db: Db;
  readonly outcomes: TransferOutcomes;
  readonly error_docs_url: string;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export function createTransferActivities(dependencies: TransferActivityDependencies) {
  return {
    /** Throws only when Postgres cannot be asked; asking again is safe. */
    async postTransfer(request: TransferRequest): Promise<TransferResult> {
      return postAlone(dependencies, request);
    },

    /** All in one database transaction. Throws only when Postgres cannot be asked. */
    async postTransfers(requests: readonly TransferRequest[]): Promise<readonly TransferResult[]> {
      // What failed together is tried one by one, so that one cannot hold up the others.
      if (Context.current().info.attempt === 1) {
        const together = await postTogether(dependencies, requests);
        if (together) return together;
      }
      return settleAll(requests.map((request) => postAlone(dependencies, request)));
    },
  };
}

export type TransferActivities = ReturnType<typeof createTransferActivities>;

async function post(
  { db, outcomes, error_docs_url }: TransferActivityDependencies,
  requests: readonly TransferRequest[],
): Promise<TransferResult[]> {
  const postings = requests.map((request) => ({
    request,
    answers: renderTransferResponses(request, error_docs_url),
  }));
  const posted = await postTransfers(db, postings);
  return posted.map((outcome, i) => {
    outcomes.publish(requests[i]!.attempt, outcome);
    return {
      outcome: outcome.outcome,
      reference: 'reference' in outcome ? outcome.reference : null,
    };
  });
}

/** Undefined when the database refuses the lot, because of one or more of them. */
async function postTogether(
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
 * A refusal by the database itself is a fault of ours, and a result: the statement was rolled back,
 * and asking for ever would change nothing.
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
    const { attempt, request_id } = request;
    dependencies.log({ part: 'posting', request_id, attempt, error: String(error) });
    dependencies.outcomes.publish(attempt, { outcome: 'not_posted' });
    return { outcome: 'not_posted', reference: null };
  }
}

/** Waits for all of them, also when one fails: the next try must not meet this one. */
async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
