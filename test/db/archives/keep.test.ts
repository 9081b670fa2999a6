// A worker keeps the folder of archives up to date.

import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keepBooks } from '../../../db/archives/keep';
import { verifyArchive } from '../../../db/archives/verify';
import { sealLedger } from '../../../db/ledger/ledger-seals';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { buildUser } from '../../support/users';
import { archiveBooks, buildBooks, MONTH, newFolder } from './support';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

const LAST_MONTH = ((): string => {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1));
  return month.toISOString().slice(0, 7);
})();

it('writes the months after the newest that is there', async () => {
  await buildBooks(database);
  const directory = dirname((await archiveBooks(database)).folder);
  const both = [`books-${MONTH}`, `books-${LAST_MONTH}`];
  await keepBooks(database.db, directory);
  for (const name of both) expect((await verifyArchive(join(directory, name))).faults).toEqual([]);
  // The next turn finds nothing to do.
  expect(await keepBooks(database.db, directory)).toEqual([]);
  expect(readdirSync(directory).sort()).toEqual(both);
});

it('of several workers one writes, and the others say that it does', async () => {
  const directory = newFolder();
  const turns = Array.from({ length: 4 }, () => keepBooks(database.db, directory));
  const ended = await Promise.allSettled(turns);
  expect(ended.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
  for (const turn of ended) {
    if (turn.status === 'fulfilled') continue;
    expect(['archive_busy', 'archive_exists']).toContain(turn.reason.code);
  }
  expect(readdirSync(directory)).toEqual([`books-${LAST_MONTH}`]);
});

it('says what keeps it from writing', async () => {
  await buildUser(database.db, { funds: { live: { XOF: 100n } } });
  await database.owner.raw(
    `set session_replication_role = replica;
     update ledger_transactions set created_at = '${MONTH}-10T00:00:00Z';
     set session_replication_role = origin`,
  );
  await expect(keepBooks(database.db, newFolder())).rejects.toThrow('2 entries have no seal yet');
  await sealLedger(database.db);
  const file = join(newFolder(), 'a file');
  writeFileSync(file, '');
  await expect(keepBooks(database.db, file)).rejects.toThrow(/EEXIST|ENOTDIR/);
});
