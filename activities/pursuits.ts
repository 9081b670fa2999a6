// Asks third parties, each kind in its own way: what an answer means stays with the noun. The order is a row, and
// without one nothing is asked, however the workflow was started.

import { ApplicationFailure } from '@temporalio/activity';
import { PURSUIT_KINDS, type Progress, type PursuitKind } from '../domain/pursuit';
import { withHeartbeats } from './heartbeats';
import { followAttempt, type AttemptActivityDependencies } from './payment-attempts';
import { followPayout, type PayoutActivityDependencies } from './payouts';
import { followRefund, type RefundActivityDependencies } from './refunds';
import { refuseMessage } from './refused-messages';
import { forRows, UNKNOWN_ROW } from './rows';
import { followSuspenseRefund, type SuspenseActivityDependencies } from './suspense';

export type PursuitActivityDependencies = AttemptActivityDependencies &
  PayoutActivityDependencies &
  RefundActivityDependencies &
  SuspenseActivityDependencies;

/** Asks once about the row of this id, and books the answer. */
type Follow = (dependencies: PursuitActivityDependencies, id: string) => Promise<Progress>;

const KINDS: Readonly<Record<PursuitKind, Follow>> = {
  'suspense-refund': followSuspenseRefund,
  refund: followRefund,
  payout: followPayout,
  'payment-attempt': followAttempt,
};

export function createPursuitActivities(dependencies: PursuitActivityDependencies) {
  const follow = new Map<unknown, (id: string) => Promise<Progress>>(
    PURSUIT_KINDS.map((kind) => {
      const { once } = forRows(dependencies, kind, { once: (id) => KINDS[kind](dependencies, id) });
      return [kind, once];
    }),
  );
  return withHeartbeats({
    async askOnce(kind: PursuitKind, id: string): Promise<Progress> {
      const once = follow.get(kind);
      if (once) return once(id);
      // It was started by hand.
      refuseMessage(dependencies, { message: 'pursuit', references: [id] });
      throw ApplicationFailure.nonRetryable('there is no such kind', UNKNOWN_ROW);
    },
  });
}

export type PursuitActivities = ReturnType<typeof createPursuitActivities>;
