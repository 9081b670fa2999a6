// The access log in days: made ahead, kept as long as they should be, and dropped by a role that owns no
// table.

import { randomUUID } from 'node:crypto';
import { insertAccessRows, tendAccessLog, type AccessEntry } from '../../db/access-log';
import { tendAccessDays } from '../../bin/access-days';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { waitFor } from '../support/wait';

let database: TestDatabase;
/** The days that a migration has made. */
let migrated: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  migrated = await partitions();
  await tendAccessLog(database.db, 0);
});

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Noon of a day, so many days from now. */
function noon(days: number): string {
  return `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T12:00:00.000Z`;
}

const partitionOf = (at: string): string => `access_entries_${at.slice(0, 10).replaceAll('-', '')}`;

const entry = (at: string): AccessEntry => ({
  ...{ id: randomUUID(), at, ip: '203.0.113.7', key_id: null, method: 'GET', route: '/x' },
  ...{ status: 200, request_id: 'one', duration_ms: 1 },
});

async function partitions(): Promise<string[]> {
  const { rows } = await database.owner.raw(
    `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'access_entries'::regclass order by name`,
  );
  return rows.map(({ name }: { name: string }) => name);
}

const ids = async (): Promise<string[]> =>
  (await database.owner.raw('select id from access_history')).rows.map(
    ({ id }: { id: string }) => id,
  );

it('a migrated database has today and the week to come', async () => {
  const week = (from: number): string[] =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((ahead) => partitionOf(noon(from + ahead)));
  // What the tests' databases are copied from may have been migrated before midnight.
  expect([week(0), week(-1)]).toContainEqual(migrated);
});

it('a row goes into the partition of its day, made if need be, with the indexes of the log', async () => {
  const old = entry(noon(-40));
  expect(await insertAccessRows(database.db, [old, entry(noon(0))])).toBe(2);
  expect(await partitions()).toContain(partitionOf(old.at));
  const { rows } = await database.owner.raw(
    `select (select count(*)::int from ${partitionOf(old.at)}) as rows,
            (select count(*)::int from pg_indexes where tablename = ?) as indexes`,
    [partitionOf(old.at)],
  );
  expect(rows).toEqual([{ rows: 1, indexes: 3 }]);
});

it('makes no partition for a clock that is wrong, and keeps the other rows of the batch', async () => {
  const before = await partitions();
  const good = entry(noon(0));
  const wrong = [entry('1999-01-01T00:00:00.000Z'), entry('2999-01-01T00:00:00.000Z')];
  expect(await insertAccessRows(database.db, [...wrong, good])).toBe(1);
  expect(await ids()).toEqual([good.id]);
  expect(await partitions()).toEqual(before);
});

it('days older than the retention are dropped, by the application, and others stay', async () => {
  const [kept, gone] = [entry(noon(-30)), entry(noon(-32))];
  await insertAccessRows(database.db, [kept, gone]);
  expect(await tendAccessLog(database.db, 31)).toEqual({ made: 0, dropped: 1, deleted: 0 });
  expect(await ids()).toEqual([kept.id]);
  expect(await partitions()).not.toContain(partitionOf(gone.at));
  expect(await tendAccessLog(database.db, 31)).toEqual({ made: 0, dropped: 0, deleted: 0 });
});

it('zero keeps all, and less than a week is a week: nobody wipes their traces with it', async () => {
  const [recent, old] = [entry(noon(-6)), entry(noon(-400))];
  await insertAccessRows(database.db, [recent, old]);
  await tendAccessLog(database.db, 0);
  expect((await ids()).length).toBe(2);
  await tendAccessLog(database.db, 1);
  expect(await ids()).toEqual([recent.id]);
  await tendAccessLog(database.db, -5);
  expect(await ids()).toEqual([recent.id]);
});

it('rows that the version before wrote go by the same retention', async () => {
  const rows = [entry(noon(-100)), entry(noon(-1))];
  for (const row of rows) {
    await database.db.raw(
      `insert into access_log values (:id, :at, :ip, :key_id, :method, :route, :status,
         :request_id, :duration_ms) on conflict (id) do nothing`,
      { ...row },
    );
  }
  expect(await tendAccessLog(database.db, 90)).toMatchObject({ deleted: 1 });
  expect(await ids()).toEqual([rows[1]!.id]);
});

it('several processes at once make and drop each day once, and none fails', async () => {
  const old = Array.from({ length: 5 }, (_, index) => entry(noon(-100 - index)));
  await insertAccessRows(database.db, old);
  const future = [2, 4, 6].map((ahead) => partitionOf(noon(ahead)));
  for (const name of future) await database.owner.raw(`drop table ${name}`);
  const tended = await Promise.all(Array.from({ length: 8 }, () => tendAccessLog(database.db, 90)));
  const sum = (field: 'made' | 'dropped') =>
    tended.reduce((total, one) => total + (one?.[field] ?? 0), 0);
  expect([sum('made'), sum('dropped')]).toEqual([3, 5]);
  expect(await partitions()).toEqual(expect.arrayContaining(future));
});

it('rows of a day that is missing come from several processes at once, and none is lost', async () => {
  const rows = Array.from({ length: 8 }, () => entry(noon(-50)));
  const added = await Promise.all(rows.map((row) => insertAccessRows(database.db, [row])));
  expect(added).toEqual(rows.map(() => 1));
  expect((await ids()).length).toBe(8);
});

it('a reader that keeps a day locked delays its end and nothing else', async () => {
  await insertAccessRows(database.db, [entry(noon(-100))]);
  const name = partitionOf(noon(5));
  await database.owner.raw(`drop table ${name}`);
  const reader = await openSession(database.owner_url);
  await reader.query('begin');
  await reader.query(`select * from ${partitionOf(noon(-100))}`);
  expect(await tendAccessLog(database.db, 90)).toMatchObject({ made: 1, dropped: 0 });
  expect(await partitions()).toContain(name);
  await reader.query('commit');
  expect(await tendAccessLog(database.db, 90)).toMatchObject({ dropped: 1 });
});

it('a process does it as soon as it starts', async () => {
  await insertAccessRows(database.db, [entry(noon(-100))]);
  const name = partitionOf(noon(5));
  await database.owner.raw(`drop table ${name}`);
  const logged: unknown[] = [];
  const days = tendAccessDays({
    ...{ db: database.db, days: 90, identity_data_days: 0 },
    log: (line) => logged.push(line),
  });
  await waitFor(async () => (await partitions()).includes(name) && (await ids()).length === 0);
  await days.stop();
  expect(logged).toEqual([]);
});
