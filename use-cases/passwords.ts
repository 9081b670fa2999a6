// Forgotten and changed passwords.

import {
  findLoginToken,
  resetPassword as resetInDatabase,
  addLoginToken,
  type LoginTokenRow,
} from '../db/people/login-tokens';
import { findLoginToReset, getLogin, setPassword, type LoginRow } from '../db/people/logins';
import type { NewMail } from '../db/people/mails';
import { listReaders } from '../db/people/news';
import { listAccountsOf } from '../db/people/team';
import type { Language } from '../domain/language';
import type { PasswordFault } from '../domain/password';
import { hashPassword } from '../secrets/password';
import { hashSessionToken, isSessionToken, makeSessionToken } from '../secrets/session-token';
import { forgiveAttempt, takeLimited } from './attempts';
import { MAIL_TEXTS } from './mail-texts';
import { mailIn, queueMail, sealMail } from './mails';
import { findNewPasswordFault } from './new-password';
import { sendNotice, type Writing } from './registration';
import { passwordNames, signInDb } from './sessions';

const RESET_SECONDS = 60 * 60;

/** Sends the link, if a login has the address; the answer does not tell whether. */
export async function sendResetLink(
  writing: Writing,
  email_or_username: string,
  language: Language,
): Promise<void> {
  const { db, sealer, wakeMail, dashboard_url } = writing;
  const login = await findLoginToReset(db, email_or_username);
  if (!login) return;
  if ((await takeLimited(db, 'mails for a new password, to', login.email)) > 0) return;
  const token = makeSessionToken();
  const text = MAIL_TEXTS[login.language ?? language].reset(
    login.owned_username,
    `${dashboard_url}/password/reset?token=${token}`,
  );
  const id = await signInDb(writing, login).transaction(async (tx) => {
    await addLoginToken(tx, {
      token_hash: hashSessionToken(token),
      kind: 'password',
      login_id: login.id,
      email: login.email,
      lasts_seconds: RESET_SECONDS,
    });
    return queueMail({ db: tx, sealer }, { to: login.email, ...text });
  });
  wakeMail(id);
}

export type PasswordReset =
  | { readonly ok: true; readonly login: LoginRow }
  | { readonly ok: false; readonly error: PasswordFault | 'unknown_token' };

/** Ends all sessions of the person, and tells them. @throws PasswordsBusyError */
export async function resetPassword(
  writing: Writing,
  { token, password, network, language }: ResetFields,
): Promise<PasswordReset> {
  const { db } = writing;
  const found =
    isSessionToken(token) && (await findLoginToken(db, hashSessionToken(token), 'password'));
  // Looked at before the hash, which costs more.
  if (!found) return { ok: false, error: 'unknown_token' };
  const fault = await findNewPasswordFault(password, [
    found.email,
    ...(found.username ? [found.username] : []),
  ]);
  if (fault) return { ok: false, error: fault };
  const password_hash = await hashPassword(password, { network, is_known: true });
  const mails = found.is_first_proof ? await mailsToRemovedOwners(writing, found) : [];
  const login_id = await resetInDatabase(
    signInDb(writing, found),
    hashSessionToken(token),
    password_hash,
    mails,
  );
  if (login_id === null) return { ok: false, error: 'unknown_token' };
  mails.forEach(({ id }) => writing.wakeMail(id));
  const login = await getLogin(db, login_id);
  // A person who was kept waiting by others' wrong passwords gets in with the new one.
  await forgiveAttempt(db, passwordNames(login), null);
  await tellOfChange(writing, login, { language, is_first_proof: found.is_first_proof });
  return { ok: true, login };
}

/** The person, whose address is confirmed only with the new password, is told of that. */
async function mailsToRemovedOwners(
  { db, sealer, dashboard_url }: Writing,
  { login_id, email }: LoginTokenRow,
): Promise<NewMail[]> {
  const accounts = await listAccountsOf(db, login_id);
  const mails = accounts
    .filter(({ role }) => role === 'owner')
    .map(async ({ user_id, username }) =>
      (await listReaders(db, user_id, 'owner')).map((owner) =>
        sealMail(
          sealer,
          mailIn(owner, (language) =>
            MAIL_TEXTS[language].owner_removed(
              username,
              owner.email,
              email,
              `${dashboard_url}/team`,
            ),
          ),
        ),
      ),
    );
  return (await Promise.all(mails)).flat();
}

interface ResetFields {
  readonly token: string;
  readonly password: string;
  readonly network: string;
  readonly language: Language;
}

/** The old one was verified. Ends all other sessions. @throws PasswordsBusyError */
export async function changePassword(
  writing: Writing,
  login: LoginRow,
  { password, network, language, session_id }: ChangeFields,
): Promise<PasswordFault | undefined> {
  const names = [login.email, ...(login.owned_username ? [login.owned_username] : [])];
  const fault = await findNewPasswordFault(password, names);
  if (fault) return fault;
  const password_hash = await hashPassword(password, { network, is_known: true });
  await setPassword(signInDb(writing, login), login.id, password_hash, session_id);
  await tellOfChange(writing, login, { language, is_first_proof: false });
  return undefined;
}

interface ChangeFields extends Omit<ResetFields, 'token'> {
  readonly session_id: string;
}

function tellOfChange(
  writing: Writing,
  login: LoginRow,
  { language, is_first_proof }: { readonly language: Language; readonly is_first_proof: boolean },
): Promise<void> {
  const text = MAIL_TEXTS[login.language ?? language].password_changed(
    `${writing.dashboard_url}/password/forgotten`,
    is_first_proof,
  );
  return sendNotice(writing, { to: login.email, ...text });
}
