// What the list of payouts and the page of one show.

import { listPayouts, listPayoutTimeline, type PayoutQuery } from '../../db/payouts/payouts';
import { CURRENCIES } from '../../domain/currency';
import { parseInstant } from '../../domain/instant';
import type { TimelineEntry } from '../../domain/intent';
import { mayDo } from '../../domain/members';
import { PAYOUT_STATUSES, type PayoutStatus, type PayoutView } from '../../domain/payout';
import type { PayoutBatchStatus } from '../../domain/payout-batch';
import { Refusal } from '../../domain/refusal';
import { findOwnPayout } from '../../use-cases/payouts/decide';
import type { DashboardDependencies, MemberVisit } from '../context';
import { PAGE_ROWS, pageOf } from '../links/read';
import { dayOf, WRONG_DAY } from '../transactions/filters';

export type PayoutChoice = Pick<PayoutQuery, 'filters' | 'before'>;

export const LONGEST_REFERENCE = 64;

/** Undefined when a filter is none. Days are those of UTC, and `to` is included. */
export function readPayoutFilters(query: URLSearchParams): PayoutChoice | undefined {
  const text = (name: string): string => (query.get(name) ?? '').trim();
  const status = PAYOUT_STATUSES.find((one) => one === text('status'));
  const currency = CURRENCIES.find((one) => one === text('currency'));
  const created_from = dayOf(text('from'), 0);
  const created_to = dayOf(text('to'), 1);
  const reference = text('reference');
  const isRight =
    (status !== undefined || text('status') === '') &&
    (currency !== undefined || text('currency') === '') &&
    reference.length <= LONGEST_REFERENCE;
  if (!isRight || created_from === WRONG_DAY || created_to === WRONG_DAY) return undefined;
  return {
    before: parseInstant(query.get('cursor') ?? ''),
    filters: {
      status,
      currency,
      created_from,
      created_to,
      reference: reference === '' ? undefined : reference,
    },
  };
}

export interface PayoutPage {
  readonly rows: readonly PayoutView[];
  readonly next_cursor: string | null;
}

export async function readPayoutPage(
  { db }: Pick<DashboardDependencies, 'db'>,
  owner: Pick<PayoutQuery, 'user_id' | 'environment'>,
  choice: PayoutChoice,
): Promise<PayoutPage> {
  return pageOf(await listPayouts(db, { ...owner, ...choice, limit: PAGE_ROWS + 1 }));
}

/** Undefined: not one of this account and environment. */
export async function readPayout(
  dependencies: Pick<DashboardDependencies, 'db'>,
  { account, session, params }: MemberVisit,
): Promise<PayoutView | undefined> {
  const owner = { user_id: account.user_id, environment: session.environment };
  try {
    return await findOwnPayout(dependencies, owner, params['reference'] ?? '');
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
  /** What this person may decide about it now. */
  readonly decisions: readonly Decision[];
  /** The person ordered it, and another one approves it. */
  readonly is_own: boolean;
}

/** What happened is read only when its state has changed. */
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

/** What a person is offered to decide about a payout, or about payouts that were ordered together. */
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
    cancel: needs_confirmation || has_unsent || (needs_approval && is_own),
  };
  return {
    decisions: may_send ? DECISIONS.filter((one) => possible[one]) : [],
    is_own: is_own && needs_approval,
  };
}
