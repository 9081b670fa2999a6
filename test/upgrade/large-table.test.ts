// A column, an index and a value for the rows of before come to a table of 5,000,000 rows, while the service works: none of its
// statements waits for longer than two seconds, and a migration that is killed goes on where it was.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { connectChecks, createDatabase, DATABASE } from '../faults/support/cluster';
import { openPostgres } from '../faults/support/servers';
import { postOne } from '../support/postings';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { migrateToNext } from './support/next';

const ROWS = Number(process.env['UPGRADE_ROWS'] ?? 5_000_000);
const STATEMENT_LIMIT_MS = 2_000;
const MIGRATED_WITHIN_MS = 1_200_000;
const USERS = 8;

const closers: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

it(`no statement waits for a change of ${ROWS.toLocaleString('en')} rows, which goes on after it was killed`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payment-api-upgrade-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = await openPostgres(folder);
  closers.push(() => postgres.stop());
  const app_url = await createDatabase(postgres.current());
  const owner_url = postgres.current().superuser_url(DATABASE);
  const checks = connectChecks({ name: DATABASE, app_url, operator_url: owner_url, owner_url });
  closers.push(() => checks.close());
  const { db, owner } = checks.database;
  // Without the time limit of the service's statements.
  const session = new Client({ connectionString: owner_url });
  await session.connect();
  closers.push(() => session.end());
  await session.query(
    `insert into transfers (reference, environment, sender_id, recipient_id, currency, amount_minor, fee_minor, status,
                            idempotency_key, request_id, created_at)
     select 'TRX-' || lpad(n::text, 12, '0'), 'live', sender, recipient, 'EUR', 1, 0, 'completed', n::text, 'filled', now()
       from generate_series(1, ${ROWS}) n, uuidv7() sender, uuidv7() recipient`,
  );
  await session.query('vacuum analyze transfers');

  const users = await Promise.all(
    Array.from({ length: USERS }, () => buildUser(db, { funds: { live: { XOF: 100_000_000n } } })),
  );
  let isOver = false;
  let longest_ms = 0;
  let statements = 0;
  const work = users.map(async (from, i) => {
    while (!isOver) {
      const began_at = Date.now();
      const outcome = await postOne(db, { from, to: users[(i + 1) % USERS]!, amount: 100n });
      expect(outcome.outcome).toBe('completed');
      longest_ms = Math.max(longest_ms, Date.now() - began_at);
      statements += 1;
    }
  });
  const progress = async (): Promise<{ done: number; reached: string } | undefined> =>
    (await owner.raw(`select done, reached from schema_steps where reached is not null`)).rows[0];
  const began_at = Date.now();
  try {
    const first = migrateToNext({ app_url, owner_url });
    const half = `TRX-${String(ROWS / 2).padStart(12, '0')}`;
    const known = async () => (await progress().catch(() => undefined)) ?? { reached: '' };
    await waitFor(async () => (await known()).reached >= half, MIGRATED_WITHIN_MS);
    first.child.kill('SIGKILL');
    expect(await first.ended).toBe('SIGKILL');
    const killed = await known();
    // Their versions of before: none is written again by the second.
    const written = async () =>
      (
        await session.query(
          `select count(*)::int as count, md5(string_agg(xmin::text, ',' order by reference)) as writers
             from transfers where reference <= $1 and request_id = 'filled'`,
          [killed.reached],
        )
      ).rows;
    const before = await written();
    const second = migrateToNext({ app_url, owner_url });
    expect(await second.ended).toBe(0);
    expect(await written()).toEqual(before);
    process.stdout.write(
      `rows=${ROWS} filled_before_kill=${before[0].count} seconds=${Math.round((Date.now() - began_at) / 1000)} statements=${statements} longest_ms=${longest_ms}\n`,
    );
  } finally {
    isOver = true;
    await Promise.all(work);
  }
  const left = await owner.raw(
    `select count(*)::int as left from transfers where purpose is null and request_id = 'filled'`,
  );
  expect(left.rows).toEqual([{ left: 0 }]);
  expect(longest_ms).toBeLessThan(STATEMENT_LIMIT_MS);
});
