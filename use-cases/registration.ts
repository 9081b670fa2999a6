// Signing up by oneself, and confirming the e-mail address, which signs in. Whether another account has the address
// is said to its owner only, by mail (docs/decisions/people.md).

import type { Db, Tx } from '../db/connect';
import { addLoginToken, confirmEmail, findLoginToken } from '../db/people/login-tokens';
import {
  correctEmail,
  findLogin,
  getLogin,
  setLoginLanguage,
  type LoginRow,
} from '../db/people/logins';
import { endSession } from '../db/people/sessions';
import { findUserByName } from '../db/accounts/users';
import { readEmail } from '../domain/email';
import type { Language } from '../domain/language';
import { isUsername, normalUsername, proposeUsername } from '../domain/username';
import type { Sealer } from '../secrets/seal';
import { hashSessionToken, isSessionToken, makeSessionToken } from '../secrets/session-token';
import { takeAgain, takeLimited } from './attempts';
import { MAIL_TEXTS } from './mail-texts';
import { queueMail, type Mail } from './mails';
import {
  openSession,
  signIn,
  type BegunSession,
  type Browser,
  type SignIn,
  type SignInDependencies,
} from './sessions';
import { signUp, type SignUpFault, type SignUpFields } from './users';

/** The dependencies of a use case that writes to people. */
export interface Writing {
  readonly db: Db;
  /**
   * A connection by the operators' role, which writes what operators sign in with; undefined in a
   * process without that role.
   */
  readonly operator_db: Db | undefined;
  readonly sealer: Sealer;
  readonly wakeMail: (id: string) => void;
  /** The dashboard's address, without a slash at its end. */
  readonly dashboard_url: string;
}

const CONFIRMATION_SECONDS = 3 * 24 * 60 * 60;

export interface RegistrationFields extends SignUpFields {
  readonly language: Language;
  /** The address, or its /64. */
  readonly network: string;
}

export type RegistrationFault = Exclude<SignUpFault, 'email_taken'>;

export type Registration =
  | { readonly ok: true; readonly login: LoginRow }
  | { readonly ok: false; readonly error: 'invalid'; readonly faults: readonly RegistrationFault[] }
  | { readonly ok: false; readonly error: 'wait'; readonly seconds: number };

/** @throws PasswordsBusyError */
export async function register(
  writing: Writing,
  { language, network, ...fields }: RegistrationFields,
): Promise<Registration> {
  const { db } = writing;
  const seconds = await takeLimited(db, 'sign-ups at the address', network);
  if (seconds > 0) return { ok: false, error: 'wait', seconds };
  let mail_id: string | undefined;
  let login: LoginRow | undefined;
  const also = async (tx: Tx, user: { readonly email: string; readonly username: string }) => {
    login = (await findLogin(tx, user.username))!;
    await setLoginLanguage(tx, login.id, language);
    if ((await takeLimited(tx, 'mails for a sign-up, to', user.email)) > 0) return;
    mail_id = await queueWelcome({ ...writing, db: tx }, login, language);
  };
  const username = await chooseUsername(db, fields);
  const caller = { network, is_known: false };
  const made = await signUp({ db, also, caller }, { ...fields, username });
  if (!made.ok) {
    const faults = made.errors.filter((error) => error !== 'email_taken');
    if (faults.length < made.errors.length) throw new Error('Signing up claimed an address.');
    return { ok: false, error: 'invalid', faults };
  }
  if (mail_id !== undefined) writing.wakeMail(mail_id);
  return { ok: true, login: login! };
}

/** More people of one name choose another by themselves. */
const MOST_OF_A_NAME = 9;

/** The one that was typed, in the form of one; without one, a free one made of the shop's or the person's name. */
async function chooseUsername(
  db: Db,
  { username: typed, display_name = '', first_name, last_name }: SignUpFields,
): Promise<string> {
  if (typed !== '') return isUsername(normalUsername(typed)) ? typed : proposeUsername(typed);
  const name = proposeUsername(display_name || `${first_name} ${last_name}`);
  for (let number = 1; number <= MOST_OF_A_NAME; number += 1) {
    const one = number === 1 ? name : `${name}${number}`;
    if (!isUsername(one) || !(await findUserByName(db, one))) return one;
  }
  return name;
}

const AGAIN_SECONDS = 30;

export type SentAgain =
  | { readonly ok: true; readonly email: string }
  | { readonly ok: false; readonly error: 'unknown' | 'invalid_email' | 'mail_limit' }
  | { readonly ok: false; readonly error: 'wait'; readonly seconds: number };

