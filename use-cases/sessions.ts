// Signs people in to the dashboard (docs/decisions/0055-signing-in.md).

import { beginActivity, endActivity } from '../db/activities';
import type { Db } from '../db/connect';
import { findLogin, normalName, replacePasswordHash, type LoginRow } from '../db/logins';
import { beginSession, type SecondFactor } from '../db/sessions';
import type { Devices } from '../secrets/device';
import {
  DECOY_HASH,
  hashPassword,
  isCurrentHash,
  PasswordsBusyError,
  verifyPassword,
} from '../secrets/password';
import { hashSessionToken, makeSessionToken } from '../secrets/session-token';
import { beginAttempt, dropAttempt, forgiveAttempt, type Attempt } from './attempts';

/** However often it is used, a session ends after so long. */
export const SESSION_SECONDS = 7 * 24 * 60 * 60;

export interface Browser {
  readonly ip: string;
  /** The address, or its /64. */
  readonly network: string;
  readonly user_agent: string;
  /** The cookie of secrets/device.ts. */
  readonly device: string | undefined;
}

export interface SignInFields extends Browser {
  readonly email_or_username: string;
  readonly password: string;
}

export interface SignInDependencies {
  readonly db: Db;
  readonly devices: Devices;
}

export type Waiting = { readonly ok: false; readonly error: 'wait'; readonly seconds: number };

export type SignIn =
  | { readonly ok: true; readonly begun: BegunSession }
  /** Also for an unknown name: nobody learns who has an account. */
  | { readonly ok: false; readonly error: 'wrong' }
  | Waiting;

export interface BegunSession {
  /** For the browser's cookie; the database has its hash only. */
  readonly token: string;
  readonly session_id: string;
  readonly login: LoginRow;
  /** The second factor is set up, and has to be shown next. */
  readonly awaits_code: boolean;
  /** For the browser's other cookie; undefined until every factor was shown. */
  readonly device: string | undefined;
}

/** @throws PasswordsBusyError */
export async function signIn(
  dependencies: SignInDependencies,
  fields: SignInFields,
): Promise<SignIn> {
  // Not begun when the password or the second factor was changed meanwhile: what is so now is asked once.
  return (
    (await trySignIn(dependencies, fields)) ??
    (await trySignIn(dependencies, fields)) ?? { ok: false, error: 'wrong' }
  );
}

async function trySignIn(
  { db, devices }: SignInDependencies,
  fields: SignInFields,
): Promise<SignIn | undefined> {
  const { password, network, device } = fields;
  const login = await findLogin(db, fields.email_or_username);
  const known = login && devices.find(device, login);
  const attempt = attemptOf(known, fields.email_or_username, network);
  const seconds = await beginAttempt(db, attempt);
  if (seconds > 0) return { ok: false, error: 'wait', seconds };
  // As long for an unknown name as for a wrong password.
  const isRight = await verifyInTime(db, attempt, () =>
    verifyPassword(password, login?.password_hash ?? DECOY_HASH, network),
  );
  if (!login || !isRight) return { ok: false, error: 'wrong' };
  await forgiveAttempt(db, [attempt.name, ...passwordNames(login)], attempt.address);
  const current = await renewHash(db, login, password, network);
  const { id: login_id, owned_user_id: user_id } = login;
  const activity = await beginActivity(db, {
    ...{ login_id, user_id, environment: 'sandbox', action: 'login.sign_in', ip: fields.ip },
  });
  const begun = await begin(db, current, fields, login.has_totp ? 'awaited' : 'none');
  await endActivity(db, activity, begun ? 'done' : 'refused', null);
  if (!begun) return undefined;
  return {
    ok: true,
    begun: {
      ...{ ...begun, login: current, awaits_code: login.has_totp },
      device: login.has_totp ? undefined : devices.add(device, current),
    },
  };
}

export type CheckedPassword =
  { readonly kind: 'right' | 'wrong' } | { readonly kind: 'wait'; readonly seconds: number };

/** Of somebody who is signed in, before what a stolen session must not do. @throws PasswordsBusyError */
export async function checkPassword(
  { db, devices }: SignInDependencies,
  login: LoginRow,
  password: string,
  { device, network }: Browser,
): Promise<CheckedPassword> {
  const attempt = attemptOf(devices.find(device, login), login.email, network);
  const seconds = await beginAttempt(db, attempt);
  if (seconds > 0) return { kind: 'wait', seconds };
  const isRight = await verifyInTime(db, attempt, () =>
    verifyPassword(password, login.password_hash, network),
  );
  if (!isRight) return { kind: 'wrong' };
  await forgiveAttempt(db, [attempt.name], attempt.address);
  return { kind: 'right' };
}

// A name that nobody has is counted as any other. By name, not by person: whoever tries both names of a
// person must not see that they are one's.
function attemptOf(known: string | undefined, name: string, network: string): Attempt {
  return known === undefined
    ? { name: passwordName(normalName(name)), address: network }
    : { name: deviceName(known), address: null };
}

/** A password that was not looked at does not count. */
async function verifyInTime<T>(db: Db, attempt: Attempt, verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    if (error instanceof PasswordsBusyError) await dropAttempt(db, attempt);
    throw error;
  }
}

export function deviceName(device: string): string {
  return `device ${device}`;
}

function passwordName(name: string): string {
  return `password ${name}`;
}

/** What wrong passwords of this person are counted by. */
export function passwordNames({ email, owned_username }: LoginRow): string[] {
  const names = [email, ...(owned_username === null ? [] : [owned_username])];
  return names.map((one) => passwordName(normalName(one)));
}

async function renewHash(
  db: Db,
  login: LoginRow,
  password: string,
  network: string,
): Promise<LoginRow> {
  const { id, password_hash: old_hash } = login;
  if (isCurrentHash(old_hash)) return login;
  try {
    const password_hash = await hashPassword(password, network);
    await replacePasswordHash(db, id, old_hash, password_hash);
    return { ...login, password_hash };
  } catch (error) {
    // The next time.
    if (error instanceof PasswordsBusyError) return login;
    throw error;
  }
}

/**
 * A new session; `replaced` ends, so that no token outlives the step that made it worth more. Undefined when
 * what was shown is worth nothing any more: the password or the second factor was changed meanwhile, or
 * `replaced` was signed out.
 */
export async function begin(
  db: Db,
  { id: login_id, password_hash }: Pick<LoginRow, 'id' | 'password_hash'>,
  { ip, user_agent }: Pick<Browser, 'ip' | 'user_agent'>,
  second_factor: SecondFactor,
  replaced?: string,
): Promise<Pick<BegunSession, 'token' | 'session_id'> | undefined> {
  const token = makeSessionToken();
  const session_id = await beginSession(db, {
    ...{ login_id, password_hash, token_hash: hashSessionToken(token), second_factor },
    ...{ ip, user_agent, lasts_seconds: SESSION_SECONDS, replaced },
  });
  return session_id === null ? undefined : { token, session_id };
}
