// The access log in days: made by their first row, kept as long as they should be, and dropped by a role that
// owns no table.

import { randomUUID } from 'node:crypto';
import { dropAccessDays, insertAccessRows, type AccessEntry } from '../../db/requests/access-log';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { waitFor } from '../support/wait';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Noon of a day, so many days from now. */
function noon(days: number): string {
  return `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T12:00:00.000Z`;
}

const partitionOf = (at: string): string => `access_entries_${at.slice(0, 10).replaceAll('-', '')}`;

const entry = (at: string): AccessEntry => ({
  id: randomUUID(),
  at,
  ip: '203.0.113.7',
  key_id: null,
  method: 'GET',
  route: '/x',
  status: 200,
  request_id: 'one',
  duration_ms: 1,
});

async function partitions(): Promise<string[]> {
  const { rows } = await database.owner.raw(
    `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'access_entries'::regclass order by name`,
  );
  return rows.map(({ name }: { name: string }) => name);
}

const ids = async (): Promise<string[]> =>
  (await database.owner.raw('select id from access_entries')).rows.map(
    ({ id }: { id: string }) => id,
  );

it('a row makes the partition of its day, with the indexes of the log', async () => {
  const old = entry(noon(-40));
  await insertAccessRows(database.db, [old, entry(noon(0))]);
  expect(await partitions()).toEqual(expect.arrayContaining([old.at, noon(0)].map(partitionOf)));
  const { rows } = await database.owner.raw(
    `select (select count(*)::int from ${partitionOf(old.at)}) as rows,
            (select count(*)::int from pg_indexes where tablename = ?) as indexes`,
    [partitionOf(old.at)],
  );
  expect(rows).toEqual([{ rows: 1, indexes: 3 }]);
});

it('a row is there once, however often it is sent', async () => {
  const entries = [entry(noon(0)), entry(noon(0))];
  await insertAccessRows(database.db, entries.slice(1));
  await insertAccessRows(database.db, entries);
  expect((await ids()).toSorted()).toEqual(entries.map(({ id }) => id).toSorted());
});

it('makes no partition for a clock that is wrong, and keeps the other rows of the batch', async () => {
  const before = await partitions();
  const good = entry(noon(0));
  const wrong = [entry('1999-01-01T00:00:00.000Z'), entry('2999-01-01T00:00:00.000Z')];
  await insertAccessRows(database.db, [...wrong, good]);
  expect(await ids()).toEqual([good.id]);
  expect(new Set(await partitions())).toEqual(new Set([...before, partitionOf(good.at)]));
});

it('days older than the retention are dropped, by the application, and others stay', async () => {
  const [kept, gone] = [entry(noon(-30)), entry(noon(-32))];
  await insertAccessRows(database.db, [kept, gone]);
  expect(await dropAccessDays(database.db, 31)).toBe(1);
  expect(await ids()).toEqual([kept.id]);
  expect(await partitions()).not.toContain(partitionOf(gone.at));
  expect(await dropAccessDays(database.db, 31)).toBe(0);
});

it('zero keeps all, and less than a week is a week: nobody wipes their traces with it', async () => {
  const [recent, old] = [entry(noon(-6)), entry(noon(-400))];
  await insertAccessRows(database.db, [recent, old]);
  await dropAccessDays(database.db, 0);
  expect((await ids()).length).toBe(2);
  await dropAccessDays(database.db, 1);
  expect(await ids()).toEqual([recent.id]);
  await dropAccessDays(database.db, -5);
  expect(await ids()).toEqual([recent.id]);
});

/** Two processes do the same at once: the second is at it before the first commits. */
async function doTwice(sql: string, values: unknown[]): Promise<void> {
  const [first, second] = await Promise.all([1, 2].map(() => openSession(database.app_url)));
  await first!.query('begin');
  await first!.query(sql, values);
  const done = second!.query(sql, values);
  await waitFor(async () => {
    const { rows } = await database.owner.raw(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query = ?`,
      [sql],
    );
    return rows.length > 0;
  });
  await first!.query('commit');
  await done;
}

it('two processes may drop the same day at once', async () => {
  await insertAccessRows(database.db, [entry(noon(-100))]);
  await doTwice('select drop_access_days($1)', [90]);
  expect(await ids()).toEqual([]);
});

it('two processes may make the same day at once, and no row is lost', async () => {
  const row = entry(noon(-50));
  await doTwice('select add_access_entries($1)', [JSON.stringify([row])]);
  expect(await ids()).toEqual([row.id]);
});

it('a reader that keeps a day locked delays its end and nothing else', async () => {
  await insertAccessRows(database.db, [entry(noon(-100))]);
  const reader = await openSession(database.owner_url);
  await reader.query('begin');
  await reader.query(`select * from ${partitionOf(noon(-100))}`);
  expect(await dropAccessDays(database.db, 90)).toBe(0);
  await insertAccessRows(database.db, [entry(noon(0)), entry(noon(1))]);
  await reader.query('commit');
  expect(await dropAccessDays(database.db, 90)).toBe(1);
});
