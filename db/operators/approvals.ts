// Decisions about money that wait for a second operator (docs/decisions/people.md). Needs the
// operators' role; the rules are in db/operators/approvals.sql.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { JsonValue } from '../../domain/json';
import { call, callValue, execute, type Db } from '../connect';

export type ApprovalAction =
  | 'wallets.credit'
  | 'suspense.accept'
  | 'suspense.refund'
  | 'suspense.close'
  | 'refunds.create'
  | 'refunds.fail'
  | 'payouts.settle'
  | 'losses.settle';

export interface Approval {
  readonly id: string;
  readonly action: ApprovalAction;
  /** `suspense/` and the item, or `credit/`, `refund/`, `payout/` or `loss/` and a reference. */
  readonly subject: string;
  readonly arguments: { readonly [name: string]: JsonValue };
  readonly username: string | null;
  readonly environment: Environment;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  /** Why it was requested; may be empty. */
  readonly reason: string;
  readonly requested_by: string;
  readonly requested_at: string;
  readonly expires_at: string;
  readonly status: 'waiting' | 'approved' | 'rejected' | 'expired';
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly decision_reason: string | null;
}

const SELECT = `select a.id, a.action, a.subject, a.arguments, a.username, a.environment, a.currency,
    a.amount_minor, a.reason, a.requested_by, a.requested_at, a.expires_at,
    case when a.status = 'waiting' and a.expires_at <= clock_timestamp() then 'expired'
         else a.status end as status,
    a.decided_by, a.decided_at, a.decision_reason
  from approvals a`;

/** Those that wait, oldest first; with `all` every one, newest first. */
export async function listApprovals(db: Db, all: boolean, limit: number): Promise<Approval[]> {
  const text = all
    ? `${SELECT} order by a.requested_at desc, a.id limit $1`
    : `${SELECT} where a.status = 'waiting' and a.expires_at > clock_timestamp()
        order by a.requested_at, a.id limit $1`;
  return execute(db, { name: all ? 'list_approvals' : 'list_waiting_approvals', text }, [limit]);
}

export async function findApproval(db: Db, id: string): Promise<Approval | undefined> {
  const statement = { name: 'find_approval', text: `${SELECT} where a.id = $1` };
  return (await execute<Approval>(db, statement, [id]))[0];
}

export interface ApprovalLimit {
  readonly currency: Currency;
  /** More than this takes two operators; null: one decides about any amount. */
  readonly above_minor: bigint | null;
}

export async function listApprovalLimits(db: Db): Promise<ApprovalLimit[]> {
  const text = `select l.currency, l.above_minor from approval_limits l order by l.currency`;
  return execute<ApprovalLimit>(db, { name: 'list_approval_limits', text }, []);
}

/** The request that waits about a subject; no other one about it can be made meanwhile. */
export async function findWaitingApproval(db: Db, subject: string): Promise<Approval | undefined> {
  const text = `${SELECT} where a.subject = $1 and a.status = 'waiting'
      and a.expires_at > clock_timestamp()`;
  return (await execute<Approval>(db, { name: 'find_waiting_approval', text }, [subject]))[0];
}

export interface ApprovalRequest {
  readonly action: ApprovalAction;
  /**
   * `{item}`, for `suspense.close` also its closing; of a credit its fields, `amount_minor` as text; of a
   * refund what its function in the database takes.
   */
  readonly arguments: { readonly [name: string]: JsonValue };
  readonly reason: string;
}

export interface RequestedApproval {
  /** `other_waiting`: something else about the same item or reference waits. */
  readonly outcome: 'requested' | 'waiting' | 'other_waiting' | 'not_needed' | 'not_possible';
  /** The id of the request that waits; null without one. */
  readonly approval: string | null;
}

export async function requestApproval(
  db: Db,
  { action, arguments: given, reason }: ApprovalRequest,
  actor: string,
): Promise<RequestedApproval> {
  const values = [action, JSON.stringify(given), reason, actor];
  return (await call<RequestedApproval>(db, 'request_approval', values))[0]!;
}

export type ApprovalOutcome = 'approved' | 'not_found' | 'same_person' | 'rejected' | 'expired';

/**
 * Approves with the effect, in one transaction. Throws 23514 when what was requested is no longer
 * possible.
 */
export async function approveRequest(
  db: Db,
  id: string,
  actor: string,
  pay_url_base: string,
): Promise<ApprovalOutcome> {
  return callValue(db, 'approve_request_with', [id, pay_url_base, actor]);
}

export async function rejectRequest(
  db: Db,
  id: string,
  reason: string,
  actor: string,
): Promise<'rejected' | 'not_found' | 'approved' | 'expired'> {
  return callValue(db, 'reject_request', [id, reason, actor]);
}
