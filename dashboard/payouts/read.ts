// A payout's page: what it shows, and what its reader may decide.

import { listPayoutTimeline, type PayoutView } from '../../db/payouts/payouts';
import type { TimelineEntry } from '../../domain/intent';
import { mayDo } from '../../domain/members';
import type { PayoutStatus } from '../../domain/payout';
import type { PayoutBatchStatus } from '../../domain/payout-batch';
import { Refusal } from '../../domain/refusal';
import { findOwnPayout } from '../../use-cases/payouts/decide';
import { type DashboardDependencies, type MemberVisit, ownerOf } from '../context';

/** Undefined: not one of this account and environment. */
export async function readPayout(
  dependencies: Pick<DashboardDependencies, 'db'>,
  visit: MemberVisit,
): Promise<PayoutView | undefined> {
  try {
    return await findOwnPayout(dependencies, ownerOf(visit), visit.params['reference'] ?? '');
  } catch (error) {
    if (error instanceof Refusal && error.code === 'payout_not_found') return undefined;
    throw error;
  }
}

export const DECISIONS = ['approve', 'reject', 'confirm', 'cancel'] as const;
export type Decision = (typeof DECISIONS)[number];

export interface Approval {
  readonly needed: number;
  readonly given: readonly { readonly by: string; readonly at: string }[];
}

export interface PayoutProps {
  readonly view: PayoutView;
  readonly approval: Approval | null;
  readonly entries: readonly TimelineEntry[];
  /** The decisions that this person may take now. */
  readonly decisions: readonly Decision[];
  /** The person ordered it, and another one approves it. */
  readonly is_own: boolean;
}

export async function payoutProps(
  { db }: Pick<DashboardDependencies, 'db'>,
  { account, session }: Pick<MemberVisit, 'account' | 'session'>,
  view: PayoutView,
): Promise<PayoutProps> {
  const entries = await listPayoutTimeline(db, view.id);
  const { approval } = JSON.parse(view.json) as { readonly approval: Approval | null };
  const { status, ordered_by, stage } = view;
  const asked = { status, ordered_by, approval, has_unsent: stage === 'queued' };
  return { view, approval, entries, ...decisionsOf({ account, session }, asked) };
}

/** The decisions that a person is offered about a payout, or about payouts that were ordered together. */
export function decisionsOf(
  { account, session }: Pick<MemberVisit, 'account' | 'session'>,
  {
    status,
    ordered_by,
    approval,
    has_unsent,
  }: {
    readonly status: PayoutStatus | PayoutBatchStatus;
    readonly ordered_by: string | null;
    readonly approval: Approval | null;
    /** Something is on its way to the operator, and can still be stopped. */
    readonly has_unsent: boolean;
  },
): Pick<PayoutProps, 'decisions' | 'is_own'> {
  const may_send = mayDo(account.role, 'money', session.environment);
  const needs_approval = status === 'requires_approval';
  const needs_confirmation = status === 'requires_confirmation';
  const is_own = ordered_by === session.login_id;
  const has_approved = approval?.given.some(({ by }) => by === session.email) ?? false;
  const possible: Readonly<Record<Decision, boolean>> = {
    approve: needs_approval && !is_own && !has_approved,
    reject: needs_approval && !is_own,
    confirm: needs_confirmation,
    cancel: status === 'held' || needs_confirmation || has_unsent || (needs_approval && is_own),
  };
  return {
    decisions: may_send ? DECISIONS.filter((one) => possible[one]) : [],
    is_own: is_own && needs_approval,
  };
}
