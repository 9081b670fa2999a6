// Decides what happens to money in suspense, which no payment intent could take: it is credited to the
// merchant's wallet, or the gateway refunds it.

import type { Db } from '../db/connect';
import { isCheckViolation } from '../db/errors';
import { acceptSuspense, findSuspense, type SuspenseItem } from '../db/suspense';
import { isUuid } from '../domain/ids';

export interface RefusedDecision<Code extends string> {
  readonly ok: false;
  readonly error: Code;
}

export interface AcceptedItem {
  readonly ok: true;
  readonly item: SuspenseItem;
  /** Of the posting to the wallet. */
  readonly reference: string;
  readonly balance_minor: bigint;
}

/** `no_merchant`: the money belongs to no intent of ours, so only a refund is possible. */
export type AcceptRefusal =
  'not_found' | 'no_merchant' | 'balance_limit' | Exclude<SuspenseItem['status'], 'held'>;

export async function acceptItem(
  { db }: { readonly db: Db },
  id: string,
): Promise<AcceptedItem | RefusedDecision<AcceptRefusal>> {
  const item = await find(db, id);
  if (!item) return { ok: false, error: 'not_found' };
  if (item.status !== 'held') return { ok: false, error: item.status };
  if (item.username === null) return { ok: false, error: 'no_merchant' };
  try {
    const posted = await acceptSuspense(db, id);
    return { ok: true, item: (await findSuspense(db, id))!, ...posted };
  } catch (error) {
    if (!isCheckViolation(error)) throw error;
    // Another operator may have decided since the status was read.
    const { status } = (await findSuspense(db, id))!;
    return { ok: false, error: status === 'held' ? 'balance_limit' : status };
  }
}

/** The result of a request to refund. `in_progress`: the workflow runs and continues by itself. */
export type RefundResult =
  | { readonly result: 'finished' }
  | { readonly result: 'in_progress' }
  /** `message` is the gateway's own. */
  | { readonly result: 'refused'; readonly message: string };

export interface RefundDependencies {
  readonly db: Db;
  /** Starts the refund's workflow, or joins the running one, and waits for it for a while. */
  readonly refund: (item_id: string) => Promise<RefundResult>;
}

export type RefundedItem =
  | { readonly ok: true; readonly item: SuspenseItem }
  | RefusedDecision<'not_found' | 'accepted' | 'in_progress'>
  | (RefusedDecision<'gateway_refused'> & { readonly message: string });

/** Repeating it continues the same refund; an item that was refunded is returned as it is. */
export async function refundItem(
  { db, refund }: RefundDependencies,
  id: string,
): Promise<RefundedItem> {
  const item = await find(db, id);
  if (!item) return { ok: false, error: 'not_found' };
  if (item.status === 'refunded') return { ok: true, item };
  if (item.status === 'accepted') return { ok: false, error: 'accepted' };
  const outcome = await refund(id);
  if (outcome.result === 'in_progress') return { ok: false, error: 'in_progress' };
  if (outcome.result === 'refused') {
    return { ok: false, error: 'gateway_refused', message: outcome.message };
  }
  const after = (await findSuspense(db, id))!;
  if (after.status === 'refunded') return { ok: true, item: after };
  // Another operator may have accepted it just before the workflow began.
  return { ok: false, error: after.status === 'accepted' ? 'accepted' : 'in_progress' };
}

function find(db: Db, id: string): Promise<SuspenseItem | undefined> {
  return isUuid(id) ? findSuspense(db, id) : Promise.resolve(undefined);
}
