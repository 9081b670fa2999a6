// Signs people in to the dashboard and out of it.

import type { Db } from '../db/connect';
import { findLogin, type LoginRow } from '../db/logins';
import { beginSession } from '../db/sessions';
import { hashPassword, verifyPassword } from '../secrets/hash';
import { hashSessionToken, makeSessionToken } from '../secrets/session-token';

/** However often it is used, a session ends after so long. */
export const SESSION_SECONDS = 7 * 24 * 60 * 60;

export interface SignInFields {
  readonly email_or_username: string;
  readonly password: string;
  readonly ip: string;
  readonly user_agent: string;
}

export type SignIn =
  | { readonly ok: true; readonly begun: BegunSession }
  /** Also for an unknown name: nobody learns who has an account. */
  | { readonly ok: false; readonly error: 'wrong' };

export interface BegunSession {
  /** For the browser's cookie; the database has its hash only. */
  readonly token: string;
  readonly session_id: string;
  readonly login: LoginRow;
  /** The second factor is set up, and has to be shown next. */
  readonly awaits_code: boolean;
}

export async function signIn({ db }: { readonly db: Db }, fields: SignInFields): Promise<SignIn> {
  const login = await findLogin(db, fields.email_or_username);
  // As long for an unknown name as for a wrong password.
  const isRight = await verifyPassword(fields.password, login?.password_hash ?? (await decoy()));
  if (!login || !isRight) return { ok: false, error: 'wrong' };
  const token = makeSessionToken();
  const session_id = await beginSession(db, {
    login_id: login.id,
    token_hash: hashSessionToken(token),
    second_factor: login.has_totp ? 'awaited' : 'none',
    ip: fields.ip,
    user_agent: fields.user_agent,
    lasts_seconds: SESSION_SECONDS,
  });
  return { ok: true, begun: { token, session_id, login, awaits_code: login.has_totp } };
}

let hashed: Promise<string> | undefined;

function decoy(): Promise<string> {
  return (hashed ??= hashPassword('nobody has this password'));
}
