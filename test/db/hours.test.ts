// Bookings of each of the last 24 hours: which kind counts as which, in which hour, and how little is read.

import { COUNT_HOURS, countHours, MAX_COUNT, type HourFigures } from '../../db/operators/hours';
import { createTestDatabase, setUp } from '../support/database';
import { answerPayout, orderedPayout } from '../support/payouts';
import { countRowsRead, LOOK_UP_PLAN } from '../support/plans';
import { postOne } from '../support/postings';
import { answer, ordered, payIntent, receive } from '../support/refunds';
import { buildUser } from '../support/users';

const database = setUp(createTestDatabase);

const NONE = { transfers: 0, payments: 0, payouts: 0, failures: 0 };
type Figures = typeof NONE;

/** Sums over all hours: the test may run over the end of one. */
function sumOf(hours: readonly HourFigures[]): Figures {
  const sum = { ...NONE };
  for (const hour of hours) {
    for (const name of Object.keys(sum) as (keyof Figures)[]) sum[name] += hour[name];
  }
  return sum;
}

/** Postings of a kind, some hours ago, without their entries: triggers would check them. */
async function book(kind: string, hours_ago: number, count: number): Promise<void> {
  await database.owner.transaction(async (tx) => {
    await tx.raw('set local session_replication_role = replica');
    await tx.raw(
      `insert into ledger_transactions (id, reference, environment, kind, created_at)
       select uuidv7(make_interval(hours => -:hours_ago::integer)), gen_random_uuid()::text, 'live', :kind, now()
         from generate_series(1, :count::integer)`,
      { kind, hours_ago, count },
    );
  });
}

it('counts what was booked live, each as what it is', async () => {
  const { db } = database;
  const funds = { live: { XOF: 10_000_000n }, sandbox: { XOF: 10_000_000n } };
  const [merchant, to] = [await buildUser(db, { funds }), await buildUser(db)];
  const added = async (work: () => Promise<unknown>): Promise<Figures> => {
    const before = sumOf(await countHours(db));
    await work();
    const after = sumOf(await countHours(db));
    const names = Object.keys(NONE) as (keyof Figures)[];
    return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as Figures;
  };
  const live = { environment: 'live' } as const;
  const transfer = { from: merchant, to, amount: 100n };
  expect(await added(() => postOne(db, { ...transfer, ...live }))).toEqual({
    ...NONE,
    transfers: 1,
  });
  expect(await added(() => payIntent(db, merchant, live))).toEqual({ ...NONE, payments: 1 });
  const paid = await payIntent(db, merchant, live);
  const pay = async (status: 'succeeded' | 'failed'): Promise<void> => {
    await answerPayout(db, await orderedPayout(db, merchant, live), { status });
  };
  expect(await added(() => pay('succeeded'))).toEqual({ ...NONE, payouts: 1 });
  expect(await added(() => pay('failed'))).toEqual({ ...NONE, failures: 1 });
  const refund = async (): Promise<void> => {
    await answer(db, await ordered(db, paid, live), 'failed');
  };
  expect(await added(refund)).toEqual({ ...NONE, failures: 1 });
  expect(await added(() => receive(db, paid))).toEqual({ ...NONE, failures: 1 });
  const rehearsed = async (): Promise<void> => {
    await postOne(db, { ...transfer, environment: 'sandbox' });
    await payIntent(db, merchant, { environment: 'sandbox' });
  };
  expect(await added(rehearsed)).toEqual(NONE);
});

it('has an hour for each of the last 24, also for those without any, and counts up to a bound', async () => {
  const before = await countHours(database.db);
  expect(before).toHaveLength(24);
  await book('transfer', 5, 7);
  await book('payment', 23, 3);
  await book('transfer', 24, 50_000);
  await book('transfer', 2, MAX_COUNT + 1);
  const hours = await countHours(database.db);
  const begins = hours.map(({ hour }) => Date.parse(hour));
  expect(begins.slice(1).map((at, index) => at - begins[index]!)).toEqual(
    Array(23).fill(3_600_000),
  );
  // Should an hour have ended meanwhile, everything is one place earlier.
  const at = (hours_ago: number): HourFigures | undefined =>
    hours.find(({ hour }) => hour === before.at(-1 - hours_ago)!.hour);
  expect([at(5), at(2)]).toMatchObject([
    { transfers: 7, is_more: false },
    { transfers: MAX_COUNT, is_more: true },
  ]);
  expect(at(23) ?? { payments: 3 }).toMatchObject({ payments: 3 });
  expect(sumOf(hours).transfers).toBeLessThan(MAX_COUNT + 50);

  await database.owner.raw('analyze ledger_transactions');
  const rows = await countRowsRead(database.db, COUNT_HOURS, [], LOOK_UP_PLAN);
  // Not those of yesterday: of the bound, and of a few steps of the plan for each hour.
  expect(rows).toBeLessThan(MAX_COUNT * 4);
});
