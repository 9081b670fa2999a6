// Signing up by oneself, and confirming the e-mail address. Whether an address has an account is said to
// its owner only, by mail.

import type { Db } from '../db/connect';
import { addLoginToken } from '../db/login-tokens';
import { findLogin, type LoginRow } from '../db/logins';
import type { Tx } from '../db/connect';
import type { Language } from '../domain/language';
import type { Sealer } from '../secrets/seal';
import { hashSessionToken, makeSessionToken } from '../secrets/session-token';
import { takeMailTo, takeNoticeTo, takeSignUp } from './attempts';
import { MAIL_TEXTS } from './mail-texts';
import { queueMail, type Mail } from './mails';
import { signUp, type SignUpFault, type SignUpFields } from './users';

/** What a use case that writes to people needs. */
export interface Writing {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly wakeMail: (id: string) => void;
  /** Of the dashboard, without a slash at its end. */
  readonly dashboard_url: string;
}

const CONFIRMATION_SECONDS = 3 * 24 * 60 * 60;

export interface RegistrationFields extends SignUpFields {
  readonly language: Language;
  /** The address, or its /64. */
  readonly network: string;
}

export type Registration =
  /** Also for an address that has an account: its owner gets a mail. */
  | { readonly ok: true }
  | { readonly ok: false; readonly error: Exclude<SignUpFault, 'email_taken'> }
  | { readonly ok: false; readonly error: 'wait'; readonly seconds: number };

/** @throws PasswordsBusyError */
export async function register(
  writing: Writing,
  { language, network, ...fields }: RegistrationFields,
): Promise<Registration> {
  const { db } = writing;
  const seconds = await takeSignUp(db, network);
  if (seconds > 0) return { ok: false, error: 'wait', seconds };
  let mail_id: string | undefined;
  const also = async (tx: Tx): Promise<void> => {
    const { id } = (await findLogin(tx, fields.email))!;
    mail_id = await queueConfirmation(
      { ...writing, db: tx },
      { id, email: fields.email },
      language,
    );
  };
  const made = await signUp({ db, also, caller: network }, fields);
  if (made.ok) {
    if (mail_id !== undefined) writing.wakeMail(mail_id);
    return { ok: true };
  }
  if (made.error !== 'email_taken') return { ok: false, error: made.error };
  if ((await takeMailTo(db, fields.email, 'sign-up')) === 0) {
    const { dashboard_url } = writing;
    const owner = await findLogin(db, fields.email);
    const text = MAIL_TEXTS[owner?.language ?? language].has_account(
      `${dashboard_url}/sign-in`,
      `${dashboard_url}/password/forgotten`,
    );
    await sendNow(writing, { to: owner?.email ?? fields.email, ...text });
  }
  return { ok: true };
}

/** Sends the link once more. `false` when this address has had too many mails lately. */
export async function sendConfirmation(
  writing: Writing,
  login: Pick<LoginRow, 'id' | 'email'>,
  language: Language,
): Promise<boolean> {
  if ((await takeMailTo(writing.db, login.email, 'confirmation')) > 0) return false;
  writing.wakeMail(await queueConfirmation(writing, login, language));
  return true;
}

async function queueConfirmation(
  { db, sealer, dashboard_url }: Omit<Writing, 'db'> & { readonly db: Db | Tx },
  { id, email }: Pick<LoginRow, 'id' | 'email'>,
  language: Language,
): Promise<string> {
  const token = makeSessionToken();
  await addLoginToken(db, {
    ...{ token_hash: hashSessionToken(token), kind: 'email', login_id: id, email },
    lasts_seconds: CONFIRMATION_SECONDS,
  });
  const text = MAIL_TEXTS[language].confirm(`${dashboard_url}/email/confirm?token=${token}`);
  return queueMail({ db, sealer }, { to: email, ...text });
}

/** A mail about nothing that has to be written together with it. */
async function sendNow({ db, sealer, wakeMail }: Writing, mail: Mail): Promise<void> {
  wakeMail(await queueMail({ db, sealer }, mail));
}

/**
 * What was changed about somebody's own login. The address may not be confirmed, so that the changes of a
 * person who signed up with somebody else's must not flood it.
 */
export async function sendNotice(writing: Writing, mail: Mail): Promise<void> {
  if ((await takeNoticeTo(writing.db, mail.to)) === 0) await sendNow(writing, mail);
}
