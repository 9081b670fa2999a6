// The jobs of a process: each begins when it starts, and says what keeps it from its work.

import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freezeAccount } from '../../db/accounts/users';
import { insertAccessRows } from '../../db/requests/access-log';
import { decideIdentityCheck } from '../../use-cases/identity-checks';
import { newFolder } from '../db/archives/support';
import { buildIdentityCheck } from '../dashboard/operators';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { disputeOf, say } from '../support/disputes';
import { payIntent } from '../support/refunds';
import { startTestService, type TestService } from '../support/service';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

const start = (archive_directory: string): Promise<TestService> =>
  startTestService({
    database,
    webhooks: true,
    overrides: {
      archive_directory,
      identity_checks: { remind_after_seconds: [], expires_after_seconds: 1e6, data_days: 400 },
    },
  });

it('begin when the process does', async () => {
  const { db, owner, operator } = database;
  const old = new Date(Date.now() - 1_000 * 24 * 60 * 60 * 1_000).toISOString();
  const entry = { ip: '203.0.113.7', key_id: null, method: 'GET', route: '/x', status: 200 };
  await insertAccessRows(db, [
    { ...entry, id: randomUUID(), at: old, request_id: 'old', duration_ms: 1 },
  ]);
  await owner.raw('insert into attempt_counts (key, count, ends_at) values (?, 1, ?)', [
    randomBytes(32),
    old,
  ]);
  const user = await buildUser(db, { kyc: 'not_started' });
  await buildIdentityCheck(database, user);
  const decision = { decision: 'rejected' } as const;
  await decideIdentityCheck({ db: operator, actor: 'awa' }, user.username, decision);
  await owner.raw('update identity_checks set decided_at = ?', [old]);
  const merchant = await buildUser(db, { funds: { live: { XOF: 100n } } });
  const paid = await payIntent(db, merchant, {}, 'gone');
  await say(db, await disputeOf(database, paid));
  const { id: frozen } = await buildUser(db, { unconfirmed: true });
  await freezeAccount(operator, frozen, 'a suspicion', 'awa');
  const { rows: months } = await owner.raw(
    `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'webhook_attempts'::regclass order by name desc limit 1`,
  );
  const [{ name: month }] = months as [{ name: string }];
  await owner.raw(`drop table ${month}`);
  const directory = newFolder();

  const service = await start(directory);
  const left = async (): Promise<Record<string, number>> => {
    const { rows } = await owner.raw(
      `select (select count(*)::int from access_entries where request_id = 'old') as requests,
              (select count(*)::int from attempt_counts) as attempts,
              (select count(*)::int from identity_data) as identities,
              (select count(*)::int from (select) one where to_regclass(?) is null) as months,
              (select count(*)::int from (select) one where not exists (select from ledger_seals)) as seals,
              (select count(*)::int from (select) one where not exists (select from told)) as news,
              (select count(*)::int from dispute_notices where problem is distinct from 'gateway_gone') as disputes`,
      [month],
    );
    return rows[0];
  };
  await waitFor(async () => Object.values(await left()).every((count) => count === 0));
  const now = new Date();
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1));
  const books = join(directory, `books-${last.toISOString().slice(0, 7)}`);
  await waitFor(() => existsSync(books));
  await service.stop();
  expect(service.log.filter(({ log }) => log === 'error')).toEqual([]);
});

it('say nothing when another process is at it', async () => {
  const other = await openSession(database.owner_url);
  // The writing of an archive takes this lock (db/archives/archives.ts).
  await other.query('select pg_advisory_lock(7203915)');
  const service = await start(newFolder());
  // Stopping waits for the turns under way.
  await service.stop();
  expect(service.log.filter(({ part }) => part === 'archive-keeper')).toEqual([]);
});

it('say what keeps them from their work', async () => {
  const file = join(newFolder(), 'a file');
  writeFileSync(file, '');
  const service = await start(file);
  await waitFor(() => service.log.some(({ part }) => part === 'archive-keeper'));
  expect(service.log).toContainEqual(
    expect.objectContaining({
      part: 'archive-keeper',
      error: expect.stringMatching(/EEXIST|ENOTDIR/),
    }),
  );
});
