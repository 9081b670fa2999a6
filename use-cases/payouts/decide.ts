// What people decide about a payout before it is sent: confirm, cancel, approve, reject. Each may be repeated.

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
  type PayoutDecision,
} from '../../db/payouts/payouts';
import type { ErrorCode } from '../../domain/errors';
import { isUuid } from '../../domain/ids';
import type { PayoutView } from '../../domain/payout';
import { Refusal } from '../../domain/refusal';
import { PayoutError } from '../../domain/payout';
import type { OrderDependencies } from '../requests/dependencies';
import { orUnknown, unavailable } from '../requests/failures';
import { wakePayout } from './order';

type Owner = Pick<Caller, 'user_id' | 'environment'>;

const REFERENCE = /^PYT-[0-9A-Z]{20}$/;

/** By its id or its reference. @throws Refusal payout_not_found */
export async function findOwnPayout(
  { db }: Pick<OrderDependencies, 'db'>,
  { user_id, environment }: Owner,
  named: string,
): Promise<PayoutView> {
  const by = isUuid(named)
    ? { id: named }
    : REFERENCE.test(named)
      ? { reference: named }
      : undefined;
  const found = by && (await findPayout(db, user_id, environment, by));
  if (!found) throw new Refusal('payout_not_found');
  return found;
}

const MAY_HAVE_HAPPENED = 'It may have happened. Repeat the request.';

export interface DecisionOptions {
  readonly request_id: string;
}

/**
 * Carries out a decision, has the payout looked at, and returns it as it is then.
 * @throws Refusal
 */
async function decide(
  dependencies: OrderDependencies,
  { id, environment }: PayoutView,
  request_id: string,
  act: () => Promise<PayoutDecision<ErrorCode>>,
): Promise<PayoutView> {
  const decision = await orUnknown(MAY_HAVE_HAPPENED, act);
  // Also what is refused may have told something: the provider says how far the payout is.
  dependencies.waker.wake(decision.wake);
  if (decision.outcome !== 'done') throw new Refusal(decision.outcome);
  await wakePayout(dependencies, { id, environment, request_id });
  return orUnknown(MAY_HAVE_HAPPENED, () => getPayout(dependencies.db, id));
}

/** Has it sent, once the names were looked at. @throws Refusal */
export function confirmOwnPayout(
  dependencies: OrderDependencies,
  payout: PayoutView,
  { request_id }: DecisionOptions,
): Promise<PayoutView> {
  return decide(dependencies, payout, request_id, () => confirmPayout(dependencies.db, payout.id));
}

/** `login_id`: null of a key that no member of the account has made. @throws Refusal */
export function approveOwnPayout(
  dependencies: OrderDependencies,
  payout: PayoutView,
  { request_id, login_id }: DecisionOptions & { readonly login_id: string | null },
): Promise<PayoutView> {
  const member = asMember(login_id);
  return decide(dependencies, payout, request_id, () =>
    approvePayout(dependencies.db, payout.id, member),
  );
}

/** @throws Refusal */
export function rejectOwnPayout(
  dependencies: OrderDependencies,
  payout: PayoutView,
  {
    request_id,
    login_id,
    reason,
  }: DecisionOptions & { readonly login_id: string | null; readonly reason: string | null },
): Promise<PayoutView> {
  const member = asMember(login_id);
  return decide(dependencies, payout, request_id, () =>
    rejectPayout(dependencies.db, payout.id, member, reason),
  );
}

/** The person who decides. @throws Refusal forbidden for a key that no member of the account has made */
export function asMember(login_id: string | null): string {
  if (login_id !== null) return login_id;
  throw new Refusal('forbidden', {
    message: 'Only a member of the account approves: create a key on the dashboard and use that.',
  });
}

/** All of the money comes back. Where the payout waits at its provider, that is asked first. @throws Refusal */
export async function cancelOwnPayout(
  dependencies: OrderDependencies,
  payout: PayoutView,
  { request_id }: DecisionOptions,
): Promise<PayoutView> {
  const { db } = dependencies;
  return decide(dependencies, payout, request_id, async () => {
    const canceled = await cancelPayout(db, payout.id);
    if (canceled.outcome !== 'at_provider') return canceled as PayoutDecision<ErrorCode>;
    return cancelAtProvider(dependencies, payout.id);
  });
}

async function cancelAtProvider(
  dependencies: OrderDependencies,
  id: string,
): Promise<PayoutDecision<ErrorCode>> {
  const { db, payout_providers } = dependencies;
  const refused = { outcome: 'payout_not_cancelable', wake: [] } as const;
  const { environment, provider: name } = await getPayout(db, id);
  const provider = payout_providers[environment].find((one) => one.name === name);
  const asks = provider?.cancelQueued && (await beginCancelingPayout(db, id));
  if (asks === undefined) return refused;
  try {
    const state = await provider!.cancelQueued!(id);
    const { status, wake } = await recordPayoutAnswer(db, id, asks, state);
    return status === 'canceled' ? { outcome: 'done', wake } : { ...refused, wake };
  } catch (error) {
    if (!(error instanceof PayoutError)) throw error;
    await recordPayoutFault(db, id, asks, error.message, false);
    throw unavailable(MAY_HAVE_HAPPENED);
  }
}
