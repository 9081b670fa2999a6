// What `ledger verify` reads page by page, or range by range: each page reads what it needs, and not a whole
// table, although no loops of look-ups are wanted between whole tables (db/verify/verify.ts). At ten million transfers
// the difference is minutes or days.

import type { Statement } from '../../db/connect';
import { sealLedger } from '../../db/ledger/ledger-seals';
import { INTENT_EVENT_BODIES } from '../../db/verify/verify-intents';
import { REFUND_EVENT_BODIES } from '../../db/verify/verify-refunds';
import { SEALED_RANGES } from '../../db/verify/verify-seals';
import { NIL_UUID } from '../../domain/ids';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { countRowsRead, PLAN_MODES, type PlanMode } from '../support/plans';
import { buildTransferRequest, post } from '../support/postings';
import { answer, ordered, payIntent } from '../support/refunds';
import { buildUser } from '../support/users';

const PAYMENTS = 40;
const TRANSFERS = 400;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const alice = await buildUser(database.db, { funds: { live: { XOF: 10_000_000n } } });
  const bob = await buildUser(database.db);
  const transfers = Array.from({ length: TRANSFERS }, () =>
    buildTransferRequest({ from: alice, to: bob, amount: 100n }),
  );
  await post(database.db, transfers);
  for (let n = 0; n < PAYMENTS; n += 1) {
    const refund = await ordered(database.db, await payIntent(database.db, alice));
    await answer(database.db, refund, 'succeeded');
  }
  await sealLedger(database.db);
  await post(
    database.db,
    Array.from({ length: 5 }, () => buildTransferRequest({ from: alice, to: bob, amount: 100n })),
  );
  await sealLedger(database.db);
});

// As verifyLedger has it, and as the planner does it where tables are large.
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

  it.each([
    ['payments', INTENT_EVENT_BODIES, 'intent_id'],
    ['refunds', REFUND_EVENT_BODIES, 'refund_id'],
  ] as const)(
    'the last events of %s are compared without the others',
    async (_of, { page }, id) => {
      const before = await one<{ id: string }>(
        `select id from events where ${id} is not null order by id desc offset 3 limit 1`,
      );
      const { events } = await one<{ events: number }>(
        `select count(*)::int as events from events where id > '${before.id}'`,
      );
      const rows = await read(page, [before.id], mode);
      expect(rows).toBeLessThanOrEqual(2 * events);
      expect(await read(page, [NIL_UUID], mode)).toBeGreaterThanOrEqual(PAYMENTS);
    },
  );
});
