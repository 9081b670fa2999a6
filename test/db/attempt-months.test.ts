// Attempts by month: made ahead, kept as long as they should be, and dropped by a role that owns no table.

import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropOldAttempts } from '../../db/archives/keep';
import { compareArchive, verifyArchive } from '../../db/archives/verify';
import { writeArchive } from '../../db/archives/write';
import { newFolder } from './archives/support';
import { listUnprovenDeliveries } from '../../db/reconciliation/reconciled-events';
import {
  dropAttemptMonth,
  listDueAttemptMonths,
  makeAttemptMonths,
} from '../../db/webhooks/attempt-months';
import { recordAttempts } from '../../db/webhooks/webhook-attempts';
import {
  connectAgain,
  createTestDatabase,
  openSession,
  type TestDatabase,
} from '../support/database';
import { buildUser, type TestUser } from '../support/users';
import { buildAttempt, buildEndpointWithDeliveries } from '../support/webhooks';
import { deliveriesTo } from '../webhooks/deliveries';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

/** `2026-10`, so many months from now. */
function monthFromNow(months: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))
    .toISOString()
    .slice(0, 7);
}

const partitionOf = (month: string): string => `webhook_attempts_${month.replace('-', '')}`;

async function months(): Promise<string[]> {
  const { rows } = await database.owner.raw(
    `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'webhook_attempts'::regclass order by name`,
  );
  return rows.map(({ name }: { name: string }) => name);
}

const COLUMNS = `delivery_id, number, trigger, url, started_at, duration_ms, outcome, status,
  response_body, response_truncated, retry_after_seconds`;

/** They are in the middle of the month. */
async function addAttempts(
  month: string,
  { count = 1, delivery_id = randomUUID() as string } = {},
): Promise<void> {
  const at = `${month}-15T12:00:00Z`;
  await database.owner.raw('select make_attempt_month(?::date)', [`${month}-01`]);
  await database.owner.raw(
    `insert into webhook_attempts (${COLUMNS}, recorded_at)
     select :delivery_id, n, 'automatic', 'https://x.example', :at, 1, 'delivered', 200, 'ok', false,
            null::integer, :at::timestamptz
       from generate_series(1, :count) n`,
    { delivery_id, at, count },
  );
}

const countAll = async (): Promise<bigint> =>
  (await database.owner.raw('select count(*) as count from webhook_attempts')).rows[0].count;

it('a migrated database has this month and the next two', async () => {
  const found = await months();
  expect(found).toHaveLength(3);
  // It was migrated before, perhaps when it was another month.
  expect(found).toEqual(expect.arrayContaining([0, 1].map((n) => partitionOf(monthFromNow(n)))));
  expect(await makeAttemptMonths(database.db)).toBe(0);
});

it('an attempt goes into the partition of the month in which it is recorded, made if need be', async () => {
  const merchant = await buildUser(database.db);
  const endpoint = await buildEndpointWithDeliveries(database, merchant.id, 1);
  const [delivery] = await deliveriesTo({ database }, endpoint);
  for (const name of await months()) await database.owner.raw(`drop table ${name}`);
  await recordAttempts(database.db, endpoint.id, [buildAttempt(delivery!.id)], null);
  const here = partitionOf(monthFromNow(0));
  expect(await months()).toEqual([here]);
  const { rows } = await database.owner.raw(
    `select (select count(*)::int from ${here}) as attempts,
            (select array_agg(indexname::text) from pg_indexes where tablename = ?) as indexes`,
    [here],
  );
  expect(rows).toEqual([{ attempts: 1, indexes: [`${here}_pkey`] }]);
});

it.each(['delete from', 'truncate', 'update'])('no role can %s a single month', async (words) => {
  await addAttempts(monthFromNow(0));
  const here = partitionOf(monthFromNow(0));
  const sql = words === 'update' ? `update ${here} set number = 2` : `${words} ${here}`;
  await expect(database.owner.raw(sql)).rejects.toThrow('is append-only');
  for (const role of [database.db, database.operator]) {
    await expect(role.raw(sql)).rejects.toThrow('permission denied');
  }
});

describe('a month older than the retention', () => {
  it('is dropped whole, by the application, leaves a row, and others stay', async () => {
    const [kept, gone] = [monthFromNow(-2), monthFromNow(-6)];
    await addAttempts(kept, { count: 2 });
    await addAttempts(gone, { count: 3 });
    expect(await listDueAttemptMonths(database.db, 100)).toEqual([gone]);
    // Another number of attempts was archived than it has.
    await expect(dropAttemptMonth(database.db, gone, 2)).rejects.toThrow(
      `2 attempts of ${gone} were archived, and there are 3`,
    );
    expect(await countAll()).toBe(5n);
    expect(await dropAttemptMonth(database.db, gone, 3)).toBe(3);
    expect(await months()).not.toContain(partitionOf(gone));
    expect(await countAll()).toBe(2n);
    const { rows } = await database.owner.raw(
      'select month::text, attempts, dropped_at <= clock_timestamp() as is_past from webhook_attempt_drops',
    );
    expect(rows).toEqual([{ month: `${gone}-01`, attempts: 3n, is_past: true }]);
    expect(await dropAttemptMonth(database.db, gone, null)).toBeNull();
  });
});

