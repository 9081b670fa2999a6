// Each check of `ledger verify` reads whole tables, and each of them a few times. A check that looks at the rows of one
// table for each row of another takes a second with a thousand refunds, and hours with a hundred thousand.

import { CHECKS, verifyLedger } from '../../db/verify/verify';
import { MAX_REFUNDS } from '../../domain/intent';
import { createTestDatabase, setUp } from '../support/database';
import { countRowsRead } from '../support/plans';
import { buildTransferRequest, post } from '../support/postings';
import { accept, answer, openIntent, ordered, payIntent, receive } from '../support/refunds';
import { buildReversalRequest, reverse } from '../support/reversals';
import { buildUser, type TestUser } from '../support/users';

/** So many of each kind make forty times as many rows; pairs of two kinds are ten thousand. */
const ROWS = 100;

const database = setUp(createTestDatabase);

beforeAll(async () => {
  await keepWithoutStatistics();
  const merchant = await buildUser(database.db, { funds: { live: { XOF: 10_000_000n } } });
  await buildRefunds(merchant);
  await buildAccepted(merchant);
  await buildReversals(merchant);
});

/** Autovacuum would analyze some tables and not others, by how long the rows take to build. */
async function keepWithoutStatistics(): Promise<void> {
  await database.owner.raw(
    `do $$ declare name regclass; begin
       for name in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
         execute format('alter table %s set (autovacuum_enabled = false)', name);
       end loop;
     end $$`,
  );
}

/** Gives each payment as many refunds as it may have, as an order given back item by item has. */
async function buildRefunds(merchant: TestUser): Promise<void> {
  let intent = await payIntent(database.db, merchant);
  for (let n = 0; n < ROWS; n += 1) {
    if (n > 0 && n % MAX_REFUNDS === 0) intent = await payIntent(database.db, merchant);
    const refund = await ordered(database.db, intent, { amount_minor: '100' });
    await answer(database.db, refund, 'succeeded');
  }
}

/** Payments of another amount, which an operator accepts. */
async function buildAccepted(merchant: TestUser): Promise<void> {
  for (let n = 0; n < ROWS; n += 1) {
    const intent = await openIntent(database.db, merchant);
    await accept(database, await receive(database.db, intent, 100n), false);
  }
}

async function buildReversals(merchant: TestUser): Promise<void> {
  const customer = await buildUser(database.db);
  const transfers = Array.from({ length: ROWS }, () =>
    buildTransferRequest({ from: merchant, to: customer, amount: 100n }),
  );
  await post(database.db, transfers);
  for (const { reference: transfer_reference } of transfers) {
    await reverse(database.db, buildReversalRequest({ by: customer, transfer_reference }));
  }
}

async function countRows(): Promise<number> {
  const names = await database.owner.raw(
    `select string_agg(format('select count(*) as rows from %I', relname), ' union all ') as sql
       from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const [{ sql }] = names.rows as [{ sql: string }];
  const sums = await database.owner.raw(`select sum(rows)::int as rows from (${sql}) t`);
  return (sums.rows as [{ rows: number }])[0].rows;
}

it('finds nothing in what is built here', async () => {
  expect(await verifyLedger(database.db)).toEqual([]);
});

it.each([
  ['without statistics', 'select'],
  ['with statistics', 'analyze'],
])('no check looks at the rows of one table for each row of another, %s', async (_, prepare) => {
  await database.owner.raw(prepare);
  const all = await countRows();
  expect(all).toBeLessThan((ROWS * ROWS) / 2);
  // The plan is verifyLedger's.
  const plan = { mode: 'force_custom_plan', settings: ['enable_nestloop = off'] } as const;
  const reads = new Map<string, number>();
  for (const { what, sql } of CHECKS) {
    reads.set(what, await countRowsRead(database.db, { text: sql }, [], plan));
  }
  expect([...reads].filter(([, rows]) => rows > all)).toEqual([]);
  expect([...reads.values()].filter((rows) => rows > ROWS)).not.toEqual([]);
});
