// Posts transfers. Idempotent by (sender, environment, key): Postgres' unique key decides.

import { postTransfers } from '../db/transfers';
import type { Db } from '../db/connect';
import {
  renderTransferAnswers,
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
}

export function createTransferActivities({
  db,
  outcomes,
  error_docs_url,
}: TransferActivityDependencies) {
  return {
    /** Throws only when Postgres cannot be asked; asking again is safe. */
    async postTransfer(request: TransferRequest): Promise<TransferResult> {
      const answers = renderTransferAnswers(request, error_docs_url);
      const [outcome] = await postTransfers(db, [{ request, answers }]);
      outcomes.publish(request.attempt, outcome!);
      const reference = 'reference' in outcome! ? outcome.reference : null;
      return { outcome: outcome!.outcome, reference };
    },
  };
}

export type TransferActivities = ReturnType<typeof createTransferActivities>;
