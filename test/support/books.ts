// The books after each test: the first test that breaks them fails, and not each one after it.

import { execute, type Db, type Tx } from '../../db/connect';
import { CHECKS, type Violation } from '../../db/verify/verify';
import { verifySeals } from '../../db/verify/verify-seals';

const broken = new WeakMap<Db, Set<string>>();

/** Belongs in `afterEach`: fails when this test has broken the books. */
export async function expectBooksHold(db: Db): Promise<void> {
  const before = broken.get(db) ?? new Set();
  const violations = await db.transaction(
    async (tx) => {
      await tx.raw("set local idle_in_transaction_session_timeout = '1min'");
      return violationsIn(tx);
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  const found = new Map(violations.map((one) => [JSON.stringify(one), one]));
  broken.set(db, new Set(found.keys()));
  const added = [...found].filter(([key]) => !before.has(key)).map(([, violation]) => violation);
  expect({ broken_by_this_test: added }).toEqual({ broken_by_this_test: [] });
}

/**
 * The checks of `verifyLedger` in one statement. A connection plans it once, and planning a hundred checks takes ten
 * times as long as running them on the rows of a test.
 */
const ALL_CHECKS = {
  name: 'books_of_a_test',
  text: CHECKS.map(({ sql }, n) => `select ${n} as n, c.reference::text from (${sql}) c`).join(
    '\nunion all\n',
  ),
};

/** Finds what `verifyLedger` finds, also in what a transaction has not committed. */
export async function violationsIn(tx: Tx, known_seal?: string): Promise<Violation[]> {
  await tx.raw('set local enable_nestloop = off; set local jit = off');
  const rows = await execute<{ n: number; reference: string }>(tx, ALL_CHECKS, []);
  const found = rows.map(({ n, reference }) => {
    const { sql: _, ...check } = CHECKS[n]!;
    return { ...check, reference };
  });
  return [...found, ...(await verifySeals(tx, known_seal))];
}
