// Users with what a caller of the API has: a key for each environment.

import type { TestDatabase } from '../../support/database';
import { buildApiKey, buildUser, type Funds, type TestUser } from '../../support/users';

export interface Account extends TestUser {
  readonly live: string;
  readonly sandbox: string;
}

export async function buildAccount(
  { db }: Pick<TestDatabase, 'db'>,
  funds: Funds = {},
): Promise<Account> {
  const user = await buildUser(db, { funds });
  const live = await buildApiKey(db, { user });
  const sandbox = await buildApiKey(db, { user, environment: 'sandbox' });
  return { ...user, live: live.key, sandbox: sandbox.key };
}
