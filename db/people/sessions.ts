// Sessions of the dashboard (docs/decisions/dashboard.md).

import type { Environment } from '../../domain/environment';
import type { Language } from '../../domain/language';
import type { MemberRole } from '../../domain/members';
import { columns, type RowOf } from '../columns';
import { callValue, calls, lookUp, type Db } from '../connect';

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
  /** Since when the check waits for its decision. */
  readonly kyc_since: string | null;
  readonly is_frozen: boolean;
  /** The account has or had an API key. */
  readonly has_key: boolean;
  /** The account has or had an endpoint for webhooks. */
  readonly has_endpoint: boolean;
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
                  'kyc_since', case when u.kyc_status = 'pending' then (
                    select instant(max(c.created_at)) from identity_checks c
                     where c.user_id = u.id and c.status = 'pending') end,
                  'is_frozen', u.frozen_at is not null, 'role', m.role,
                  'has_key', exists (select from api_keys k where k.user_id = u.id),
                  'has_endpoint', exists (select from webhook_endpoints w where w.user_id = u.id)
                ) end as account
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

const LISTED = columns('sessions s: id ip user_agent created_at last_seen_at');
/** A browser that is signed in. */
export type ListedSession = RowOf<typeof LISTED>;

/** More than anybody has. */
const MAX_LISTED = 100;

/** Those of a person, the latest used first. */
export async function listSessions(db: Db, login_id: string): Promise<ListedSession[]> {
  const text = `select ${LISTED} from sessions s
     where s.login_id = $1 and s.second_factor <> 'awaited' and s.expires_at > clock_timestamp()
       and s.last_seen_at > clock_timestamp() - make_interval(secs => ${IDLE_SECONDS})
     order by s.last_seen_at desc limit ${MAX_LISTED}`;
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
  const person = [login_id, password_hash, token_hash, second_factor];
  const values = [...person, ip, user_agent, lasts_seconds, replaced];
  return callValue<string | null>(db, 'begin_session', values);
}

/** The password or a code was given again. False when the session has ended meanwhile. */
export const confirmSession = calls<(id: string) => boolean>('confirm_session');

export const touchSession = calls<(id: string) => void>('touch_session');

/** False when the person does not belong to the account. */
export const showInSession =
  calls<(id: string, user_id: string, environment: Environment) => boolean>('show_in_session');

export const setSessionFlash = calls<(id: string, flash: Buffer) => void>('set_session_flash');

/** Null when there is none, or another request has taken it. */
export const takeSessionFlash = calls<(id: string) => Buffer | null>('take_session_flash');

export async function endSession(db: Db, login_id: string, id: string): Promise<boolean> {
  const values = [login_id, id];
  return (await callValue<number>(db, 'end_session', values)) > 0;
}

/** Ends all sessions of the person but this one; all when it is null. Returns how many. */
export const endOtherSessions =
  calls<(login_id: string, kept: string | null) => number>('end_other_sessions');
