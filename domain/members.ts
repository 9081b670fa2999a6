// What the people of an account may do in it.

import type { Environment } from './environment';

export const MEMBER_ROLES = ['owner', 'developer', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * `keys` and `webhooks`: make and change them. `money`: ask for it and send it. `cancel`: stop
 * payment links and bulk transfers. `team`: invite and remove people. `profile`: the account's own
 * data, such as its identity check.
 */
export type Permission = 'read' | 'keys' | 'webhooks' | 'money' | 'cancel' | 'team' | 'profile';

const PERMISSIONS: Readonly<Record<MemberRole, readonly Permission[]>> = {
  owner: ['read', 'keys', 'webhooks', 'money', 'cancel', 'team', 'profile'],
  // Live money is the owner's (`mayDo`).
  developer: ['read', 'keys', 'webhooks', 'money', 'cancel'],
  viewer: ['read'],
};

export function mayDo(role: MemberRole, permission: Permission, environment: Environment): boolean {
  const isAboutMoney = permission === 'money' || permission === 'cancel';
  if (isAboutMoney && role === 'developer') return environment === 'sandbox';
  return PERMISSIONS[role].includes(permission);
}

/**
 * Whether a member may create or rotate a key. A key that writes can send money, so only members
 * who may do that get one.
 */
export function mayGetKey(
  role: MemberRole,
  environment: Environment,
  { read_only }: { readonly read_only: boolean },
): boolean {
  return mayDo(role, 'keys', environment) && (read_only || mayDo(role, 'money', environment));
}
