import { spawn } from 'node:child_process';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isListening } from '../../../dev/embedded/ports';
import { startTemporal, type EmbeddedTemporal } from '../../../dev/embedded/temporal';
import { acquireTemporalBinary } from '../../../dev/embedded/temporal-binary';
import { openingStatements } from '../../../dev/embedded/temporal-file';
import { pickTestPort, startOnTestPort } from '../../support/ports';
import { waitFor } from '../../support/wait';
import { stopAfterEach, tempFolder } from './temp-folder';

// The first run on a machine may have to build the binary.
jest.setTimeout(900_000);

const MB = 1024 * 1024;
const root = tempFolder();
const track = stopAfterEach();
let binary: string;
let file: string;

beforeAll(async () => {
  binary = await acquireTemporalBinary({ env: process.env, log: () => {} });
});

beforeEach(() => {
  file = join(mkdtempSync(join(root, 'file-')), 'temporal.db');
});

async function start(): Promise<EmbeddedTemporal> {
  const server = await startOnTestPort((port) =>
    startTemporal({
      binary,
      database_file: file,
      port,
      ui_port: null,
      namespace: 'default',
      log_file: `${file}.log`,
    }),
  );
  return track(server);
}

/** Has the server's own SQLite run this on the file. Returns what it says when it cannot. */
async function runSql(...statements: readonly string[]): Promise<string> {
  const port = await pickTestPort();
  const pragma = ['user_version=1', ...statements].join(';');
  const child = spawn(
    binary,
    [
      'server',
      'start-dev',
      '--headless',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--db-filename',
      file,
      '--sqlite-pragma',
      pragma,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  let ended = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.once('close', () => (ended = true));
  await waitFor(async () => ended || (await isListening(port)));
  const has_failed = ended;
  child.kill('SIGKILL');
  await waitFor(() => ended);
  return has_failed ? said : '';
}

/** Succeeds when there is no such index. */
const make = (index: string): string => `create index ${index} on executions_visibility (status)`;

it('a new file has the indexes that searches need, and not the others', async () => {
  const server = await start();
  await server.stop();
  for (const index of ['default_idx', 'by_workflow_type', 'by_status', 'by_keyword_10']) {
    expect(await runSql(make(index))).toContain(`index ${index} already exists`);
  }
  expect(await runSql(make('by_task_queue'), make('by_bool_03'), make('by_int_01'))).toBe('');
});

it('a file that is mostly empty becomes small when it is opened, and keeps what it has', async () => {
  await (await start()).stop();
  const rows = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)';
  const fault = await runSql(
    'create table kept (i int)',
    'create table filler (b blob)',
    'insert into kept values (1)',
    `${rows} insert into filler select zeroblob(${MB}) from n`,
    'drop table filler',
    'pragma wal_checkpoint(truncate)',
  );
  expect(fault).toBe('');
  expect(statSync(file).size).toBeGreaterThan(300 * MB);
  await (await start()).stop();
  expect(statSync(file).size).toBeLessThan(20 * MB);
  expect(await runSql('create table kept (i int)')).toContain('table kept already exists');
});

it.each([
  // Pages of 4 kB: of how many, and how many are free.
  ['mostly free', 200_000, 150_000, true],
  ['free by half', 200_000, 100_000, false],
  ['small', 50_000, 49_000, false],
  ['with more to keep than a start has time for', 2_000_000, 1_400_000, false],
  ['just made', 200, 0, false],
])('a file that is %s is rewritten or not', (_, pages, free, is_rewritten) => {
  const header = Buffer.alloc(100);
  header.writeUInt16BE(4096, 16);
  header.writeUInt32BE(pages, 28);
  header.writeUInt32BE(free, 36);
  writeFileSync(file, header);
  expect(openingStatements(file).includes('vacuum')).toBe(is_rewritten);
});

it('a file that is not there, or cut short, is not rewritten', () => {
  expect(openingStatements(file)).not.toContain('vacuum');
  writeFileSync(file, 'SQLite');
  expect(openingStatements(file)).not.toContain('vacuum');
});
