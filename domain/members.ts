// What the people of an account may do in it.

import type { Environment } from './environment';

export const MEMBER_ROLES = ['owner', 'developer', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * `keys` and `webhooks`: make and change them. `money`: send it, and make or cancel payment links.
 * `team`: invite and remove people. `profile`: the account's own data, such as its identity check.
 */
export type Permission = 'read' | 'keys' | 'webhooks' | 'money' | 'team' | 'profile';

const PERMISSIONS: Readonly<Record<MemberRole, readonly Permission[]>> = {
  owner: ['read', 'keys', 'webhooks', 'money', 'team', 'profile'],
  // Live money is the owner's: see `mayDo`.
  developer: ['read', 'keys', 'webhooks', 'money'],
  viewer: ['read'],
};

export function mayDo(role: MemberRole, permission: Permission, environment: Environment): boolean {
  if (permission === 'money' && role === 'developer') return environment === 'sandbox';
  return PERMISSIONS[role].includes(permission);
}

/**
 * Whether they may get a key, by making or rotating it: with one that writes, whoever has it can send money,
 * so it is for those who may do that.
 */
export function mayGetKey(
  role: MemberRole,
  environment: Environment,
  { read_only }: { readonly read_only: boolean },
): boolean {
  return mayDo(role, 'keys', environment) && (read_only || mayDo(role, 'money', environment));
}
