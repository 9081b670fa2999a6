// People's decisions about a payout batch: confirm, cancel, approve, reject. Each may be repeated.

import type { Caller } from '../../db/keys/api-keys';
import {
  approvePayoutBatch,
  cancelPayoutBatch,
  confirmPayoutBatch,
  findPayoutBatch,
  getPayoutBatch,
  rejectPayoutBatch,
  type PayoutBatchRow,
} from '../../db/payout-batches/payout-batches';
import type { ErrorCode } from '../../domain/errors';
import type { BatchCheck } from '../../domain/payout-batch';
import { Refusal } from '../../domain/refusal';
import { wakeAfter } from '../batches/order';
import { asMember, type DecisionOptions } from '../payouts/decide';
import type { OrderDependencies } from '../requests/dependencies';
import { orUnknown } from '../requests/failures';

/** @throws Refusal payout_batch_not_found */
export async function findOwnPayoutBatch(
  { db }: Pick<OrderDependencies, 'db'>,
  owner: Pick<Caller, 'user_id' | 'environment'>,
  id: string,
): Promise<PayoutBatchRow> {
  const found = await findPayoutBatch(db, owner, id);
  if (!found) throw new Refusal('payout_batch_not_found');
  return found;
}

export type PayoutBatchDecision =
  | { readonly kind: 'confirm'; readonly exclude: readonly BatchCheck[] }
  | { readonly kind: 'cancel' }
  /** `login_id`: null of a key that no member of the account has made. */
  | { readonly kind: 'approve'; readonly login_id: string | null }
  | { readonly kind: 'reject'; readonly login_id: string | null; readonly reason: string | null };

const MAY_HAVE_HAPPENED = 'It may have happened. Repeat the request.';

/** The batch as it is then. @throws Refusal */
export async function decidePayoutBatch(
  dependencies: OrderDependencies,
  { id, user_id, environment }: PayoutBatchRow,
  decision: PayoutBatchDecision,
  { request_id, by }: DecisionOptions,
): Promise<PayoutBatchRow> {
  const { db, wakePayoutBatches } = dependencies;
  const outcome = await orUnknown(MAY_HAVE_HAPPENED, () => decide(dependencies, id, decision, by));
  if (outcome !== 'done') throw new Refusal(outcome);
  await wakeAfter(dependencies, wakePayoutBatches, { user_id, environment, request_id });
  const shown = await orUnknown(MAY_HAVE_HAPPENED, () => getPayoutBatch(db, id));
  // A canceled batch is no 200 for a decision that has it sent, as with a payout.
  if (shown.status === 'canceled') {
    if (decision.kind === 'confirm') throw new Refusal('payout_batch_not_confirmable');
    if (decision.kind === 'approve') throw new Refusal('payout_batch_not_approvable');
  }
  return shown;
}

async function decide(
  { db }: Pick<OrderDependencies, 'db'>,
  id: string,
  decision: PayoutBatchDecision,
  by: DecisionOptions['by'],
): Promise<'done' | ErrorCode> {
  switch (decision.kind) {
    case 'confirm':
      return confirmPayoutBatch(db, id, decision.exclude, by);
    case 'cancel':
      return cancelPayoutBatch(db, id, by);
    case 'approve':
      return approvePayoutBatch(db, id, asMember(decision.login_id));
    case 'reject':
      return rejectPayoutBatch(db, id, asMember(decision.login_id), decision.reason);
  }
}
