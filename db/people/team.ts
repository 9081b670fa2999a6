// The people of an account, and the accounts of a person. `mails` leave with a change that makes an owner or removes
// one, and with no other.

import type { Language } from '../../domain/language';
import type { MemberRole } from '../../domain/members';
import { execute, isDone, lookUp, type Db, type Tx } from '../connect';
import type { NewMail } from './mails';
import { mailsJson } from './news';

export interface MemberRow {
  readonly login_id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly has_totp: boolean;
  readonly created_at: string;
}

/** Owners first. */
export async function listMembers(db: Db, user_id: string): Promise<MemberRow[]> {
  const text = `select m.login_id, l.email, m.role, m.created_at,
       l.totp_confirmed_at is not null as has_totp
     from memberships m join logins l on l.id = m.login_id
    where m.user_id = $1
    order by (m.role = 'owner') desc, m.created_at, m.login_id limit 100`;
  return lookUp<MemberRow>(db, { name: 'list_members', text }, [user_id]);
}

export async function findMember(
  db: Db,
  user_id: string,
  login_id: string,
): Promise<MemberRow | undefined> {
  const text = `select m.login_id, l.email, m.role, m.created_at,
       l.totp_confirmed_at is not null as has_totp
     from memberships m join logins l on l.id = m.login_id
    where m.user_id = $1 and m.login_id = $2`;
  return (await lookUp<MemberRow>(db, { name: 'find_member', text }, [user_id, login_id]))[0];
}

export async function countOwners(db: Db, user_id: string): Promise<number> {
  const text = `select count(*)::int as count from memberships where user_id = $1 and role = 'owner'`;
  const statement = { name: 'count_owners', text };
  return (await lookUp<{ count: number }>(db, statement, [user_id]))[0]!.count;
}

export interface InvitationRow {
  readonly id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly sent_at: string;
  readonly is_expired: boolean;
}

export async function listInvitations(db: Db, user_id: string): Promise<InvitationRow[]> {
  const text = `select i.id, i.email, i.role, i.sent_at,
       not exists (select from login_tokens t
         where t.invitation_id = i.id and t.expires_at > clock_timestamp()) as is_expired
     from invitations i where i.user_id = $1
    order by i.created_at, i.id limit 100`;
  return lookUp<InvitationRow>(db, { name: 'list_invitations', text }, [user_id]);
}

export interface OpenInvitation {
  readonly user_id: string;
  readonly username: string;
  readonly email: string;
  readonly role: MemberRole;
  /** The address of the owner who invites. */
  readonly invited_by: string;
  /** A login with this address is there already. */
  readonly has_login: boolean;
}

/** Undefined: unknown, accepted, withdrawn or expired. */
export async function findInvitation(
  db: Db,
  token_hash: Buffer,
): Promise<OpenInvitation | undefined> {
  const text = `select i.user_id, u.username, i.email, i.role, o.email as invited_by,
       exists (select from logins l where l.email = i.email and l.email_verified_at is not null) as has_login
     from login_tokens t
     join invitations i on i.id = t.invitation_id
     join users u on u.id = i.user_id
     join logins o on o.id = i.invited_by
    where t.token_hash = $1 and t.expires_at > clock_timestamp()`;
  const statement = { name: 'find_invitation', text };
  return (await execute<OpenInvitation>(db, statement, [token_hash]))[0];
}

export interface NewInvitation {
  readonly user_id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly invited_by: string;
  readonly token_hash: Buffer;
  readonly lasts_seconds: number;
}

export type InvitationOutcome = 'invited' | 'member' | 'limit';

export async function inviteMember(
  db: Db | Tx,
  invitation: NewInvitation,
): Promise<InvitationOutcome> {
  const { user_id, email, role, invited_by, token_hash, lasts_seconds } = invitation;
  const text = 'select outcome from invite_member($1, $2, $3, $4, $5, $6)';
  const values = [user_id, email, role, invited_by, token_hash, lasts_seconds];
  const statement = { name: 'invite_member', text };
  return (await execute<{ outcome: InvitationOutcome }>(db, statement, values))[0]!.outcome;
}

