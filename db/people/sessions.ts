// Sessions of the dashboard (docs/decisions/0054-dashboard.md).

import type { Environment } from '../../domain/environment';
import type { Language } from '../../domain/language';
import type { MemberRole } from '../../domain/members';
import { execute, lookUp, type Db } from '../connect';

export type SecondFactor = 'none' | 'awaited' | 'passed';

/** A session, and what its pages need of the person and the account: one row. */
export interface SessionRow {
  readonly id: string;
  readonly environment: Environment;
  readonly second_factor: SecondFactor;
  readonly sealed_flash: Buffer | null;
  /** The session was not seen for a minute. */
  readonly is_stale: boolean;
  /** Everything that signing in takes, or the password or a code again, was given a moment ago. */
  readonly is_fresh: boolean;
  readonly login_id: string;
  readonly email: string;
  readonly language: Language | null;
  readonly is_operator: boolean;
  readonly is_email_verified: boolean;
  readonly has_totp: boolean;
  /** The number of accounts to which the person belongs. */
  readonly account_count: number;
  readonly account: SessionAccount | null;
}

/** The account that the pages show. */
export interface SessionAccount {
  readonly user_id: string;
  readonly username: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly country: string;
  readonly kyc_status: string;
  readonly is_frozen: boolean;
  /** The person's role in this account. */
  readonly role: MemberRole;
}

/** A session ends when it has not been used for so long. */
export const IDLE_SECONDS = 12 * 60 * 60;

/** Seconds in which what a stolen session must not do needs no password or code once more. */
const FRESH_SECONDS = 10 * 60;

const FIND = {
  name: 'find_session',
  text: `select s.id, s.environment, s.second_factor, s.sealed_flash,
                s.last_seen_at < clock_timestamp() - interval '1 minute' as is_stale,
                coalesce(s.confirmed_at, s.created_at)
                  > clock_timestamp() - make_interval(secs => ${FRESH_SECONDS}) as is_fresh,
                l.id as login_id, l.email, l.language, l.is_operator,
                l.email_verified_at is not null as is_email_verified,
                l.totp_confirmed_at is not null as has_totp,
                (select count(*)::integer from memberships o
                  where o.login_id = l.id) as account_count,
                case when m.login_id is not null then jsonb_build_object(
                  'user_id', u.id, 'username', u.username, 'first_name', u.first_name,
                  'last_name', u.last_name, 'country', u.country, 'kyc_status', u.kyc_status,
                  'is_frozen', u.frozen_at is not null, 'role', m.role) end as account
           from sessions s
           join logins l on l.id = s.login_id
           left join memberships m on m.login_id = s.login_id and m.user_id = s.user_id
           left join users u on u.id = m.user_id
          where s.token_hash = $1 and s.expires_at > clock_timestamp()
            and s.last_seen_at > clock_timestamp() - make_interval(secs => ${IDLE_SECONDS})`,
};

/** Undefined: unknown, ended or expired. */
export async function findSession(db: Db, token_hash: Buffer): Promise<SessionRow | undefined> {
  return (await lookUp<SessionRow>(db, FIND, [token_hash]))[0];
}

/** A browser that is signed in. */
export interface ListedSession {
  readonly id: string;
  readonly ip: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_seen_at: string;
}

/** More than anybody has. */
const MAX_LISTED = 100;

/** Those of a person, the latest used first. */
export async function listSessions(db: Db, login_id: string): Promise<ListedSession[]> {
  const text = `select id, ip, user_agent, created_at, last_seen_at from sessions
     where login_id = $1 and second_factor <> 'awaited' and expires_at > clock_timestamp()
       and last_seen_at > clock_timestamp() - make_interval(secs => ${IDLE_SECONDS})
     order by last_seen_at desc limit ${MAX_LISTED}`;
  return lookUp<ListedSession>(db, { name: 'list_sessions', text }, [login_id]);
}

