// Decisions about money that wait for a second operator (docs/decisions/operators.md). Needs the
// operators' role; the rules are in db/operators/approvals.sql.

import type { Currency } from '../../domain/currency';
import type { JsonValue } from '../../domain/json';
import { columns, type Row, type RowOf } from '../columns';
import { call, callValue, calls, execute, type Db } from '../connect';

export type ApprovalAction = Row<'approvals'>['action'];

const SHOWN = columns(`approvals a:
  id action subject arguments username environment currency amount_minor reason requested_by requested_at
  expires_at decided_by decided_at decision_reason`);

export interface Approval extends RowOf<typeof SHOWN>, Pick<Row<'approvals'>, 'status'> {}

const SELECT = `select ${SHOWN},
    case when a.status = 'waiting' and a.expires_at <= clock_timestamp() then 'expired'
         else a.status end as status
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

export const rejectRequest =
  calls<
    (id: string, reason: string, actor: string) => 'rejected' | 'not_found' | 'approved' | 'expired'
  >('reject_request');
