// Identity checks: submitted, advanced by their workflow, decided by operators
// (docs/decisions/people.md). The rules are in db/accounts/identity.sql.

import { NIL_UUID } from '../../domain/ids';
import type { Language } from '../../domain/language';
import { columns, type Row, type RowOf } from '../columns';
import { call, callValue, calls, execute, lookUp, type Db, type Tx } from '../connect';

export type CheckStatus = Row<'identity_checks'>['status'];

const SHOWN = columns(`identity_checks c:
  id user_id status created_at expires_at decided_at decided_by reason`);

export interface IdentityCheck extends RowOf<typeof SHOWN> {
  readonly username: string;
  /** The person's e-mail address; null when an operator decided without a submission. */
  readonly submitted_by: string | null;
}

export interface NewIdentityCheck {
  readonly id: string;
  readonly user_id: string;
  readonly login_id: string;
  readonly sealed: Buffer;
  readonly remind_after_seconds: readonly number[];
  readonly expires_after_seconds: number;
}

/** False when the account's check is under way or approved. */
export async function submitIdentityCheck(db: Db, check: NewIdentityCheck): Promise<boolean> {
  const { user_id, login_id, id, sealed, remind_after_seconds, expires_after_seconds } = check;
  const values = [user_id, login_id, id, sealed, remind_after_seconds, expires_after_seconds];
  return callValue<boolean>(db, 'submit_identity_check', values);
}

export interface CheckStep {
  readonly check_id: string;
  readonly status: CheckStatus;
  /** The message that it calls for. */
  readonly message: 'received' | 'reminder' | 'approved' | 'rejected' | 'expired' | null;
  /** Null when nothing is left to do. */
  readonly wait_ms: number | null;
}

/** Does the next thing that is due. Undefined for an account without checks. */
export async function advanceIdentityCheck(
  tx: Tx,
  user_id: string,
): Promise<CheckStep | undefined> {
  return (await call<CheckStep>(tx, 'advance_identity_check', [user_id]))[0];
}

export interface Addressee {
  readonly email: string;
  /** Null: not known. */
  readonly language: Language | null;
}

export interface CheckMail {
  readonly username: string;
  readonly reason: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly owners: readonly Addressee[];
  readonly operators: readonly Addressee[];
}

/** More operators than this are not written to. */
const MAX_OPERATORS = 50;

/** The person who is written to about a check. */
export async function findCheckMail(db: Db | Tx, check_id: string): Promise<CheckMail> {
  const text = `select u.username, c.reason, c.created_at, c.expires_at,
       (select json_agg(json_build_object('email', l.email, 'language', l.language) order by m.created_at)
          from memberships m join logins l on l.id = m.login_id
         where m.user_id = c.user_id and m.role = 'owner') as owners,
       (select coalesce(json_agg(o), '[]') from (
          select l.email, l.language from logins l where l.is_operator
           order by l.id limit ${MAX_OPERATORS}) o) as operators
     from identity_checks c join users u on u.id = c.user_id where c.id = $1`;
  return (await execute<CheckMail>(db, { name: 'find_check_mail', text }, [check_id]))[0]!;
}

/** Accounts whose check has been due for so long: its workflow was not started, or is gone. */
export async function listDueIdentityChecks(
  db: Db,
  overdue_ms: number,
  limit: number,
): Promise<string[]> {
  const text = `select distinct user_id as id from (
      select user_id from identity_checks
       where due_at < clock_timestamp() - $1 * interval '1 millisecond'
       order by due_at limit $2) c`;
  const statement = { name: 'list_due_identity_checks', text };
  const rows = await execute<{ readonly id: string }>(db, statement, [overdue_ms, limit]);
  return rows.map(({ id }) => id);
}

const SELECT = `select ${SHOWN}, u.username, l.email as submitted_by
  from identity_checks c join users u on u.id = c.user_id left join logins l on l.id = c.submitted_by`;

export async function findLatestIdentityCheck(
  db: Db,
  user_id: string,
): Promise<IdentityCheck | undefined> {
  const text = `${SELECT} where c.user_id = $1 order by c.created_at desc limit 1`;
  return (await lookUp<IdentityCheck>(db, { name: 'find_latest_check', text }, [user_id]))[0];
}

export async function findIdentityCheck(db: Db, id: string): Promise<IdentityCheck | undefined> {
  const statement = { name: 'find_identity_check', text: `${SELECT} where c.id = $1` };
  return (await lookUp<IdentityCheck>(db, statement, [id]))[0];
}

/** Those that wait, the oldest first. */
export async function listPendingIdentityChecks(db: Db, limit: number): Promise<IdentityCheck[]> {
  const text = `${SELECT} where c.status = 'pending' order by c.created_at, c.id limit $1`;
  return lookUp<IdentityCheck>(db, { name: 'list_pending_checks', text }, [limit]);
}

/** Reads what was submitted, sealed. Needs the operators' role, and leaves a row in the audit log. */
export const viewIdentityData =
  calls<(id: string, actor: string) => Buffer | null>('view_identity_check');

/** Reads what the person has submitted for the latest check, sealed; undefined when it is not for correcting. */
export async function findOwnIdentityData(
  db: Db,
  { user_id, login_id }: Pick<NewIdentityCheck, 'user_id' | 'login_id'>,
): Promise<SealedIdentity | undefined> {
  return (await call<SealedIdentity>(db, 'own_identity_check', [user_id, login_id]))[0];
}

export interface SealedIdentity {
  readonly check_id: string;
  readonly sealed: Buffer;
}

/** Those after this id, 500 at most. Needs the operators' role, and leaves a row in the audit log. */
export async function listIdentityData(
  db: Db,
  after: string,
  actor: string,
): Promise<SealedIdentity[]> {
  const text = 'select check_id, sealed from list_identity_data($1, 500, $2)';
  return execute<SealedIdentity>(db, { name: 'list_identity_data', text }, [after, actor]);
}

/** False when it was sealed anew, or deleted, meanwhile. Needs the operators' role. */
export async function resealIdentityData(
  db: Db,
  { check_id, sealed }: SealedIdentity,
  new_sealed: Buffer,
): Promise<boolean> {
  return callValue<boolean>(db, 'reseal_identity_data', [check_id, sealed, new_sealed]);
}

/**
 * Deletes the data of checks that were decided so many days ago; at least 30. Looks at all there
 * are, in calls of `page` each, and ends early when the signal is aborted. Returns how many it
 * deleted.
 */
export async function purgeIdentityData(
  db: Db,
  days: number,
  page: number,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  let after: string | null = NIL_UUID;
  while (after !== null && !signal?.aborted) {
    const [done]: PurgeCall[] = await call(db, 'purge_identity_data', [days, after, page]);
    total += done!.deleted;
    after = done!.next_check;
  }
  return total;
}

interface PurgeCall {
  readonly deleted: number;
  readonly next_check: string | null;
}

export interface CheckDecision {
  readonly username: string;
  /** Decide only if this check waits; null: whatever the status is. */
  readonly only_check: string | null;
  readonly decision: 'approved' | 'rejected';
  /** Told to the merchant. */
  readonly reason: string | null;
}

/** Needs the operators' role. */
export async function decideCheck(
  db: Db,
  { username, only_check, decision, reason }: CheckDecision,
  actor: string,
): Promise<'decided' | 'not_found' | 'not_waiting'> {
  const values = [username, only_check, decision, reason, actor];
  return callValue(db, 'decide_identity_check', values);
}