export interface NewSession {
  readonly login_id: string;
  /** The hash of the password that was verified. */
  readonly password_hash: string;
  readonly token_hash: Buffer;
  readonly second_factor: SecondFactor;
  readonly ip: string;
  readonly user_agent: string;
  readonly lasts_seconds: number;
  /** A session that ends with it. */
  readonly replaced?: string | undefined;
}

/**
 * Returns its id; null when the password or the second factor was changed meanwhile, or the replaced
 * session has ended.
 */
export async function beginSession(db: Db, session: NewSession): Promise<string | null> {
  const { login_id, password_hash, token_hash, second_factor, ip, user_agent } = session;
  const { lasts_seconds, replaced = null } = session;
  const text = 'select begin_session($1, $2, $3, $4, $5, $6, $7, $8) as id';
  const person = [login_id, password_hash, token_hash, second_factor];
  const values = [...person, ip, user_agent, lasts_seconds, replaced];
  const statement = { name: 'begin_session', text };
  return (await execute<{ id: string | null }>(db, statement, values))[0]!.id;
}

/** The password or a code was given again. False when the session has ended meanwhile. */
export async function confirmSession(db: Db, id: string): Promise<boolean> {
  const statement = { name: 'confirm_session', text: 'select confirm_session($1) as confirmed' };
  return (await execute<{ confirmed: boolean }>(db, statement, [id]))[0]!.confirmed;
}

export async function touchSession(db: Db, id: string): Promise<void> {
  await execute(db, { name: 'touch_session', text: 'select touch_session($1)' }, [id]);
}

/** False when the person does not belong to the account. */
export async function showInSession(
  db: Db,
  id: string,
  user_id: string,
  environment: Environment,
): Promise<boolean> {
  const text = 'select show_in_session($1, $2, $3) as shown';
  const values = [id, user_id, environment];
  return (await execute<{ shown: boolean }>(db, { name: 'show_in_session', text }, values))[0]!
    .shown;
}

export async function setSessionFlash(db: Db, id: string, flash: Buffer): Promise<void> {
  const text = 'select set_session_flash($1, $2)';
  await execute(db, { name: 'set_session_flash', text }, [id, flash]);
}

/** Null when there is none, or another request has taken it. */
export async function takeSessionFlash(db: Db, id: string): Promise<Buffer | null> {
  const text = 'select take_session_flash($1) as flash';
  const statement = { name: 'take_session_flash', text };
  return (await execute<{ flash: Buffer | null }>(db, statement, [id]))[0]!.flash;
}

export async function endSession(db: Db, login_id: string, id: string): Promise<boolean> {
  const text = 'select end_session($1, $2) as ended';
  const values = [login_id, id];
  return (
    (await execute<{ ended: number }>(db, { name: 'end_session', text }, values))[0]!.ended > 0
  );
}

/** Ends all sessions of the person but this one; all when it is null. Returns how many. */
export async function endOtherSessions(
  db: Db,
  login_id: string,
  kept: string | null,
): Promise<number> {
  const text = 'select end_other_sessions($1, $2) as ended';
  const statement = { name: 'end_other_sessions', text };
  return (await execute<{ ended: number }>(db, statement, [login_id, kept]))[0]!.ended;
}

export interface SessionAccountPair {
  readonly session_id: string;
  readonly user_id: string;
}

/** Which of these sessions are still signed in and belong to a person who may see that account. */
export async function findWatchingSessions(
  db: Db,
  pairs: readonly SessionAccountPair[],
): Promise<SessionAccountPair[]> {
  const text = `select s.id as session_id, m.user_id
                  from unnest($1::uuid[], $2::uuid[]) as pair (session_id, user_id)
                  join sessions s on s.id = pair.session_id
                  join memberships m on m.login_id = s.login_id and m.user_id = pair.user_id
                 where s.expires_at > clock_timestamp() and s.second_factor <> 'awaited'
                   and s.last_seen_at > clock_timestamp() - make_interval(secs => ${IDLE_SECONDS})`;
  const values = [pairs.map(({ session_id }) => session_id), pairs.map(({ user_id }) => user_id)];
  return lookUp<SessionAccountPair>(db, { name: 'find_watching_sessions', text }, values);
}
