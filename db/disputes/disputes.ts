// Disputes of payments: noticed, followed to the gateway's last word, and read.

import type { Currency } from '../../domain/currency';
import type { DisputeNotice, DisputeState, DisputeStatus, DisputeView } from '../../domain/dispute';
import type { Environment } from '../../domain/environment';
import { execute, isDone, lookUp, type Db } from '../connect';
import { filterSql } from '../list-filters';
import type { Waking } from '../webhooks/events';

/** Columns of disputes as `d`. */
const VIEW = `d.id, d.environment, d.reference, d.intent_id, d.status, d.amount_minor, d.currency, d.fee_minor,
  d.owed_minor, d.reason, d.evidence_due_by, d.created_at, d.closed_at,
  (select s.body::text from dispute_json(d) s) as json`;

const NOTE = { name: 'note_dispute_notice', text: 'select note_dispute_notice($1, $2, $3)' };

/** Remembers that the gateway must be asked. */
export async function noteDisputeNotice(
  db: Db,
  gateway: string,
  { environment, dispute_id }: DisputeNotice,
): Promise<void> {
  await execute(db, NOTE, [gateway, environment, dispute_id]);
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

const CLAIM = {
  name: 'claim_dispute_notices',
  text: 'select dispute_id, asks from claim_dispute_notices($1, $2, $3)',
};

/** Each is returned to one caller only, and again after a pause when no answer is recorded. */
export async function claimDisputeNotices(
  db: Db,
  { name, environment }: OfGateway,
  limit: number,
): Promise<DisputeQuestion[]> {
  return execute(db, CLAIM, [name, environment, limit]);
}

const FAULT = {
  name: 'note_dispute_fault',
  text: 'select note_dispute_fault($1, $2, $3, $4, $5)',
};

/** Operators see it beside the question, which comes again. */
export async function noteDisputeFault(
  db: Db,
  { name, environment }: OfGateway,
  { dispute_id, asks }: DisputeQuestion,
  words: string,
): Promise<void> {
  await execute(db, FAULT, [name, environment, dispute_id, asks, words]);
}

/** What an operator has to look at: nothing was booked (dispute_problems in SQL). */
export const DISPUTE_PROBLEMS = [
  'unknown_payment',
  'in_suspense',
  'currency',
  'amount',
  'contradiction',
  'balance_limit',
] as const;
export type DisputeProblem = (typeof DISPUTE_PROBLEMS)[number];

export interface RecordedDispute extends Waking {
  /** `stale`: a later question was asked. */
  readonly outcome: 'opened' | 'won' | 'lost' | 'unchanged' | 'stale' | DisputeProblem;
  /** Null when there is no such dispute here. */
  readonly reference: string | null;
}

const RECORD = {
  name: 'record_dispute_answer',
  text: 'select outcome, reference, wake from record_dispute_answer($1, $2, $3, $4, $5::jsonb)',
};

/** Books what follows from the answer, once, with its event. */
export async function recordDisputeAnswer(
  db: Db,
  { name, environment }: OfGateway,
  { dispute_id, asks }: DisputeQuestion,
  answer: DisputeState,
): Promise<RecordedDispute> {
  const values = [name, environment, dispute_id, asks, JSON.stringify(answer)];
  return (await execute<RecordedDispute>(db, RECORD, values))[0]!;
}

const TAKE = { name: 'take_next_owed', text: 'select take_next_owed() as is_taken' };

/** Takes what is owed for one dispute, as far as the wallet has it; false when none can be. */
export async function takeNextOwed(db: Db): Promise<boolean> {
  return (await execute<{ readonly is_taken: boolean }>(db, TAKE, []))[0]!.is_taken;
}

/** The caller's own. */
export async function findDispute(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<DisputeView | undefined> {
  const text = `select ${VIEW} from disputes d
                 where d.id = $3 and d.user_id = $1 and d.environment = $2`;
  const values = [user_id, environment, id];
  return (await lookUp<DisputeView>(db, { name: 'find_dispute', text }, values))[0];
}

export interface DisputeQuery {
  readonly user_id: string;
  readonly environment: Environment;
  /** An instant; rows strictly before it. */
  readonly before: string | undefined;
  readonly limit: number;
  readonly filters: {
    readonly status?: DisputeStatus | undefined;
    readonly currency?: Currency | undefined;
    readonly payment_intent_id?: string | undefined;
    readonly created_from?: string | undefined;
    readonly created_to?: string | undefined;
  };
}

const FILTERS = {
  status: 'd.status = ?',
  currency: 'd.currency = ?',
  payment_intent_id: 'd.intent_id = ?::uuid',
  created_from: 'd.created_at >= ?::timestamptz',
  created_to: 'd.created_at < ?::timestamptz',
} as const;

/** Newest first. Even large merchants have few. */
export async function listDisputes(db: Db, query: DisputeQuery): Promise<DisputeView[]> {
  const { user_id, environment, before = 'infinity', filters, limit } = query;
  const values: unknown[] = [user_id, environment, before];
  const { given, conditions } = filterSql(FILTERS, filters, values);
  values.push(limit);
  const text = `select ${VIEW} from disputes d
                 where d.user_id = $1 and d.environment = $2
                   and d.created_at < $3::timestamptz${conditions}
                 order by d.created_at desc limit $${values.length}`;
  return execute<DisputeView>(db, { name: `list_disputes_${given}`, text }, values);
}

export interface OperatorDispute extends DisputeView {
  readonly username: string;
  readonly payment_reference: string;
  readonly gateway: string;
  readonly provider_dispute_id: string;
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
}

/** What could not be booked, latest first. */
export async function listTroubledDisputes(db: Db, limit: number): Promise<TroubledDispute[]> {
  const text = `select n.gateway, n.environment, n.dispute_id, n.problem, n.noted_at
                  from dispute_notices n where n.problem is not null
                 order by n.noted_at desc, n.dispute_id limit $1`;
  return execute(db, { name: 'list_troubled_disputes', text }, [limit]);
}

const SETTLE = {
  name: 'settle_dispute',
  text: 'select settle_dispute($1, $2, $3, $4, $5) as done',
};

/**
 * Takes one with a DisputeProblem off the list, with a row in the audit log; false when there is none. Throws AP002
 * for an account of the operator's own. Needs the operators' role.
 */
export async function settleDispute(
  db: Db,
  { gateway, environment, dispute_id }: Omit<TroubledDispute, 'problem' | 'noted_at'>,
  reason: string,
  actor: string,
): Promise<boolean> {
  return isDone(db, SETTLE, [gateway, environment, dispute_id, reason, actor]);
}
