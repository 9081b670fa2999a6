// An operator says what became of a payout whose provider does not; above the limit another operator has to
// approve it.

import type { ApprovalRequest } from '../../db/operators/approvals';
import { isCheckViolation } from '../../db/errors';
import {
  decidePayout,
  type DecidedPayout,
  type DecidedPayoutOutcome,
} from '../../db/payouts/operator-payouts';
import { doOrRequest, type ApprovalNeeded, type Requesting } from '../approvals';

export type SettledPayout =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly error:
        | Exclude<DecidedPayoutOutcome, 'done'>
        /** The wallet is too full to take it back. */
        | 'limit_exceeded'
        /** A question is under way, for half a minute at most. */
        | 'gateway_is_asked';
    };

/** Paid: the money has left us. Not paid: the merchant has it again, and the payout has failed. */
export async function settlePayout(
  requesting: Requesting,
  deciding: DecidedPayout,
): Promise<SettledPayout | ApprovalNeeded> {
  const { payout, is_paid, provider_payment, reason } = deciding;
  const approval: ApprovalRequest = {
    action: 'payouts.settle',
    arguments: { payout, is_paid, provider_payment, reason },
    reason,
  };
  return doOrRequest(requesting, approval, () => settleNow(requesting, deciding));
}

async function settleNow(
  { db, actor }: Requesting,
  deciding: DecidedPayout,
): Promise<SettledPayout> {
  try {
    const outcome = await decidePayout(db, deciding, actor);
    return outcome === 'done' ? { ok: true } : { ok: false, error: outcome };
  } catch (error) {
    if (isCheckViolation(error, 'gateway_is_asked')) {
      return { ok: false, error: 'gateway_is_asked' };
    }
    if (!isCheckViolation(error, 'wallet_has_room')) throw error;
    return { ok: false, error: 'limit_exceeded' };
  }
}
