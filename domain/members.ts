// The rights of an account's people in it.

import type { Environment } from './environment';
import { PERMISSION_OF, SCOPES, type Scope } from './scopes';

/** The one that may do everything first, the one that may do the least last. */
export const MEMBER_ROLES = ['owner', 'developer', 'accountant', 'viewer', 'cashier'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * `sales`: see payment links and their payments, the team and one's own settings. `read`: see balances, the history and
 * what was sent, wages too. `keys` and `webhooks`: see, make and change them, with all else that is for developers.
 * `links`: ask for money. `money`: send it and give it back. `cancel`: stop payment links and bulk transfers.
 * `export`: take what was booked away as a file. `team`: invite and remove people. `profile`: the account's own data,
 * such as its identity check.
 */
export const PERMISSIONS = [
  'sales',
  'read',
  'export',
  'keys',
  'webhooks',
  'links',
  'money',
  'cancel',
  'team',
  'profile',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

const GIVEN: Readonly<Record<MemberRole, readonly Permission[]>> = {
  owner: PERMISSIONS,
  // Live money is the owner's (`mayDo`).
  developer: PERMISSIONS.filter((one) => one !== 'team' && one !== 'profile'),
  cashier: ['sales', 'links'],
  accountant: ['sales', 'read', 'export'],
  viewer: ['sales', 'read'],
};

const LIVE_MONEY: ReadonlySet<Permission> = new Set(['links', 'money', 'cancel']);

export function mayDo(role: MemberRole, permission: Permission, environment: Environment): boolean {
  const isAboutMoney = LIVE_MONEY.has(permission);
  if (isAboutMoney && role === 'developer') return environment === 'sandbox';
  return GIVEN[role].includes(permission);
}

/** The scopes of a key that the member creates: nothing that the member may not do in the dashboard. */
export function scopesFor(role: MemberRole, environment: Environment): readonly Scope[] {
  if (!mayDo(role, 'keys', environment)) return [];
  return SCOPES.filter((scope) => mayDo(role, PERMISSION_OF[scope], environment));
}

/** Whether a member may change or rotate a key, and get the new one. */
export function mayGetKey(
  role: MemberRole,
  environment: Environment,
  { scopes }: { readonly scopes: readonly Scope[] },
): boolean {
  const allowed = scopesFor(role, environment);
  return scopes.every((scope) => allowed.includes(scope));
}

/** A member may be told these by mail: what was received, at once or once a day; endpoints that fail; statements. */
export const MAIL_KINDS = ['payments', 'digest', 'endpoints', 'statements'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** A member is told by mail what the role may see. */
const PERMISSION_OF_MAIL: Readonly<Record<MailKind, Permission>> = {
  payments: 'sales',
  digest: 'sales',
  endpoints: 'webhooks',
  statements: 'read',
};

export function mailsOf(role: MemberRole): readonly MailKind[] {
  return MAIL_KINDS.filter((kind) => mayDo(role, PERMISSION_OF_MAIL[kind], 'live'));
}

/** The mails of members who have not chosen. */
export const USUAL_MAILS: Readonly<Record<MemberRole, readonly MailKind[]>> = {
  owner: ['payments', 'endpoints'],
  developer: ['endpoints'],
  cashier: [],
  accountant: [],
  viewer: [],
};
