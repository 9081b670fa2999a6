// People's decisions about a payout before it is sent: confirm, cancel, approve, reject. Each may be repeated.

import type { Caller } from '../../db/keys/api-keys';
import {
  approvePayout,
  beginCancelingPayout,
  cancelPayout,
  confirmPayout,
  findPayout,
  getPayout,
  recordPayoutAnswer,
  recordPayoutFault,
  rejectPayout,
  type Decided,
  type DecidedBy,
  type PayoutView,
} from '../../db/payouts/payouts';
import type { ErrorCode } from '../../domain/errors';
import { GatewayError } from '../../domain/gateway-error';
import { isUuid, plainReference } from '../../domain/ids';
import { Refusal } from '../../domain/refusal';
import type { OrderDependencies } from '../requests/dependencies';
import { orUnknown, unavailable } from '../requests/failures';
import { pursueOrder } from '../pursuits';
import { beginQuestion } from '../questions';

type Owner = Pick<Caller, 'user_id' | 'environment'>;

const REFERENCE = /^PYT-[0-9A-Z]{20}$/;

/** It is found by its id or its reference. @throws Refusal payout_not_found */
export async function findOwnPayout(
  { db }: Pick<OrderDependencies, 'db'>,
  owner: Owner,
  typed: string,
): Promise<PayoutView> {
  const named = plainReference(typed);
  const by = isUuid(named)
    ? { id: named }
    : REFERENCE.test(named)
      ? { reference: named }
      : undefined;
  const found = by && (await findPayout(db, owner, by));
  if (!found) throw new Refusal('payout_not_found');
  return found;
}

const MAY_HAVE_HAPPENED = 'It may have happened. Repeat the request.';

export interface DecisionOptions {
  readonly request_id: string;
  readonly by: DecidedBy;
}

export type PayoutDecision =
  /** Has it sent, once the names were looked at. */
  | { readonly kind: 'confirm' }
  /** Brings all of the money back. Where the payout waits at its provider, that is asked first. */
  | { readonly kind: 'cancel' }
  /** `login_id`: null of a key that no member of the account has made. */
  | { readonly kind: 'approve'; readonly login_id: string | null }
  | { readonly kind: 'reject'; readonly login_id: string | null; readonly reason: string | null };

/** Carries it out, has the payout looked at, and returns it as it is then. @throws Refusal */
export async function decidePayout(
  dependencies: OrderDependencies,
  { id, environment }: PayoutView,
  decision: PayoutDecision,
  { request_id, by }: DecisionOptions,
): Promise<PayoutView> {
  const outcome = await orUnknown(MAY_HAVE_HAPPENED, () => decide(dependencies, id, decision, by));
  if (outcome !== 'done') throw new Refusal(outcome);
  await pursueOrder(dependencies, 'payout', { id, environment, request_id });
  const shown = await orUnknown(MAY_HAVE_HAPPENED, () => getPayout(dependencies.db, id));
  // It may have been canceled at the same moment, or since an earlier call: that is no 200 for what has it sent.
  if (shown.status === 'canceled') {
    if (decision.kind === 'confirm') throw new Refusal('payout_not_confirmable');
    if (decision.kind === 'approve') throw new Refusal('payout_not_approvable');
  }
  return shown;
}

async function decide(
  dependencies: OrderDependencies,
  id: string,
  decision: PayoutDecision,
  by: DecidedBy,
): Promise<Decided<ErrorCode>> {
  const { db } = dependencies;
  switch (decision.kind) {
    case 'confirm':
      return confirmPayout(db, id, by);
    case 'approve':
      return approvePayout(db, id, asMember(decision.login_id));
    case 'reject':
      return rejectPayout(db, id, asMember(decision.login_id), decision.reason);
    case 'cancel': {
      const outcome = await cancelPayout(db, id, by);
      return outcome === 'at_provider' ? cancelAtProvider(dependencies, id, by) : outcome;
    }
  }
}

/** The person who decides. @throws Refusal forbidden for a key that no member of the account has made */
export function asMember(login_id: string | null): string {
  if (login_id !== null) return login_id;
  throw new Refusal('forbidden', {
    message: 'Only a member of the account approves: create a key on the dashboard and use that.',
  });
}

/**
 * The provider may be asked meanwhile: a notice wakes the workflow, or two callers cancel at once. Only the
 * answer to the latest question is booked.
 */
const CANCELS_AT_MOST = 3;

async function cancelAtProvider(
  dependencies: OrderDependencies,
  id: string,
  by: DecidedBy,
): Promise<Decided<ErrorCode>> {
  const { db, payout_providers } = dependencies;
  const { environment, provider: name } = await getPayout(db, id);
  const provider = payout_providers[environment].find((one) => one.name === name);
  if (!provider?.cancelQueued) return 'payout_not_cancelable';
  for (let asked = 0; asked < CANCELS_AT_MOST; asked++) {
    const [asks, send] = await beginQuestion(db, () => beginCancelingPayout(db, id, by));
    if (asks === undefined) break;
    try {
      const state = await send({ environment, id }, () => provider.cancelQueued!(id));
      const outcome = outcomeOf(await recordPayoutAnswer(db, id, asks, state));
      if (outcome !== undefined) return outcome;
      // Some providers take it back a little later: the next look says whether they have.
      if (state.status === 'queued') throw unavailable(MAY_HAVE_HAPPENED);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      await recordPayoutFault(db, id, asks, error.message, false);
      throw unavailable(MAY_HAVE_HAPPENED);
    }
  }
  const outcome = outcomeOf(await getPayout(db, id));
  if (outcome === undefined) throw unavailable(MAY_HAVE_HAPPENED);
  return outcome;
}

/** Undefined while it may still be taken back. */
function outcomeOf({
  status,
  stage,
}: Pick<PayoutView, 'status' | 'stage'>): Decided<ErrorCode> | undefined {
  if (status === 'pending' && stage !== 'sent') return undefined;
  return status === 'canceled' ? 'done' : 'payout_not_cancelable';
}
