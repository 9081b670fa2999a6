// Decisions about money that need a second operator: requested when the database asks for one, and
// approved or rejected by another operator (docs/decisions/operators.md).

import {
  approveRequest,
  findApproval,
  rejectRequest,
  requestApproval,
  type Approval,
  type ApprovalRequest,
} from '../db/operators/approvals';
import type { Db } from '../db/connect';
import { findCase } from '../db/risk/cases';
import { isApprovalRequired, isCheckViolation } from '../db/errors';
import { isUuid } from '../domain/ids';
import type { Pursue } from '../temporal/pursuits';

export interface ApprovalNeeded {
  readonly ok: false;
  /** `other_approval_waits`: another decision about the same waits already. */
  readonly error: 'approval_required' | 'other_approval_waits';
  /** The id of the request that waits. */
  readonly approval: string;
}

export interface Requesting {
  readonly db: Db;
  /** The operator. */
  readonly actor: string;
}

/** Does it, or, where that needs a second operator, requests it: nothing has been done then. */
export async function doOrRequest<Done>(
  { db, actor }: Requesting,
  request: ApprovalRequest,
  act: () => Promise<Done>,
): Promise<Done | ApprovalNeeded> {
  try {
    return await act();
  } catch (error) {
    if (!isApprovalRequired(error)) throw error;
  }
  const { outcome, approval } = await requestApproval(db, request, actor);
  if (approval === null) {
    // The limit was lifted, or the thing was decided, a moment ago: the action itself says which.
    return act();
  }
  const error = outcome === 'other_waiting' ? 'other_approval_waits' : 'approval_required';
  return { ok: false, error, approval };
}

export interface ApprovingDependencies extends Requesting {
  readonly pay_url_base: string;
  /** Has the workflow of a refund or payout ask now, or see that it has ended. */
  readonly pursue: Pursue;
}

export type Approved =
  | { readonly ok: true; readonly approval: Approval }
  | {
      readonly ok: false;
      /** `same_person`: who requested it cannot approve it. */
      readonly error:
        | ('not_found' | 'same_person' | 'rejected' | 'expired' | 'no_longer_possible')
        /** A question about it is under way, for half a minute at most. */
        | 'gateway_is_asked';
    };

/** Approves a request with its effect, once, however often it is called. */
export async function approveDecision(
  dependencies: ApprovingDependencies,
  id: string,
): Promise<Approved> {
  const { db, actor, pay_url_base } = dependencies;
  if (!isUuid(id)) return { ok: false, error: 'not_found' };
  try {
    const outcome = await approveRequest(db, id, actor, pay_url_base);
    if (outcome !== 'approved') return { ok: false, error: outcome };
    const approval = (await findApproval(db, id))!;
    // The sweeper wakes the workflow if this fails: the order is there.
    await wakeWorkflow(dependencies, approval).catch(() => undefined);
    return { ok: true, approval };
  } catch (error) {
    if (isCheckViolation(error, 'gateway_is_asked'))
      return { ok: false, error: 'gateway_is_asked' };
    if (!isCheckViolation(error)) throw error;
    return { ok: false, error: 'no_longer_possible' };
  }
}

async function wakeWorkflow(
  { db, pursue }: ApprovingDependencies,
  { action, arguments: given }: Approval,
): Promise<void> {
  const { item, id, refund, payout, reference } = given as {
    readonly [name in 'item' | 'id' | 'refund' | 'payout' | 'reference']?: string;
  };
  if (action === 'suspense.refund') await pursue('suspense-refund', [item!]);
  if (action === 'refunds.create') await pursue('refund', [id!]);
  if (action === 'refunds.fail') await pursue('refund', [refund!]);
  if (action === 'payouts.settle') await pursue('payout', [payout!]);
  if (action === 'risk.release' || action === 'risk.refuse') {
    const decided = await findCase(db, reference!);
    if (decided?.subject_type === 'payout') await pursue('payout', [decided.subject_id!]);
  }
}

export type Rejected =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: 'not_found' | 'approved' | 'expired' | 'invalid_reason' };

const MAX_REASON = 500;

/** The operator who requested it may reject it, too. Rejecting again changes nothing. */
export async function rejectDecision(
  { db, actor }: Requesting,
  id: string,
  reason: string,
): Promise<Rejected> {
  if (reason.length > MAX_REASON) return { ok: false, error: 'invalid_reason' };
  const outcome = isUuid(id) ? await rejectRequest(db, id, reason, actor) : 'not_found';
  return outcome === 'rejected' ? { ok: true } : { ok: false, error: outcome };
}
