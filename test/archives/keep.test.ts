// A worker keeps the folder of archives up to date.

import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { verifyArchive } from '../../archives/verify';
import { startArchiveKeeper } from '../../bin/archive-keeper';
import { sealLedger } from '../../db/ledger-seals';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
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

function start(directory: string) {
  const logged: { error: string }[] = [];
  const keeper = startArchiveKeeper({
    ...{ db: database.db, directory },
    log: (line) => logged.push(line as { error: string }),
  });
  return { keeper, logged };
}

it('writes the months after the newest that is there', async () => {
  await buildBooks(database);
  const directory = dirname((await archiveBooks(database)).folder);
  const { keeper, logged } = start(directory);
  const both = [`books-${MONTH}`, `books-${LAST_MONTH}`];
  await waitFor(() => readdirSync(directory).filter((name) => both.includes(name)).length === 2);
  await keeper.stop();
  expect(logged).toEqual([]);
  for (const name of both) expect((await verifyArchive(join(directory, name))).faults).toEqual([]);
  // A start finds nothing to do.
  await start(directory).keeper.stop();
  expect(readdirSync(directory).sort()).toEqual(both);
});

it('of several workers one writes, and none complains', async () => {
  const directory = newFolder();
  const all = Array.from({ length: 4 }, () => start(directory));
  await waitFor(() => readdirSync(directory).includes(`books-${LAST_MONTH}`));
  for (const { keeper, logged } of all) {
    await keeper.stop();
    expect(logged).toEqual([]);
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
  const unsealed = start(newFolder());
  await waitFor(() => unsealed.logged.length > 0);
  await unsealed.keeper.stop();
  expect(unsealed.logged[0]!.error).toContain('2 entries have no seal yet');
  await sealLedger(database.db);
  const file = join(newFolder(), 'a file');
  writeFileSync(file, '');
  const blocked = start(file);
  await waitFor(() => blocked.logged.length > 0);
  await blocked.keeper.stop();
  expect(blocked.logged[0]!.error).toMatch(/EEXIST|ENOTDIR/);
});
