// People with what a caller has: a name and a key for each environment.

import type { TestDatabase } from '../../support/database';
import { createTestKey, createTestUser, type Funds, type TestUser } from '../../support/people';

export interface Account extends TestUser {
  readonly live: string;
  readonly sandbox: string;
}

export async function openAccount(
  { db }: Pick<TestDatabase, 'db'>,
  funds: Funds = {},
): Promise<Account> {
  const user = await createTestUser(db, { funds });
  const live = await createTestKey(db, { user });
  const sandbox = await createTestKey(db, { user, environment: 'sandbox' });
  return { ...user, live: live.key, sandbox: sandbox.key };
}
