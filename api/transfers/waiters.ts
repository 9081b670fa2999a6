// Requests of this process that wait for a posting which may happen in this process: the shortest
// way from commit to answer. Postgres and Temporal know everything in here as well.

import type { TransferOutcomes } from '../../activities/transfers';
import type { TransferOutcome } from '../../domain/transfer';

export interface TransferWaiters extends TransferOutcomes {
  /** Resolves when the attempt is posted here; never, when it is posted elsewhere. */
  expect(attempt: string): Promise<TransferOutcome>;
  forget(attempt: string): void;
}

export function createTransferWaiters(): TransferWaiters {
  const waiting = new Map<string, (outcome: TransferOutcome) => void>();
  return {
    expect: (attempt) => new Promise((resolve) => waiting.set(attempt, resolve)),
    forget: (attempt) => {
      waiting.delete(attempt);
    },
    publish: (attempt, outcome) => waiting.get(attempt)?.(outcome),
  };
}
