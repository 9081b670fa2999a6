// Disputes of payments: noticed, followed to the gateway's last word, and read.

import type { Currency } from '../../domain/currency';
import type { DisputeNotice, DisputeState, DisputeStatus } from '../../domain/dispute';
import type { Environment } from '../../domain/environment';
import { columns, type Row, type RowOf } from '../columns';
import { call, callValue, calls, execute, type Db } from '../connect';
import { readable } from '../readable';

const SHOWN = columns(`disputes d:
  id environment reference intent_id status amount_minor currency fee_minor owed_minor reason
  evidence_due_by created_at closed_at`);
/** Columns of disputes as `d`. */
const VIEW = `${SHOWN}, (select s.body::text from dispute_json(d) s) as json`;

/** The row that every answer and event shows. */
export interface DisputeView extends RowOf<typeof SHOWN> {
  /** The JSON text of what GET /disputes/{id} returns (dispute_json in SQL). */
  readonly json: string;
}

/** Remembers that the gateway must be asked. */
export async function noteDisputeNotice(
  db: Db,
  gateway: string,
  { environment, dispute_id }: DisputeNotice,
): Promise<void> {
  await call(db, 'note_dispute_notice', [gateway, environment, dispute_id]);
}

/** The gateway that knows a dispute. */
export interface OfGateway {
  readonly name: string;
  readonly environment: Environment;
}

/** A question to a gateway. An answer counts only if no later question was asked. */
export interface DisputeQuestion {
  readonly dispute_id: string;
  readonly asks: number;
}

/** Each is returned to one caller only, and again after a pause when no answer is recorded. */
export async function claimDisputeNotices(
  db: Db,
  { name, environment }: OfGateway,
  limit: number,
): Promise<DisputeQuestion[]> {
  return call(db, 'claim_dispute_notices', [name, environment, limit]);
}

/** Operators see it beside the question, which comes again. */
export async function noteDisputeFault(
  db: Db,
  { name, environment }: OfGateway,
  { dispute_id, asks }: DisputeQuestion,
  words: string,
): Promise<void> {
  await call(db, 'note_dispute_fault', [name, environment, dispute_id, asks, words]);
}

/** An operator has to look at these: nothing was booked (dispute_problems in SQL). */
export const DISPUTE_PROBLEMS = [
  'unknown_payment',
  'in_suspense',
  'currency',
  'amount',
  'contradiction',
  'limit_exceeded',
  'gateway_gone',
] as const;
export type DisputeProblem = (typeof DISPUTE_PROBLEMS)[number];

export interface RecordedDispute {
  /** `stale`: a later question was asked. */
  readonly outcome: 'opened' | 'won' | 'lost' | 'unchanged' | 'stale' | DisputeProblem;
  /** Null when there is no such dispute here. */
  readonly reference: string | null;
}

/** Books what follows from the answer, once, with its event. */
export async function recordDisputeAnswer(
  db: Db,
  { name, environment }: OfGateway,
  { dispute_id, asks }: DisputeQuestion,
  answer: DisputeState,
): Promise<RecordedDispute> {
  const values = [name, environment, dispute_id, asks, JSON.stringify(answer)];
  return (await call<RecordedDispute>(db, 'record_dispute_answer', values))[0]!;
}

/** Names of the gateways that are configured in the environment: open disputes of others get the problem `gateway_gone`. */
export const markGoneGateways =
  calls<(environment: Environment, configured: readonly string[]) => void>('mark_gone_gateways');

/** Takes what is owed for one dispute, as far as the wallet has it; false when none can be. */
export const takeNextOwed = calls<() => boolean>('take_next_owed');

export const { list: listDisputes, find: findDispute } = readable<
  DisputeView,
  { status: DisputeStatus; currency: Currency; payment_intent_id: string }
>({
  rows: 'disputes',
  row: 'd',
  view: VIEW,
  filters: {
    status: 'd.status = ?',
    currency: 'd.currency = ?',
    payment_intent_id: 'd.intent_id = ?::uuid',
  },
});

export interface OperatorDispute
  extends DisputeView, Pick<Row<'disputes'>, 'gateway' | 'provider_dispute_id'> {
  readonly username: string;
  readonly payment_reference: string;
}

/** The disputes of every account, newest first: those that are open or owed before the others. */
export async function listOperatorDisputes(db: Db, limit: number): Promise<OperatorDispute[]> {
  const text = `select ${VIEW}, u.username, i.reference as payment_reference, d.gateway,
                       d.provider_dispute_id
                  from disputes d join users u on u.id = d.user_id
                  join payment_intents i on i.id = d.intent_id
                 order by (d.status = 'open' or d.owed_minor > 0) desc, d.created_at desc, d.id
                 limit $1`;
  return execute(db, { name: 'list_operator_disputes', text }, [limit]);
}

export interface TroubledDispute {
  readonly gateway: string;
  readonly environment: Environment;
  readonly dispute_id: string;
  /** A DisputeProblem, or why the gateway could not be asked. */
  readonly problem: string;
  readonly noted_at: string;
  /** Its money waits: who settles it says who has won. */
  readonly is_open: boolean;
}

/** Lists answers that could not be booked, latest first. */
export async function listTroubledDisputes(db: Db, limit: number): Promise<TroubledDispute[]> {
  const text = `select n.gateway, n.environment, n.dispute_id, n.problem, n.noted_at,
                       coalesce(d.status = 'open', false) as is_open
                  from dispute_notices n
                  left join disputes d on d.gateway = n.gateway and d.environment = n.environment
                       and d.provider_dispute_id = n.dispute_id
                 where n.problem is not null
                 order by n.noted_at desc, n.dispute_id limit $1`;
  return execute(db, { name: 'list_troubled_disputes', text }, [limit]);
}

export interface Settlement extends Pick<
  TroubledDispute,
  'gateway' | 'environment' | 'dispute_id'
> {
  /** Only for a dispute that is open. */
  readonly verdict: 'won' | 'lost' | null;
  readonly reason: string;
}

export type SettledDispute = 'done' | 'verdict_due' | 'limit_exceeded' | 'not_found';

/**
 * Ends one with a DisputeProblem and takes it off the list, with a row in the audit log. Throws AP002 for an account
 * of the operator's own. Needs the operators' role.
 */
export async function settleDispute(
  db: Db,
  { gateway, environment, dispute_id, verdict, reason }: Settlement,
  actor: string,
): Promise<SettledDispute> {
  const values = [gateway, environment, dispute_id, verdict, reason, actor];
  return callValue(db, 'settle_dispute', values);
}
