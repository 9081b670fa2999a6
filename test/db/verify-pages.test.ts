// `ledger verify` reads some tables page by page, or range by range: each page reads what it needs, and not a whole
// table, although no loops of look-ups are wanted between whole tables (db/verify/verify.ts). At ten million transfers
// the difference is minutes or days.

import type { Statement } from '../../db/connect';
import { sealLedger } from '../../db/ledger/ledger-seals';
import { SEALED_RANGES } from '../../db/verify/verify-seals';
import { createTestDatabase, setUp } from '../support/database';
import { countRowsRead, PLAN_MODES, type PlanMode } from '../support/plans';
import { buildTransferRequest, post } from '../support/postings';
import { buildUser } from '../support/users';

const TRANSFERS = 400;

const database = setUp(createTestDatabase);

beforeAll(async () => {
  const alice = await buildUser(database.db, { funds: { live: { XOF: 10_000_000n } } });
  const bob = await buildUser(database.db);
  const transfers = Array.from({ length: TRANSFERS }, () =>
    buildTransferRequest({ from: alice, to: bob, amount: 100n }),
  );
  await post(database.db, transfers);
  await sealLedger(database.db);
  await post(
    database.db,
    Array.from({ length: 5 }, () => buildTransferRequest({ from: alice, to: bob, amount: 100n })),
  );
  await sealLedger(database.db);
});

// The first setting is verifyLedger's; the second is the planner's choice where tables are large.
const settings = ['enable_nestloop = off', 'enable_seqscan = off'];

const read = (statement: Pick<Statement, 'text'>, values: unknown[], mode: PlanMode) =>
  countRowsRead(database.db, statement, values, { mode, settings });

async function one<Row>(sql: string): Promise<Row> {
  return ((await database.owner.raw(sql)).rows as Row[])[0]!;
}

describe.each(PLAN_MODES)('with %s', (mode) => {
  it('the entries of a seal are compared without the journal', async () => {
    const rows = await read(SEALED_RANGES, ['2', '2'], mode);
    // Each entry, its transaction, and of each of the two accounts its range and itself.
    expect(rows).toBeGreaterThanOrEqual(10 * 2 + 4);
    // Block ranges find the seal's ranges among those of the seals beside it.
    const { ranges } = await one<{ ranges: number }>(
      'select count(*)::int as ranges from ledger_seal_ranges',
    );
    expect(rows).toBeLessThanOrEqual(10 * 2 + 4 + 2 * ranges);
    expect(ranges).toBeLessThan(TRANSFERS / 10);
  });
});
