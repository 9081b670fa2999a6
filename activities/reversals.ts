// Posts reversals of transfers. Idempotent by (account, environment, key): Postgres' unique key
// decides.

import type { Db } from '../db/connect';
import { isRefused } from '../db/errors';
import { postReversal } from '../db/transfers/reversals';
import type { ReversalResult, SealedReversal } from '../domain/reversal';
import type { WorkflowMessages } from '../secrets/workflow-messages';
import { refuseMessage, type RefusalLog } from './refused-messages';

export interface ReversalActivityDependencies extends RefusalLog {
  readonly db: Db;
  readonly workflow_messages: Pick<WorkflowMessages, 'openReversal'>;
  readonly error_docs_url: string;
}

const NOT_POSTED: ReversalResult = { outcome: 'not_posted', left_minor: null };

export function createReversalActivities(dependencies: ReversalActivityDependencies) {
  const { db, workflow_messages, error_docs_url, log } = dependencies;
  return {
    /** Posts only a message that the API has sealed. Throws only when Postgres is unreachable. */
    async postReversal(message: SealedReversal): Promise<ReversalResult> {
      const request = workflow_messages.openReversal(message);
      if (request === undefined) {
        const { reference } = Object(message) as Partial<SealedReversal>;
        refuseMessage(dependencies, { message: 'reversal', references: [reference] });
        return NOT_POSTED;
      }
      try {
        const { outcome, left_minor } = await postReversal(db, request, error_docs_url);
        return { outcome, left_minor: left_minor?.toString() ?? null };
      } catch (error) {
        // A fault of ours, and a result: it was rolled back, and no retry would change that.
        if (!isRefused(error)) throw error;
        const { reference, request_id } = request;
        log({ part: 'posting', request_id, reference, error: String(error) });
        return NOT_POSTED;
      }
    },
  };
}

export type ReversalActivities = ReturnType<typeof createReversalActivities>;