it('this month and the one before are kept whatever is asked: nobody wipes their traces with it', async () => {
  // The month before last ended at least 28 days ago, and is kept until it was 31.
  const recent = [0, -1].map(monthFromNow);
  for (const month of recent) await addAttempts(month);
  for (const month of recent) expect(await dropAttemptMonth(database.db, month, null)).toBeNull();
  expect(await countAll()).toBe(2n);
});

it('a reconciliation does not miss the attempts of a month that was dropped', async () => {
  const merchant = await buildUser(database.db);
  const endpoint = await buildEndpointWithDeliveries(database, merchant.id, 2);
  const [gone, missing] = await deliveriesTo({ database }, endpoint);
  const month = monthFromNow(-6);
  await addAttempts(month, { delivery_id: gone!.id });
  const deliver = (id: string, at: string) =>
    database.owner.raw(
      `update webhook_deliveries
          set status = 'delivered', next_attempt_at = null, delivered_at = ?, attempts = 1,
              created_at = ?
        where id = ?`,
      [at, at, id],
    );
  await deliver(gone!.id, `${month}-15T12:00:00Z`);
  await deliver(missing!.id, new Date().toISOString());
  const time = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
  const found = async () =>
    (await listUnprovenDeliveries(database.db, time, 10)).map(({ id }) => id);
  expect(await found()).toEqual([missing!.id]);
  expect(await dropAttemptMonth(database.db, month, null)).toBe(1);
  expect(await found()).toEqual([missing!.id]);
});

it('several processes at once make and drop each month once, and none fails', async () => {
  const old = [-12, -11, -10].map(monthFromNow);
  for (const month of old) await addAttempts(month);
  for (const ahead of [1, 2]) {
    await database.owner.raw(`drop table ${partitionOf(monthFromNow(ahead))}`);
  }
  const others = connectAgain(database, 8);
  const made = await Promise.all(Array.from({ length: 8 }, () => makeAttemptMonths(others)));
  expect(made.reduce((sum, one) => sum + one, 0)).toBe(2);
  const dropped = await Promise.all(
    Array.from({ length: 8 }, () => dropAttemptMonth(others, old[0]!, null)),
  );
  expect(dropped.filter((one) => one !== null)).toEqual([1]);
});

it('a reader that keeps a month locked delays its end and nothing else', async () => {
  const month = monthFromNow(-6);
  await addAttempts(month);
  const reader = await openSession(database.owner_url);
  await reader.query('begin');
  await reader.query(`select * from ${partitionOf(month)}`);
  expect(await dropAttemptMonth(database.db, month, null)).toBeNull();
  expect(await countAll()).toBe(1n);
  await reader.query('commit');
  expect(await dropAttemptMonth(database.db, month, null)).toBe(1);
});

describe('a process', () => {
  const drop = (days: number, directory?: string) => dropOldAttempts(database.db, days, directory);

  it('makes months and drops old ones, unless 0 keeps all of them', async () => {
    await addAttempts(monthFromNow(-6));
    await drop(0);
    expect(await countAll()).toBe(1n);
    const name = partitionOf(monthFromNow(2));
    await database.owner.raw(`drop table ${name}`);
    await drop(31);
    expect(await months()).toContain(name);
    expect(await countAll()).toBe(0n);
  });

  it('drops a month once it is archived', async () => {
    const month = monthFromNow(-6);
    await addAttempts(month, { count: 3 });
    const directory = newFolder();
    await drop(31, directory);
    expect(await countAll()).toBe(0n);
    const { folder, manifest, faults } = await verifyArchive(join(directory, `attempts-${month}`));
    expect([faults, manifest?.files[0]?.rows]).toEqual([[], 3]);
    // The number that was dropped is still known.
    expect(await compareArchive(database.db, folder, manifest!)).toEqual([]);
  });

  it('drops nothing when the archive does not hold, or lacks a row', async () => {
    const month = monthFromNow(-6);
    await addAttempts(month, { count: 3 });
    const directory = newFolder();
    await writeArchive(database.db, { kind: 'attempts', month, directory });
    const file = join(directory, `attempts-${month}`, 'webhook_attempts.ndjson.gz');
    const good = readFileSync(file);
    writeFileSync(file, good.subarray(0, -3));
    await expect(drop(31, directory)).rejects.toThrow('does not hold');
    expect(await countAll()).toBe(3n);
    writeFileSync(file, good);
    await addAttempts(month, { count: 1 });
    await expect(drop(31, directory)).rejects.toThrow(
      `3 attempts of ${month} were archived, and there are 4`,
    );
    expect(await countAll()).toBe(4n);
  });
});

it('lists of a delivery search no month before it', async () => {
  for (const ago of [-20, -10, -5]) await addAttempts(monthFromNow(ago));
  const merchant: TestUser = await buildUser(database.db);
  const endpoint = await buildEndpointWithDeliveries(database, merchant.id, 1);
  const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
  await recordAttempts(database.db, endpoint.id, [buildAttempt(id)], null);
  const { rows } = await database.owner.raw(
    `explain (analyze, costs off, timing off) select a.number from webhook_attempts a
      where a.delivery_id = ? and a.recorded_at >=
            (select d.created_at - interval '1 day' from webhook_deliveries d where d.id = ?)
      order by a.number desc limit 25`,
    [id, id],
  );
  const plan = (rows as { 'QUERY PLAN': string }[]).map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain(partitionOf(monthFromNow(0)));
  for (const ago of [-20, -10, -5]) {
    const name = partitionOf(monthFromNow(ago));
    expect(plan).toMatch(new RegExp(`on ${name} .*never executed`));
  }
});