/** The browser that signed up asks for the link once more, also at another address while none is confirmed. */
export async function sendAgain(
  writing: Writing & Pick<SignInDependencies, 'devices'>,
  {
    username,
    email: typed,
    language,
    ...browser
  }: Pick<Browser, 'device' | 'network'> & {
    readonly username: string;
    readonly email: string;
    readonly language: Language;
  },
): Promise<SentAgain> {
  const { db } = writing;
  const login = await findLogin(db, username);
  const isOwn = login && isOwnBrowser(writing, login, { ...browser, signed_in_as: undefined });
  if (!isOwn || login.is_email_confirmed) return { ok: false, error: 'unknown' };
  const email = readEmail(typed);
  if (email === undefined) return { ok: false, error: 'invalid_email' };
  const seconds =
    (await takeAgain(db, 'a link again for', login.id, AGAIN_SECONDS)) ||
    (await takeLimited(db, 'mails requested at the address', browser.network));
  if (seconds > 0) return { ok: false, error: 'wait', seconds };
  if (email !== login.email) await correctEmail(db, login.id, email);
  const isSent = await sendConfirmation(writing, { ...login, email }, language);
  return isSent ? { ok: true, email } : { ok: false, error: 'mail_limit' };
}

/** Finds whose address a link would confirm; undefined: it is unknown, used or too old. */
export async function findConfirmed(db: Db, token: string): Promise<LoginRow | undefined> {
  if (!isSessionToken(token)) return undefined;
  const found = await findLoginToken(db, hashSessionToken(token), 'email');
  return found && getLogin(db, found.login_id);
}

/**
 * Whether the browser is one of who has chosen the login's password: the browser that signed up, or
 * has signed in since. The link alone says only whose address it is
 * (docs/decisions/people.md).
 */
export function isOwnBrowser(
  { devices }: Pick<SignInDependencies, 'devices'>,
  login: LoginRow,
  { device, signed_in_as }: Pick<ConfirmationFields, 'device' | 'signed_in_as'>,
): boolean {
  return signed_in_as === login.id || devices.find(device, login) !== undefined;
}

export interface ConfirmationFields extends Browser {
  readonly token: string;
  /** Looked at where the browser is not one of the person's. */
  readonly password: string;
  /** The login of the browser's session. */
  readonly signed_in_as: string | undefined;
}

export type Confirmation =
  /** Nothing is begun where the person is signed in, or the password was changed meanwhile. */
  | { readonly ok: true; readonly begun: BegunSession | undefined }
  | { readonly ok: false; readonly error: 'unknown_token' }
  | Extract<SignIn, { readonly ok: false }>;

/** Confirms the address and signs the person in. @throws PasswordsBusyError */
export async function confirmAddress(
  dependencies: SignInDependencies,
  fields: ConfirmationFields,
): Promise<Confirmation> {
  const { db } = dependencies;
  const { token, signed_in_as } = fields;
  const login = await findConfirmed(db, token);
  if (!login) return { ok: false, error: 'unknown_token' };
  const confirm = () => confirmEmail(db, hashSessionToken(token));
  if (!isOwnBrowser(dependencies, login, fields)) {
    const email_or_username = login.owned_username ?? login.email;
    const signed_in = await signIn(dependencies, { ...fields, email_or_username });
    if (!signed_in.ok) return signed_in;
    if (await confirm()) return signed_in;
    await endSession(db, login.id, signed_in.begun.session_id);
    return { ok: false, error: 'unknown_token' };
  }
  if (!(await confirm())) return { ok: false, error: 'unknown_token' };
  if (signed_in_as === login.id) return { ok: true, begun: undefined };
  return { ok: true, begun: await openSession(dependencies, login, fields) };
}

/** Sends the link once more. `false` when this address has had too many mails lately. */
export async function sendConfirmation(
  writing: Writing,
  login: LoginRow,
  language: Language,
): Promise<boolean> {
  if ((await takeLimited(writing.db, 'mails for a confirmation, to', login.email)) > 0)
    return false;
  writing.wakeMail(await queueWelcome(writing, login, language));
  return true;
}

/**
 * The link that confirms the address; where another login has confirmed it, a word to its owner
 * instead.
 */
async function queueWelcome(
  { db, sealer, dashboard_url }: Omit<Writing, 'db'> & { readonly db: Db | Tx },
  { id, email, owned_username }: LoginRow,
  language: Language,
): Promise<string> {
  const username = owned_username ?? email;
  const owner = await findLogin(db, email);
  if (owner) {
    const text = MAIL_TEXTS[owner.language ?? language].has_account(
      username,
      `${dashboard_url}/sign-in`,
      `${dashboard_url}/password/forgotten`,
    );
    return queueMail({ db, sealer }, { to: email, ...text });
  }
  const token = makeSessionToken();
  await addLoginToken(db, {
    token_hash: hashSessionToken(token),
    kind: 'email',
    login_id: id,
    email,
    lasts_seconds: CONFIRMATION_SECONDS,
  });
  const link = `${dashboard_url}/email/confirm?token=${token}`;
  return queueMail({ db, sealer }, { to: email, ...MAIL_TEXTS[language].confirm(username, link) });
}

/** A mail about nothing that has to be written together with it. */
async function sendNow({ db, sealer, wakeMail }: Writing, mail: Mail): Promise<void> {
  wakeMail(await queueMail({ db, sealer }, mail));
}

/**
 * Mails a change of a person's own login. The address may not be confirmed, so the
 * changes of a person who signed up with another's must not flood it.
 */
export async function sendNotice(writing: Writing, mail: Mail): Promise<void> {
  if ((await takeLimited(writing.db, 'notices to', mail.to)) === 0) await sendNow(writing, mail);
}
