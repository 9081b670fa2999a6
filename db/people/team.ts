// The people of an account, and the accounts of a person. `mails` leave with a change that makes an owner or removes
// one, and with no other.

import type { Language } from '../../domain/language';
import type { MemberRole } from '../../domain/members';
import { call, callValue, calls, execute, lookUp, type Db, type Tx } from '../connect';
import type { ApiKeyRow } from '../keys/api-keys';
import type { NewMail } from './mails';
import { mailsJson } from './news';

export interface MemberRow {
  readonly login_id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly has_totp: boolean;
  /** API keys that are theirs, and valid. */
  readonly keys: number;
  readonly created_at: string;
}

const MEMBERS = `select m.login_id, l.email, m.role, m.created_at,
       l.totp_confirmed_at is not null as has_totp,
       (select count(*)::int from api_keys k where k.user_id = m.user_id and k.login_id = m.login_id
           and coalesce(least(k.revoked_at, k.expires_at) > clock_timestamp(), true)) as keys
     from memberships m join logins l on l.id = m.login_id`;

/** Owners first. */
export async function listMembers(db: Db, user_id: string): Promise<MemberRow[]> {
  const text = `${MEMBERS}
    where m.user_id = $1
    order by (m.role = 'owner') desc, m.created_at, m.login_id limit 100`;
  return lookUp<MemberRow>(db, { name: 'list_members', text }, [user_id]);
}

export async function findMember(
  db: Db,
  user_id: string,
  login_id: string,
): Promise<MemberRow | undefined> {
  const text = `${MEMBERS}
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

/** `not_owner`: who invites is none by now. */
export type InvitationOutcome = 'invited' | 'member' | 'limit' | 'not_owner';

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

export const withdrawInvitation =
  calls<(user_id: string, invitation_id: string) => boolean>('withdraw_invitation');

/** The account; null when the link is worth nothing. */
export async function acceptInvitation(
  db: Db,
  token_hash: Buffer,
  login_id: string,
  mails: readonly NewMail[],
): Promise<string | null> {
  const values = [token_hash, login_id, mailsJson(mails)];
  return callValue(db, 'accept_invitation', values);
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
  const values = [token_hash, password_hash, language, mailsJson(mails)];
  return callValue<string | null>(db, 'join_by_invitation', values);
}

/** A person made these by a right and lost them with it. */
export interface EndedRights {
  /** `is_revoked`: it can do nothing more; otherwise it has lost what the new role does not give. */
  readonly keys: readonly (Pick<ApiKeyRow, 'name' | 'key_prefix' | 'last_four'> & {
    readonly is_revoked: boolean;
  })[];
  /** The addresses of invitations. */
  readonly invitations: readonly string[];
}

export interface MemberChange {
  /** `last_owner`: an account always has one. `unconfirmed`: an owner has a confirmed address. */
  readonly outcome: 'done' | 'last_owner' | 'unconfirmed' | 'not_found';
  /** Null when nothing has ended. */
  readonly ended: EndedRights | null;
}

/** A person of an account. */
export interface OfAccount {
  readonly user_id: string;
  readonly login_id: string;
}

export async function changeMemberRole(
  db: Db | Tx,
  { user_id, login_id }: OfAccount,
  role: MemberRole,
  mails: readonly NewMail[],
): Promise<MemberChange> {
  const values = [user_id, login_id, role, mailsJson(mails)];
  return (await call<MemberChange>(db, 'change_member_role', values))[0]!;
}

export async function removeMember(
  db: Db | Tx,
  { user_id, login_id }: OfAccount,
  mails: readonly NewMail[],
): Promise<MemberChange> {
  const values = [user_id, login_id, mailsJson(mails)];
  return (await call<MemberChange>(db, 'remove_member', values))[0]!;
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
