// Decides what happens to money in suspense, which no payment intent could take: it is credited to
// the merchant's wallet, the gateway refunds it, or it is closed because the operator has paid it
// back.

import type { ApprovalRequest } from '../db/operators/approvals';
import type { Db } from '../db/connect';
import { isCheckViolation } from '../db/errors';
import {
  acceptForIntent,
  acceptSuspense,
  closeSuspense,
  closingRow,
  findSuspense,
  orderSuspenseRefund,
  type Closing,
  type ClosingOutcome,
  type SuspenseItem,
} from '../db/suspense/suspense';
import { isUuid } from '../domain/ids';
import type { Pursue } from '../temporal/pursuits';
import { doOrRequest, type ApprovalNeeded, type Requesting } from './approvals';

export interface RefusedDecision<Code extends string> {
  readonly ok: false;
  readonly error: Code;
}

export interface AcceptedItem {
  readonly ok: true;
  readonly item: SuspenseItem;
  /** The reference of the posting to the wallet. */
  readonly reference: string;
  readonly balance_minor: bigint;
}

/**
 * `no_merchant`: the money belongs to no intent of ours, so only a refund is possible.
 * `not_closable`: the intent has ended, or has another currency.
 */
export type AcceptRefusal =
  | 'not_found'
  | 'no_merchant'
  | 'limit_exceeded'
  | 'not_closable'
  | Exclude<SuspenseItem['status'], 'held'>;

export interface Accepting extends Requesting, Reasoned {
  /**
   * Ends the item's intent as succeeded with what arrived: its event has links, and they begin with
   * this.
   */
  readonly closes_intent?: { readonly pay_url_base: string } | undefined;
}

/** Why an operator decides so, for the second operator: may be empty. */
interface Reasoned {
  readonly reason?: string | undefined;
}

export async function acceptItem(
  accepting: Accepting,
  id: string,
): Promise<AcceptedItem | RefusedDecision<AcceptRefusal> | ApprovalNeeded> {
  const request = requestFor('suspense.accept', accepting, id);
  const closing = accepting.closes_intent && { closes_intent: true };
  const full = { ...request, arguments: { ...request.arguments, ...closing } };
  return doOrRequest(accepting, full, () => acceptNow(accepting, id));
}

function requestFor(
  action: 'suspense.accept' | 'suspense.refund',
  { reason = '' }: Reasoned,
  id: string,
): ApprovalRequest {
  return { action, arguments: { item: id }, reason };
}

async function acceptNow(
  { db, actor, closes_intent }: Accepting,
  id: string,
): Promise<AcceptedItem | RefusedDecision<AcceptRefusal>> {
  const item = await find(db, id);
  if (!item) return { ok: false, error: 'not_found' };
  if (item.status !== 'held') return { ok: false, error: item.status };
  if (item.username === null) return { ok: false, error: 'no_merchant' };
  try {
    const posted = closes_intent
      ? await acceptForIntent(db, id, actor, closes_intent.pay_url_base)
      : await acceptSuspense(db, id, actor);
    return { ok: true, item: (await findSuspense(db, id))!, ...posted };
  } catch (error) {
    if (!isCheckViolation(error)) throw error;
    // Another operator may have decided since the status was read.
    const { status, is_closable } = (await findSuspense(db, id))!;
    if (status !== 'held') return { ok: false, error: status };
    return { ok: false, error: closes_intent && !is_closable ? 'not_closable' : 'limit_exceeded' };
  }
}

export interface RefundDependencies extends Requesting, Reasoned {
  readonly pursue: Pursue;
  /** Calls back until it returns something; undefined when that takes too long. */
  readonly waitFor: <T>(look: () => Promise<T | undefined>) => Promise<T | undefined>;
}

export type RefundedItem =
  /** `pending`: the gateway has it and has not finished it, which may take days. */
  | { readonly ok: true; readonly item: SuspenseItem; readonly is_pending: boolean }
  /** `unanswered`: ordered, and the gateway has not said anything yet; it is asked again. */
  | RefusedDecision<'not_found' | 'accepted' | 'closed' | 'unanswered'>
  | (RefusedDecision<'gateway_refused'> & { readonly message: string });

/**
 * Orders the refund, and waits for the gateway's first word about it. Repeating it continues the
 * same refund; after one that failed it orders the next. An item that was refunded is returned as
 * it is.
 */
export async function refundItem(
  dependencies: RefundDependencies,
  id: string,
): Promise<RefundedItem | ApprovalNeeded> {
  return doOrRequest(dependencies, requestFor('suspense.refund', dependencies, id), () =>
    refundNow(dependencies, id),
  );
}

async function refundNow(dependencies: RefundDependencies, id: string): Promise<RefundedItem> {
  const { db, actor, pursue, waitFor } = dependencies;
  const item = await find(db, id);
  if (!item) return { ok: false, error: 'not_found' };
  const { status } = await orderSuspenseRefund(db, id, actor);
  if (status === 'accepted' || status === 'closed') return { ok: false, error: status };
  if (status === 'refunding') await pursue('suspense-refund', [id]);
  const answered = await waitFor(async () => {
    const now = await getItem(db, id);
    return now.refund?.status === 'ordered' ? undefined : now;
  });
  if (!answered) return { ok: false, error: 'unanswered' };
  if (answered.refund?.status === 'failed') {
    return { ok: false, error: 'gateway_refused', message: answered.refund.detail ?? 'no reason' };
  }
  return { ok: true, item: answered, is_pending: answered.status === 'refunding' };
}

export type ClosedItem =
  | { readonly ok: true; readonly item: SuspenseItem }
  /**
   * `refunding`: the gateway may still refund it. `at_gateway`: the gateway has the refund, which
   * was not named. `gateway_is_asked`: a question is under way, for half a minute at most.
   * `closed`: before, with another reference.
   */
  | RefusedDecision<Exclude<ClosingOutcome, 'done'> | 'not_found' | 'gateway_is_asked'>;

/**
 * Closes an item that the operator has paid back outside of the gateway. Repeating it with the same
 * reference changes nothing and returns the item.
 */
export async function closeItem(
  { db }: { readonly db: Db },
  id: string,
  closing: Closing,
): Promise<ClosedItem | ApprovalNeeded> {
  const { reason, actor } = closing;
  const given = { ...closingRow(id, closing) };
  const request: ApprovalRequest = { action: 'suspense.close', arguments: given, reason };
  return doOrRequest({ db, actor }, request, () => closeNow({ db }, id, closing));
}

async function closeNow(
  { db }: { readonly db: Db },
  id: string,
  closing: Closing,
): Promise<ClosedItem> {
  if (!(await find(db, id))) return { ok: false, error: 'not_found' };
  try {
    const outcome = await closeSuspense(db, id, closing);
    const item = await getItem(db, id);
    const is_repeated = outcome === 'closed' && item.closed_reference === closing.reference;
    return outcome === 'done' || is_repeated ? { ok: true, item } : { ok: false, error: outcome };
  } catch (error) {
    if (!isCheckViolation(error, 'gateway_is_asked')) throw error;
    return { ok: false, error: 'gateway_is_asked' };
  }
}

async function getItem(db: Db, id: string): Promise<SuspenseItem> {
  return (await findSuspense(db, id))!;
}

function find(db: Db, id: string): Promise<SuspenseItem | undefined> {
  return isUuid(id) ? findSuspense(db, id) : Promise.resolve(undefined);
}
