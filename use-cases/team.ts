// The people of an account: invited by mail, accepting, leaving. Every owner gets a mail when a person becomes an owner
// or stops being one, also the owner who did it (docs/decisions/payouts.md).

import type { Tx } from '../db/connect';
import { isUniqueViolation } from '../db/errors';
import { getLogin } from '../db/people/logins';
import { insertMail, type NewMail } from '../db/people/mails';
import { listReaders } from '../db/people/news';
import {
  acceptInvitation,
  changeMemberRole,
  findInvitation,
  inviteMember,
  joinByInvitation,
  removeMember,
  renewInvitation,
  type EndedRights,
  type MemberChange,
  type MemberRow,
  type OfAccount,
  type OpenInvitation,
} from '../db/people/team';
import { readEmail } from '../domain/email';
import type { Language } from '../domain/language';
import type { MemberRole } from '../domain/members';
import type { PasswordFault } from '../domain/password';
import { hashPassword } from '../secrets/password';
import { hashSessionToken, makeSessionToken } from '../secrets/session-token';
import { takeLimited } from './attempts';
import { MAIL_TEXTS } from './mail-texts';
import { mailIn, queueMail, sealForOwners, sealMail } from './mails';
import { findNewPasswordFault } from './new-password';
import { oneLine, withoutLinks } from './receipts';
import type { Writing } from './registration';
import { begin, type BegunSession, type Browser, type SignInDependencies } from './sessions';

const INVITATION_SECONDS = 7 * 24 * 60 * 60;

export type InvitationFault = 'invalid_email' | 'member' | 'limit' | 'mail_limit' | 'not_owner';

export interface Inviting {
  readonly account: { readonly user_id: string; readonly username: string };
  readonly invited_by: string;
  /** The mail's language: that of the person who invites. */
  readonly language: Language;
}

/** Undefined: the mail is on its way. */
export async function invite(
  writing: Writing,
  { account, invited_by, language }: Inviting,
  { role, ...given }: { readonly email: string; readonly role: MemberRole },
): Promise<InvitationFault | undefined> {
  const { db, sealer, wakeMail } = writing;
  const email = readEmail(given.email);
  if (email === undefined) return 'invalid_email';
  if (await isOverLimit(writing, account.user_id, email)) return 'mail_limit';
  const token = makeSessionToken();
  const fields = { ...tokenFields(token), user_id: account.user_id, email, role, invited_by };
  const written = await db.transaction(async (tx) => {
    const outcome = await inviteMember(tx, fields);
    if (outcome !== 'invited') return { fault: outcome };
    const text = textOf(writing, account.username, token, language);
    return { id: await queueMail({ db: tx, sealer }, { to: email, ...text }) };
  });
  if (written.id === undefined) return written.fault;
  wakeMail(written.id);
  return undefined;
}

/** Sends a new link; the old one is worth nothing from then on. `not_found`: another account's. */
export async function inviteAgain(
  writing: Writing,
  { account, language }: Omit<Inviting, 'invited_by'>,
  invitation: { readonly id: string; readonly email: string },
): Promise<'sent' | 'not_found' | 'mail_limit'> {
  const { db, sealer, wakeMail } = writing;
  if (await isOverLimit(writing, account.user_id, invitation.email)) return 'mail_limit';
  const token = makeSessionToken();
  const id = await db.transaction(async (tx) => {
    const to = await renewInvitation(tx, account.user_id, invitation.id, tokenFields(token));
    if (to === undefined) return undefined;
    const text = textOf(writing, account.username, token, language);
    return queueMail({ db: tx, sealer }, { to, ...text });
  });
  if (id === undefined) return 'not_found';
  wakeMail(id);
  return 'sent';
}

async function isOverLimit({ db }: Writing, user_id: string, email: string): Promise<boolean> {
  return (
    (await takeLimited(db, 'invitations by the account', user_id)) > 0 ||
    (await takeLimited(db, 'mails for an invitation, to', email)) > 0
  );
}

function tokenFields(token: string) {
  return { token_hash: hashSessionToken(token), lasts_seconds: INVITATION_SECONDS };
}

function textOf({ dashboard_url }: Writing, username: string, token: string, language: Language) {
  const link = `${dashboard_url}/invitation?token=${token}`;
  return MAIL_TEXTS[language].invitation(username, link);
}

/** The account; null when the link is worth nothing any more. */
export async function acceptAs(
  writing: Writing,
  { token, invitation }: { readonly token: string; readonly invitation: OpenInvitation },
  { login_id, email }: Pick<MemberRow, 'login_id' | 'email'>,
): Promise<string | null> {
  const mails = await mailsOfJoining(writing, invitation, email);
  const joined = await acceptInvitation(writing.db, hashSessionToken(token), login_id, mails);
  if (joined !== null) wakeMails(writing, mails);
  return joined;
}

export type Joined =
  | { readonly ok: true; readonly begun: BegunSession; readonly user_id: string }
  | { readonly ok: false; readonly error: PasswordFault | 'unknown_token' | 'has_login' };

/**
 * A new person, who is signed in at once: the link has confirmed the address.
 * @throws PasswordsBusyError
 */
