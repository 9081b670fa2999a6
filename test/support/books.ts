// The books after each test: the first test that breaks them fails, and not each one after it.

import { execute, type Db, type Tx } from '../../db/connect';
import { pieceStatement } from '../../db/verify/pieces';
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

/** The same in one piece. */
const IN_PIECES = {
  name: 'books_of_a_test_in_pieces',
  text: CHECKS.flatMap((check, n) => {
    const text = pieceStatement(check, { from: null, to: null });
    return text === undefined ? [] : [`select ${n} as n, c.reference from (${text}) c`];
  }).join('\nunion all\n'),
};

/** Finds what the nightly check finds of violations that `verifyLedger` has found, where it makes the same checks. */
export async function comparedInPieces(tx: Tx, found: readonly Violation[]) {
  const rows = await execute<{ n: number; reference: string }>(tx, IN_PIECES, []);
  const named = (what: string, reference: string): string => `${reference}: ${what}`;
  const made = new Set(CHECKS.filter(({ pieces }) => pieces !== 'whole').map(({ what }) => what));
  return {
    in_pieces: rows.map(({ n, reference }) => named(CHECKS[n]!.what, reference)).toSorted(),
    whole: found
      .filter(({ what }) => made.has(what))
      .map(({ what, reference }) => named(what, reference))
      .toSorted(),
  };
}

/** Finds what `verifyLedger` finds, also in what a transaction has not committed. */
export async function violationsIn(tx: Tx, known_seal?: string): Promise<Violation[]> {
  await tx.raw('set local enable_nestloop = off; set local jit = off');
  const rows = await execute<{ n: number; reference: string }>(tx, ALL_CHECKS, []);
  const found = rows.map(({ n, reference }) => {
    const { sql: _, pieces: __, ...check } = CHECKS[n]!;
    return { ...check, reference };
  });
  return [...found, ...(await verifySeals(tx, known_seal))];
}
