// People who are signed in, for tests of the pages behind.

import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { MemberRole } from '../../domain/members';
import type { TestDatabase } from '../support/database';
import type { TestService } from '../support/service';
import { buildUser, type TestUser, type TestUserOptions } from '../support/users';
import { createVisitor, type Visitor } from './visitor';

export const PASSWORD = 'four quiet words here';

export interface Member {
  readonly user: TestUser;
  readonly visitor: Visitor;
}

/** The owner of a new account, in the sandbox. */
export async function signInOwner(
  service: TestService,
  database: TestDatabase,
  options: TestUserOptions = {},
): Promise<Member> {
  const user = await buildUser(database.db, { ...options, password: PASSWORD });
  return { user, visitor: await signInAs(service, user.username) };
}

export async function signInAs(
  service: TestService,
  username: string,
  password = PASSWORD,
): Promise<Visitor> {
  const visitor = createVisitor(service);
  const page = await visitor.fill('/sign-in', { username, password });
  if (page.status !== 200) throw new Error(`Signing in answered ${page.status}: ${page.text}`);
  return visitor;
}

/** A new person in this role, signed in. */
export async function signInColleague(
  service: TestService,
  database: TestDatabase,
  account: Pick<TestUser, 'id'>,
  role: MemberRole,
): Promise<Visitor> {
  const own = await buildUser(database.db, { password: PASSWORD });
  // An invited person who owns no account: the invitation itself has tests of its own.
  await database.owner.raw(
    `update memberships set role = ?, user_id = ? where login_id = (
       select login_id from memberships where user_id = ? and role = 'owner')`,
    [role, account.id, own.id],
  );
  return signInAs(service, own.email);
}

/** The code that an app shows so many periods of 30 s from now. */
export function codeOf(secret: string, periods = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return totp.generate({ timestamp: Date.now() + periods * 30_000 });
}

/** Sets up a second factor, with the code that switched it on. */
export async function setUpTotp({ visitor }: Pick<Member, 'visitor'>) {
  const page = await visitor.fill('/security', {}, '/security/totp');
  const secret = page.document.querySelector('.copyable code')!.textContent;
  const code = codeOf(secret);
  const done = await visitor.submit('/security/totp/confirm', { code });
  const recovery_codes = done.document.querySelector('.copyable code')!.textContent.split('\n');
  return { secret, code, recovery_codes };
}

export function newName(): string {
  return `user-${randomBytes(6).toString('hex')}`;
}