export async function joinAsNew(
  dependencies: SignInDependencies & Writing,
  { token, password, language, browser }: JoinFields,
): Promise<Joined> {
  const { db, devices } = dependencies;
  const token_hash = hashSessionToken(token);
  const invitation = await findInvitation(db, token_hash);
  if (!invitation) return { ok: false, error: 'unknown_token' };
  if (invitation.has_login) return { ok: false, error: 'has_login' };
  const fault = await findNewPasswordFault(password, [invitation.email]);
  if (fault) return { ok: false, error: fault };
  const password_hash = await hashPassword(password, {
    network: browser.network,
    is_known: true,
  });
  try {
    const mails = await mailsOfJoining(dependencies, invitation, invitation.email);
    const login_id = await joinByInvitation(db, token_hash, { password_hash, language }, mails);
    if (login_id === null) return { ok: false, error: 'unknown_token' };
    wakeMails(dependencies, mails);
    const login = await getLogin(db, login_id);
    const begun = await begin(dependencies, login, browser, 'none');
    if (!begun) return { ok: false, error: 'has_login' };
    const device = devices.add(browser.device, login);
    const { user_id } = invitation;
    return { ok: true, user_id, begun: { ...begun, login, awaits_code: false, device } };
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return { ok: false, error: 'has_login' };
  }
}

interface JoinFields {
  readonly token: string;
  readonly password: string;
  readonly language: Language;
  readonly browser: Browser;
}

export interface TeamChange {
  readonly account: Inviting['account'];
  readonly member: MemberRow;
  /** The e-mail address of who changes it. */
  readonly changed_by: string;
}

export async function changeRole(
  writing: Writing,
  change: TeamChange,
  role: MemberRole,
): Promise<MemberChange> {
  const mails = await mailsOfChange(writing, change, role === 'owner');
  const is_told = (change.member.role === 'owner') !== (role === 'owner');
  return tellOfEnded(writing, change, is_told ? mails : [], (tx, of) =>
    changeMemberRole(tx, of, role, mails),
  );
}

/** This is also how people leave by themselves. */
export async function remove(writing: Writing, change: TeamChange): Promise<MemberChange> {
  const mails = await mailsOfChange(writing, change, false);
  return tellOfEnded(writing, change, change.member.role === 'owner' ? mails : [], (tx, of) =>
    removeMember(tx, of, mails),
  );
}

/** Mails the owners by name what ended with the person's role, in the transaction that ended it. */
async function tellOfEnded(
  writing: Writing,
  { account: { user_id, username }, member, changed_by }: TeamChange,
  mails: readonly NewMail[],
  act: (tx: Tx, of: OfAccount) => Promise<MemberChange>,
): Promise<MemberChange> {
  const owners = await listReaders(writing.db, user_id, 'owner');
  const { change, told } = await writing.db.transaction(async (tx) => {
    const changed = await act(tx, { user_id, login_id: member.login_id });
    const { ended } = changed;
    if (ended === null) return { change: changed, told: [] };
    const write = (language: Language) =>
      MAIL_TEXTS[language].rights_ended(
        username,
        member.email,
        changed_by,
        endedLines(language, ended).join('\n'),
        teamPage(writing),
      );
    const sealed = owners.map((owner) => sealMail(writing.sealer, mailIn(owner, write)));
    for (const mail of sealed) await insertMail(tx, mail);
    return { change: changed, told: sealed };
  });
  if (change.outcome === 'done') wakeMails(writing, [...mails, ...told]);
  return change;
}

/** For the mail and the page: what ended, each by its name. */
export function endedLines(language: Language, { keys, invitations }: EndedRights): string[] {
  const words = MAIL_TEXTS[language];
  const nameOf = ({ name, key_prefix, last_four }: EndedRights['keys'][number]): string =>
    `${withoutLinks(oneLine(name))} ${key_prefix}_…${last_four}`.trim();
  const named = (are_revoked: boolean): string =>
    keys
      .filter(({ is_revoked }) => is_revoked === are_revoked)
      .map(nameOf)
      .join(', ');
  return [
    [named(true), words.keys_revoked] as const,
    [named(false), words.keys_cut] as const,
    [invitations.join(', '), words.invitations_ended] as const,
  ].flatMap(([names, write]) => (names === '' ? [] : [write(names)]));
}

/** None for another role. */
async function mailsOfJoining(
  writing: Writing,
  { user_id, username, role, invited_by }: OpenInvitation,
  person: string,
): Promise<NewMail[]> {
  if (role !== 'owner') return [];
  return sealForOwners(writing, user_id, (language) =>
    MAIL_TEXTS[language].owner_made(username, person, invited_by, teamPage(writing)),
  );
}

/** Written for any change: the database knows whether it is one of an owner, and keeps them only then. */
function mailsOfChange(
  writing: Writing,
  { account: { user_id, username }, member, changed_by }: TeamChange,
  is_owner: boolean,
): Promise<NewMail[]> {
  return sealForOwners(writing, user_id, (language) => {
    const texts = MAIL_TEXTS[language];
    const write = is_owner ? texts.owner_made : texts.owner_removed;
    return write(username, member.email, changed_by, teamPage(writing));
  });
}

function teamPage({ dashboard_url }: Writing): string {
  return `${dashboard_url}/team`;
}

function wakeMails({ wakeMail }: Writing, mails: readonly NewMail[]): void {
  mails.forEach(({ id }) => wakeMail(id));
}
