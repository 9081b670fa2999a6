// `archive write`, `verify`, `compare`, `read` and `drop`, as an operator calls them.

import { cpSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { archiveBooks, buildBooks, MONTH, newFolder } from '../db/archives/support';
import { createTestDatabase, openSession, setUp, untilLocked } from '../support/database';
import { waitFor } from '../support/wait';
import { buildCli, type Cli } from './support/cli';

const database = setUp(createTestDatabase);
let cli: Cli;
/** Works without a database: it knows none. */
let alone: Cli;

beforeAll(async () => {
  await buildBooks(database);
  await archiveBooks(database);
  cli = buildCli(database);
  alone = buildCli(undefined);
});

it('writes a month, verifies it without a database, compares it, and reads it back', async () => {
  const directory = newFolder();
  const written = await cli.json('archive', 'write', '--month', MONTH, '--to', directory);
  const folder = join(directory, `books-${MONTH}`);
  expect(written).toMatchObject({ folder, kind: 'books', month: MONTH });
  const found = { folder, sha256: written.sha256, ledger_seal: written.ledger_seal, faults: [] };
  for (const path of [directory, folder]) {
    expect(await alone.json('archive', 'verify', path)).toEqual({ ok: true, archives: [found] });
    expect(await cli.json('archive', 'compare', path)).toEqual({ ok: true, archives: [found] });
  }
  const { stdout } = await alone.run('archive', 'verify', directory);
  expect(stdout).toMatch(/ holds: \d+ rows, [0-9a-f]{64}\n$/);
  const file = join(folder, 'transfers.ndjson.gz');
  const read = await alone.run('archive', 'read', folder, '--table', 'transfers');
  expect(read).toEqual({
    status: 0,
    stderr: '',
    stdout: gunzipSync(readFileSync(file)).toString(),
  });
  expect(await alone.run('archive', 'read', file)).toEqual(read);
  expect(read.stdout).toContain('"reference":"TRF-');
  const { audit_rows } = await cli.json('audit', 'list', '--action', 'archive.write');
  expect(audit_rows).toMatchObject([
    { subject: `books-${MONTH}`, details: { sha256: written.sha256 } },
  ]);
});

it('writes the attempts of a month into an archive of their own', async () => {
  const directory = newFolder();
  const terms = ['--month', MONTH, '--to', directory, '--attempts'];
  const written = await cli.json('archive', 'write', ...terms);
  expect(written.files).toMatchObject([{ table: 'webhook_attempts', rows: 0 }]);
  expect(await alone.json('archive', 'verify', directory)).toMatchObject({ ok: true });
});

it('names the file that is damaged, with exit status 1', async () => {
  const directory = newFolder();
  await cli.json('archive', 'write', '--month', MONTH, '--to', directory);
  const folder = join(directory, `books-${MONTH}`);
  const file = join(folder, 'events.ndjson.gz');
  truncateSync(file, readFileSync(file).length - 10);
  for (const command of ['verify', 'compare']) {
    const { status, stdout } = await cli.run('archive', command, directory);
    expect(status).toBe(1);
    expect(stdout).toContain(`${folder} DOES NOT HOLD:\n  events.ndjson.gz is truncated`);
  }
  const { status, stderr } = await alone.run('archive', 'read', file);
  expect(status).toBe(1);
  expect(stderr).toContain(`${file} cannot be read to its end`);
});

it('leaves nothing that looks whole when it is killed, and can be written again', async () => {
  const directory = newFolder();
  const blocker = await openSession(database.owner_url);
  await blocker.query('begin');
  // Its file is written after those of the journal.
  await blocker.query('lock table events in access exclusive mode');
  const killed = cli.start('archive', 'write', '--month', MONTH, '--to', directory);
  await untilLocked(database, 'declare archived');
  const [part, ...others] = readdirSync(directory);
  expect([part, others]).toEqual([expect.stringMatching(new RegExp(`^\\.books-${MONTH}\\.`)), []]);
  expect(readdirSync(join(directory, part!))).toContain('ledger_entries.ndjson.gz');
  await killed.kill();
  expect(await alone.fail('archive', 'verify', directory)).toMatchObject({
    code: 'archive_not_found',
  });
  // The rest of it is no whole archive under any name.
  const renamed = join(newFolder(), `books-${MONTH}`);
  cpSync(join(directory, part!), renamed, { recursive: true });
  const { stdout } = await alone.run('archive', 'verify', renamed);
  expect(stdout).toContain('manifest.json is missing: this is no whole archive');
  await blocker.query('rollback');
  await waitFor(async () => {
    const again = await cli.run('archive', 'write', '--month', MONTH, '--to', directory);
    return again.status === 0;
  });
  expect(readdirSync(directory)).toEqual([`books-${MONTH}`]);
  expect(await alone.json('archive', 'verify', directory)).toMatchObject({ ok: true });
});

it('says why a month is not dropped', async () => {
  const directory = newFolder();
  await cli.json('archive', 'write', '--month', MONTH, '--to', directory);
  const refused = await cli.fail('archive', 'drop', '--month', MONTH, '--from', directory);
  expect(refused).toMatchObject({
    code: 'month_not_dropped',
    // The test has moved the seals.
    message: `${MONTH} is not dropped: seal 1: its content is not what was hashed (I15)`,
  });
});

it.each([
  [['drop', '--month', '2026-13', '--from', '/tmp'], 'usage'],
  [['write', '--month', '2026-13', '--to', '/tmp'], 'usage'],
  [['write', '--month', 'october', '--to', '/tmp'], 'usage'],
  [['write', '--month', '2999-01', '--to', '/tmp'], 'month_not_over'],
  [['verify', '/no/such/folder'], 'archive_not_found'],
  [['read', '/no/such/folder'], 'archive_not_found'],
] as const)('refuses %j', async (args, code) => {
  expect((await cli.fail('archive', ...args)).code).toBe(code);
});
