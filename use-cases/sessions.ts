// Signs people in to the dashboard (docs/decisions/people.md).

import { beginActivity, endActivity } from '../db/people/activities';
import type { Db } from '../db/connect';
import { findLogin, replacePasswordHash, type LoginRow } from '../db/people/logins';
import { beginSession, type SecondFactor } from '../db/people/sessions';
import { normalLoginName } from '../domain/username';
import type { Devices } from '../secrets/device';
import {
  DECOY_HASH,
  hashPassword,
  isCurrentHash,
  PasswordsBusyError,
  verifyPassword,
  type Caller,
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
  /**
   * A connection by the operators' role; undefined where this process serves no operators' pages.
   */
  readonly operator_db: Db | undefined;
  readonly devices: Devices;
}

/**
 * Only the operators' role writes an operator's ways to sign in.
 * @throws AP003 where it is not served
 */
export function signInDb(
  { db, operator_db }: Pick<SignInDependencies, 'db' | 'operator_db'>,
  { is_operator }: Pick<LoginRow, 'is_operator'>,
): Db {
  return is_operator ? (operator_db ?? db) : db;
}

export type Waiting = { readonly ok: false; readonly error: 'wait'; readonly seconds: number };

export type SignIn =
  | { readonly ok: true; readonly begun: BegunSession }
  /** An unknown name is answered so, too: the answer does not tell who has an account. */
  | { readonly ok: false; readonly error: 'wrong' }
  | Waiting;

export interface BegunSession {
  /** The token for the browser's cookie; the database has its hash only. */
  readonly token: string;
  readonly session_id: string;
  readonly login: LoginRow;
  /** The second factor is set up, and has to be shown next. */
  readonly awaits_code: boolean;
  /** The value of the browser's other cookie; undefined until every factor was shown. */
  readonly device: string | undefined;
}

/** @throws PasswordsBusyError */
export async function signIn(
  dependencies: SignInDependencies,
  fields: SignInFields,
): Promise<SignIn> {
  // The session is not begun when the password or the second factor was changed meanwhile: what is
  // so now is asked once.
  return (
    (await trySignIn(dependencies, fields)) ??
    (await trySignIn(dependencies, fields)) ?? { ok: false, error: 'wrong' }
  );
}

async function trySignIn(
  dependencies: SignInDependencies,
  fields: SignInFields,
): Promise<SignIn | undefined> {
  const { db, devices } = dependencies;
  const { password, network, device } = fields;
  const login = await findLogin(db, fields.email_or_username);
  const known = login && devices.find(device, login);
  const caller: Caller = { network, is_known: known !== undefined };
  const attempt = attemptOf(known, fields.email_or_username, network);
  const seconds = await beginAttempt(db, attempt);
  if (seconds > 0) return { ok: false, error: 'wait', seconds };
  // An unknown name takes as long as a wrong password.
  const isRight = await verifyInTime(db, attempt, () =>
    verifyPassword(password, login?.password_hash ?? DECOY_HASH, caller),
  );
  if (!login || !isRight) return { ok: false, error: 'wrong' };
  await forgiveAttempt(db, [attempt.name, ...passwordNames(login)], attempt.address);
  const current = await renewHash(signInDb(dependencies, login), login, password, caller);
  const begun = await openSession(dependencies, current, fields);
  return begun && { ok: true, begun };
}

/**
 * The session of a person who has shown all but the second factor. Undefined when what was shown is
 * worth nothing any more.
 */
export async function openSession(
  dependencies: SignInDependencies,
  login: LoginRow,
  browser: Browser,
): Promise<BegunSession | undefined> {
  const { db, devices } = dependencies;
  const { id: login_id, owned_user_id: user_id, has_totp: awaits_code } = login;
  const activity = await beginActivity(db, {
    login_id,
    user_id,
    environment: 'sandbox',
    action: 'login.sign_in',
    ip: browser.ip,
  });
  const begun = await begin(dependencies, login, browser, awaits_code ? 'awaited' : 'none');
  await endActivity(db, activity, begun ? 'done' : 'refused', null);
  if (!begun) return undefined;
  const device = awaits_code ? undefined : devices.add(browser.device, login);
  return { ...begun, login, awaits_code, device };
}

export type CheckedPassword =
  { readonly kind: 'right' | 'wrong' } | { readonly kind: 'wait'; readonly seconds: number };

/**
 * Checks the password of a person who is signed in, before what a stolen session must not do.
 * @throws PasswordsBusyError
 */
export async function checkPassword(
  { db, devices }: SignInDependencies,
  login: LoginRow,
  password: string,
  { device, network }: Browser,
): Promise<CheckedPassword> {
  const attempt = attemptOf(devices.find(device, login), namesOf(login)[0]!, network);
  const seconds = await beginAttempt(db, attempt);
  if (seconds > 0) return { kind: 'wait', seconds };
  const isRight = await verifyInTime(db, attempt, () =>
    verifyPassword(password, login.password_hash, { network, is_known: true }),
  );
  if (!isRight) return { kind: 'wrong' };
  await forgiveAttempt(db, [attempt.name], attempt.address);
  return { kind: 'right' };
}

// A name that no login has is counted as any other. Names are counted, not people: who tries both
// names of a person must not see that they are one's.
function attemptOf(known: string | undefined, name: string, network: string): Attempt {
  return known === undefined
    ? { name: passwordName(normalLoginName(name)), address: network }
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

/** Wrong passwords of this person are counted by these names. */
export function passwordNames(login: LoginRow): string[] {
  return namesOf(login).map((one) => passwordName(normalLoginName(one)));
}

/** The person signs in with these. An address that is not confirmed may be another person's. */
function namesOf({ email, is_email_confirmed, owned_username }: LoginRow): string[] {
  const names = owned_username === null ? [] : [owned_username];
  return is_email_confirmed ? [email, ...names] : names;
}

async function renewHash(
  db: Db,
  login: LoginRow,
  password: string,
  caller: Caller,
): Promise<LoginRow> {
  const { id, password_hash: old_hash } = login;
  if (isCurrentHash(old_hash)) return login;
  try {
    const password_hash = await hashPassword(password, caller);
    await replacePasswordHash(db, id, old_hash, password_hash);
    return { ...login, password_hash };
  } catch (error) {
    // The next time.
    if (error instanceof PasswordsBusyError) return login;
    throw error;
  }
}

/**
 * A new session; `replaced` ends, so that no token outlives the step that made it worth more.
 * Undefined when what was shown is worth nothing any more: the password or the second factor was
 * changed meanwhile, or `replaced` was signed out.
 */
export async function begin(
  dependencies: Pick<SignInDependencies, 'db' | 'operator_db'>,
  login: Pick<LoginRow, 'id' | 'password_hash' | 'is_operator'>,
  { ip, user_agent }: Pick<Browser, 'ip' | 'user_agent'>,
  second_factor: SecondFactor,
  replaced?: string,
): Promise<Pick<BegunSession, 'token' | 'session_id'> | undefined> {
  const token = makeSessionToken();
  const session_id = await beginSession(signInDb(dependencies, login), {
    login_id: login.id,
    password_hash: login.password_hash,
    token_hash: hashSessionToken(token),
    second_factor,
    ip,
    user_agent,
    lasts_seconds: SESSION_SECONDS,
    replaced,
  });
  return session_id === null ? undefined : { token, session_id };
}
