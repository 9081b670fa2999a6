// The API as a process of its own (`bin/api`): what it writes where, and how it stops.

import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PREFIX } from '../../http/prefix';
import { makeSealingKey } from '../../secrets/keyring';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request } from '../support/http';
import { pickTestPort } from '../support/ports';
import { waitFor } from '../support/wait';
import { buildAccount } from '../api/support/accounts';
import { callApi, expectUnavailable } from '../api/support/contract';
import { startTemporalProxy, type TemporalProxy } from '../api/support/tcp-proxy';
import { BUILD_LIMIT_MS, buildProgram } from '../cli/support/cli';

const PROGRAM = join(__dirname, '..', '..', 'dist', 'bin', 'api.js');

let database: TestDatabase;
let temporal: TemporalProxy;
let child: ChildProcess;
let service: { readonly base_url: string };
let stdout = '';
let stderr = '';

beforeAll(async () => {
  database = await createTestDatabase();
  await buildAccount(database, { live: { XOF: 100_000n } });
  // Builds the program.
  await buildProgram();
  temporal = await startTemporalProxy();
  const port = await pickTestPort();
  service = { base_url: `http://127.0.0.1:${port}${PREFIX}` };
  child = startProgram(database, port);
  child.stdout!.on('data', (text: string) => (stdout += text));
  child.stderr!.on('data', (text: string) => (stderr += text));
  await waitFor(() => stderr.includes('"log":"ready"'));
}, BUILD_LIMIT_MS);

/** A file to which nothing can be written. */
const FULL = '/dev/full';

function startProgram(
  { app_url }: TestDatabase,
  port: number,
  errors: number | 'pipe' = 'pipe',
): ChildProcess {
  const program = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      DATABASE_URL: app_url,
      TEMPORAL_ADDRESS: temporal.address,
      TASK_QUEUE: `test-${randomBytes(8).toString('hex')}`,
      SECRETS_KEYS: makeSealingKey(),
    },
    stdio: ['ignore', 'pipe', errors],
  });
  closeAfterFile(() => void program.kill('SIGKILL'));
  for (const stream of [program.stdout, program.stderr]) stream?.setEncoding('utf8');
  return program;
}

it('goes on although what it logs has no room', async () => {
  if (!existsSync(FULL)) return console.warn(`not tried: there is no ${FULL} here`);
  const full = openSync(FULL, 'w');
  closeAfterFile(() => closeSync(full));
  const port = await pickTestPort();
  // A database of its own: what asks before it is ready leaves rows.
  const program = startProgram(await createTestDatabase(), port, full);
  await waitFor(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined);
    return response?.status === 200;
  });
  // The line that it is ready comes after that.
  const stopped = once(program, 'close') as Promise<[number | null]>;
  program.kill('SIGTERM');
  expect(await stopped).toEqual([0, null]);
});

it('drops what it logs when its reader hangs, and keeps its memory', async () => {
  const script = `
    const { logLine } = require(${JSON.stringify(join(dirname(PROGRAM), 'process.js'))});
    for (let n = 0; n < 50_000; n += 1) logLine({ log: 'access', text: 'x'.repeat(1_000) });
    process.stderr.write(String(process.stdout.writableLength), () => process.exit());`;
  // The test does not read its standard output.
  const program = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  closeAfterFile(() => void program.kill('SIGKILL'));
  const [unread] = (await once(program.stderr, 'data')) as [Buffer];
  expect(Number(unread)).toBeGreaterThan(4_000_000);
  expect(Number(unread)).toBeLessThan(5_000_000);
});

it('ends with status 1 and says so when a migration is missing', async () => {
  const old = await createTestDatabase();
  await old.owner.raw(
    'delete from schema_files where applied_at = (select max(applied_at) from schema_files)',
  );
  const program = startProgram(old, await pickTestPort());
  let told = '';
  program.stderr!.on('data', (text: string) => (told += text));
  const [status] = (await once(program, 'close')) as [number | null];
  expect(status).toBe(1);
  expect(told).toContain('The schema is out of date: run npm run migrate.');
});

it('seals the ledger as soon as it starts', async () => {
  await waitFor(async () => {
    const { rows } = await database.owner.raw('select entries from ledger_seals');
    return (rows as { entries: bigint }[]).some(({ entries }) => entries > 0n);
  });
});

/** Throws when a line is not JSON. */
function readLines(text: string): Record<string, unknown>[] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('writes one access line per request and nothing else to standard output, come what may', async () => {
  const sender = await buildAccount(database, { live: { XOF: 100_000n } });
  const { username } = await buildAccount(database);
  const send = () => {
    const body = { to_username: username, currency: 'XOF', amount: 1 };
    return callApi(service, 'POST', '/transfers', { key: sender.live, body });
  };
  const ids: unknown[] = [];
  const note = <T extends { headers: Readonly<Record<string, unknown>> }>(answer: T): T => {
    ids.push(answer.headers['x-request-id']);
    return answer;
  };
  expect(note(await send()).status).toBe(200);
  expect(note(await request(service, 'GET', '/nothing')).status).toBe(404);
  await temporal.cut();
  expectUnavailable(note(await send()));
  await temporal.restore();
  await waitFor(async () => note(await send()).status === 200);

  child.kill('SIGTERM');
  const [status] = (await once(child, 'close')) as [number | null];
  expect(status).toBe(0);
  const lines = readLines(stdout);
  expect(new Set(lines.map(({ log }) => log))).toEqual(new Set(['access']));
  expect(lines.map(({ request_id }) => request_id)).toEqual(ids);
  // Entries for operators are on standard error, as JSON lines too.
  const entries = readLines(stderr);
  expect(entries.map(({ log }) => log)).toContain('ready');
  expect(entries.map(({ log }) => log)).toContain('error');
  // Every row was written before the process ended.
  const { rows } = await database.owner.raw('select request_id from access_entries');
  expect(rows.length).toBe(ids.length);
});
