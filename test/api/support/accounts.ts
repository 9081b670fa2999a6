// Users with what a caller of the API has: a key for each environment.

import type { TestDatabase } from '../../support/database';
import { createTestKey, createTestUser, type Funds, type TestUser } from '../../support/people';

export interface Account extends TestUser {
  readonly live: string;
  readonly sandbox: string;
}

export async function buildAccount(
  { db }: Pick<TestDatabase, 'db'>,
  funds: Funds = {},
): Promise<Account> {
  const user = await createTestUser(db, { funds });
  const live = await createTestKey(db, { user });
  const sandbox = await createTestKey(db, { user, environment: 'sandbox' });
  return { ...user, live: live.key, sandbox: sandbox.key };
}
