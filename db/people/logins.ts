// The people who sign in to the dashboard, and what they sign in with.

import type { Language } from '../../domain/language';
import { normalLoginName } from '../../domain/username';
import { calls, execute, lookUp, type Db, type Tx } from '../connect';

export interface LoginRow {
  readonly id: string;
  readonly email: string;
  readonly password_hash: string;
  readonly language: Language | null;
  readonly has_totp: boolean;
  readonly is_operator: boolean;
  /** Other logins may name the address as well until it is. */
  readonly is_email_confirmed: boolean;
  /** The account that the person owns; null for one who was invited to others'. */
  readonly owned_user_id: string | null;
  readonly owned_username: string | null;
}

const COLUMNS = `l.id, l.email, l.password_hash, l.language,
  l.totp_confirmed_at is not null as has_totp, l.is_operator,
  l.email_verified_at is not null as is_email_confirmed,
  own.user_id as owned_user_id, own.username as owned_username`;
const OWNED = `left join lateral (
    select o.user_id, u.username from memberships o join users u on u.id = o.user_id
     where o.login_id = l.id and o.role = 'owner' order by o.created_at limit 1) own on true`;

const BY_EMAIL = {
  name: 'find_login_email',
  text: `select ${COLUMNS} from logins l ${OWNED}
          where l.email = $1 and l.email_verified_at is not null`,
};
const BY_ANY_EMAIL = {
  name: 'find_login_any_email',
  text: `select ${COLUMNS} from logins l ${OWNED} where l.email = $1
          order by l.email_verified_at is null, l.created_at desc limit 1`,
};
const BY_USERNAME = {
  name: 'find_login_name',
  text: `select ${COLUMNS} from users u
           join logins l on l.id = account_owner(u.id) ${OWNED}
          where u.username = $1`,
};

/** Finds a login by a confirmed e-mail address, or by the username of an account, as its first owner. */
export async function findLogin(
  db: Db | Tx,
  email_or_username: string,
): Promise<LoginRow | undefined> {
  const name = normalLoginName(email_or_username);
  const statement = name.includes('@') ? BY_EMAIL : BY_USERNAME;
  return (await execute<LoginRow>(db, statement, [name]))[0];
}

/**
 * The same for a link that only the address can receive: where no login has confirmed it, the one that named
 * it last.
 */
export async function findLoginToReset(
  db: Db,
  email_or_username: string,
): Promise<LoginRow | undefined> {
  const name = normalLoginName(email_or_username);
  const statement = name.includes('@') ? BY_ANY_EMAIL : BY_USERNAME;
  return (await execute<LoginRow>(db, statement, [name]))[0];
}

export async function getLogin(db: Db, id: string): Promise<LoginRow> {
  const text = `select ${COLUMNS} from logins l ${OWNED} where l.id = $1`;
  const [row] = await lookUp<LoginRow>(db, { name: 'get_login', text }, [id]);
  if (!row) throw new Error(`There is no login ${id}.`);
  return row;
}

/** Ends every session but `kept`; all when it is null. */
export const setPassword =
  calls<(login_id: string, password_hash: string, kept: string | null) => void>('set_password');

/** The same password, hashed anew; nothing when it was changed meanwhile. */
export const replacePasswordHash =
  calls<(login_id: string, old_hash: string, new_hash: string) => void>('replace_password_hash');

/** Nothing when the address is confirmed. */
export const correctEmail = calls<(login_id: string, email: string) => void>('correct_email');

export const setLoginLanguage =
  calls<(login_id: string, language: Language) => void>('set_login_language');
