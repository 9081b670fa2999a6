// What `ledger verify` reads page by page, or range by range: each page reads what it needs, and not a whole
// table, although no loops of look-ups are wanted between whole tables (db/verify.ts). At ten million transfers
// the difference is minutes or days.

import type { Statement } from '../../db/connect';
import { sealLedger } from '../../db/ledger-seals';
import { INTENT_EVENT_BODIES } from '../../db/verify-intents';
import { REFUND_EVENT_BODIES } from '../../db/verify-refunds';
import { SEAL_CHECKS, SEALED_ENTRIES } from '../../db/verify-seals';
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
});

// As verifyLedger has it, and as the planner does it where tables are large.
const settings = ['enable_nestloop = off', 'enable_seqscan = off'];

const read = (statement: Pick<Statement, 'text'>, values: unknown[], mode: PlanMode) =>
  countRowsRead(database.db, statement, values, { mode, settings });

async function one<Row>(sql: string): Promise<Row> {
  return ((await database.owner.raw(sql)).rows as Row[])[0]!;
}

describe.each(PLAN_MODES)('with %s', (mode) => {
  it('the last entries are compared without the journal', async () => {
    const before = await one<{ id: bigint; version: bigint }>(
      `select account_id as id, account_version as version from ledger_entries
        order by account_id desc, account_version desc offset 5 limit 1`,
    );
    const rows = await read(SEALED_ENTRIES, [String(before.id), String(before.version)], mode);
    // An entry, its range, its transaction and its account each.
    expect(rows).toBeLessThanOrEqual(5 * 4);
    expect(rows).toBeGreaterThan(0);
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

it('each range is looked up among its entries once', async () => {
  const { sql } = SEAL_CHECKS.find(({ what }) => what === 'sealed entries are gone')!;
  const { ranges } = await one<{ ranges: number }>(
    'select count(*)::int as ranges from ledger_seal_ranges',
  );
  const { accounts } = await one<{ accounts: number }>(
    'select count(*)::int as accounts from ledger_accounts',
  );
  const rows = await read({ text: sql }, [], 'force_custom_plan');
  expect(rows).toBeLessThanOrEqual(2 * ranges + accounts);
  expect(2 * ranges + accounts).toBeLessThan(TRANSFERS);
});