/** The address; undefined for another account's invitation. */
export async function renewInvitation(
  db: Db | Tx,
  user_id: string,
  invitation_id: string,
  { token_hash, lasts_seconds }: Pick<NewInvitation, 'token_hash' | 'lasts_seconds'>,
): Promise<string | undefined> {
  const text = 'select email from renew_invitation($1, $2, $3, $4)';
  const values = [user_id, invitation_id, token_hash, lasts_seconds];
  const statement = { name: 'renew_invitation', text };
  return (await execute<{ email: string }>(db, statement, values))[0]?.email;
}

export async function withdrawInvitation(
  db: Db,
  user_id: string,
  invitation_id: string,
): Promise<boolean> {
  const text = 'select withdraw_invitation($1, $2) as done';
  return isDone(db, { name: 'withdraw_invitation', text }, [user_id, invitation_id]);
}

/** The account; null when the link is worth nothing. */
export async function acceptInvitation(
  db: Db,
  token_hash: Buffer,
  login_id: string,
  mails: readonly NewMail[],
): Promise<string | null> {
  const text = 'select accept_invitation($1, $2, $3::jsonb) as user_id';
  const statement = { name: 'accept_invitation', text };
  const values = [token_hash, login_id, mailsJson(mails)];
  const rows = await execute<{ user_id: string | null }>(db, statement, values);
  return rows[0]!.user_id;
}

/**
 * Returns the new person's id; null as acceptInvitation. Throws 23505 when another login has the
 * address.
 */
export async function joinByInvitation(
  db: Db,
  token_hash: Buffer,
  { password_hash, language }: { readonly password_hash: string; readonly language: Language },
  mails: readonly NewMail[],
): Promise<string | null> {
  const text = 'select join_by_invitation($1, $2, $3, $4::jsonb) as login_id';
  const values = [token_hash, password_hash, language, mailsJson(mails)];
  const statement = { name: 'join_by_invitation', text };
  return (await execute<{ login_id: string | null }>(db, statement, values))[0]!.login_id;
}

/** `last_owner`: an account always has one. `unconfirmed`: an owner has a confirmed address. */
export type MemberChange = 'done' | 'last_owner' | 'unconfirmed' | 'not_found';

/** A person of an account. */
export interface OfAccount {
  readonly user_id: string;
  readonly login_id: string;
}

export async function changeMemberRole(
  db: Db,
  { user_id, login_id }: OfAccount,
  role: MemberRole,
  mails: readonly NewMail[],
): Promise<MemberChange> {
  const text = 'select change_member_role($1, $2, $3, $4::jsonb) as outcome';
  const statement = { name: 'change_member_role', text };
  const values = [user_id, login_id, role, mailsJson(mails)];
  return (await execute<{ outcome: MemberChange }>(db, statement, values))[0]!.outcome;
}

export async function removeMember(
  db: Db,
  { user_id, login_id }: OfAccount,
  mails: readonly NewMail[],
): Promise<MemberChange> {
  const text = 'select remove_member($1, $2, $3::jsonb) as outcome';
  const statement = { name: 'remove_member', text };
  const values = [user_id, login_id, mailsJson(mails)];
  return (await execute<{ outcome: MemberChange }>(db, statement, values))[0]!.outcome;
}

export interface AccountOfPerson {
  readonly user_id: string;
  readonly username: string;
  readonly role: MemberRole;
}

/** The own one first. */
export async function listAccountsOf(db: Db, login_id: string): Promise<AccountOfPerson[]> {
  const text = `select m.user_id, u.username, m.role
     from memberships m join users u on u.id = m.user_id
    where m.login_id = $1
    order by (m.role = 'owner') desc, u.username limit 100`;
  return lookUp<AccountOfPerson>(db, { name: 'list_accounts_of', text }, [login_id]);
}
