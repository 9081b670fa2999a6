// The books after each test: the first test that breaks them fails, and not each one after it.

import type { Db } from '../../db/connect';
import { verifyLedger } from '../../db/verify/verify';

const broken = new WeakMap<Db, Set<string>>();

/** Belongs in `afterEach`: fails when this test has broken the books. */
export async function expectBooksHold(db: Db): Promise<void> {
  const before = broken.get(db) ?? new Set();
  const found = new Map((await verifyLedger(db)).map((one) => [JSON.stringify(one), one]));
  broken.set(db, new Set(found.keys()));
  const added = [...found].filter(([key]) => !before.has(key)).map(([, violation]) => violation);
  expect({ broken_by_this_test: added }).toEqual({ broken_by_this_test: [] });
}
