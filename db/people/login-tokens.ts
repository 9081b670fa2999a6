// Tokens that are sent by mail, each worth something once.

import { callValue, calls, execute, type Db, type Tx } from '../connect';
import type { NewMail } from './mails';
import { mailsJson } from './news';

export interface NewLoginToken {
  readonly token_hash: Buffer;
  readonly kind: 'email' | 'password';
  readonly login_id: string;
  /** The address to which it is sent. */
  readonly email: string;
  readonly lasts_seconds: number;
}

export async function addLoginToken(db: Db | Tx, token: NewLoginToken): Promise<void> {
  const { token_hash, kind, login_id, email, lasts_seconds } = token;
  const values = [token_hash, kind, login_id, email, lasts_seconds];
  await callValue(db, 'add_login_token', values);
}

export interface LoginTokenRow {
  readonly login_id: string;
  readonly email: string;
  /** The link is the first proof of whose address it is: another person may have signed up with it. */
  readonly is_first_proof: boolean;
  readonly is_operator: boolean;
  /** The username of the account that the person owns, if any. */
  readonly username: string | null;
}

/** Undefined: unknown, used or expired. */
export async function findLoginToken(
  db: Db,
  token_hash: Buffer,
  kind: NewLoginToken['kind'],
): Promise<LoginTokenRow | undefined> {
  const text = `select t.login_id, t.email, l.email_verified_at is null as is_first_proof, l.is_operator,
       (select u.username from memberships m join users u on u.id = m.user_id
         where m.login_id = t.login_id and m.role = 'owner' limit 1) as username
     from login_tokens t join logins l on l.id = t.login_id
    where t.token_hash = $1 and t.kind = $2 and t.expires_at > clock_timestamp()`;
  const statement = { name: 'find_login_token', text };
  return (await execute<LoginTokenRow>(db, statement, [token_hash, kind]))[0];
}

/** False when the token is unknown, used or expired, or another login has confirmed the address. */
export async function confirmEmail(db: Db, token_hash: Buffer): Promise<boolean> {
  const text = 'select confirm_email($1) is not null as confirmed';
  const statement = { name: 'confirm_email', text };
  return (await execute<{ confirmed: boolean }>(db, statement, [token_hash]))[0]!.confirmed;
}

/**
 * The person, all of whose sessions have ended; null as `confirmEmail`. `mails` leave when other owners of the
 * person's account are removed by it.
 */
export async function resetPassword(
  db: Db,
  token_hash: Buffer,
  password_hash: string,
  mails: readonly NewMail[],
): Promise<string | null> {
  const values = [token_hash, password_hash, mailsJson(mails)];
  return callValue<string | null>(db, 'reset_password', values);
}

/** Deletes what has ended: sessions, tokens, counts of attempts, old mails. */
export const purgeSignIn = calls<(batch: number) => void>('purge_sign_in');
