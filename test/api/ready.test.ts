// GET /ready: which part keeps a process from working. Real connections are cut; nothing is mocked.

import { createTestDatabase, setUp } from '../support/database';
import { request, type HttpResponse } from '../support/http';
import { pickTestPort } from '../support/ports';
import { startTestService, type TestService } from '../support/service';
import { readStack } from '../support/stack';
import { asSuperuser } from '../support/superuser';
import { waitFor } from '../support/wait';
import { startPostgresProxy, startTemporalProxy } from './support/tcp-proxy';

const database = setUp(createTestDatabase);
const postgres = setUp(() => startPostgresProxy(database));
const temporal = setUp(startTemporalProxy);
let service: TestService;
/** The listener for those who look after the service. */
let probes: string;

beforeAll(async () => {
  const port = await pickTestPort();
  probes = `http://127.0.0.1:${port}`;
  const overrides = {
    database_url: postgres.url,
    temporal_address: temporal.address,
    metrics: { host: '127.0.0.1', port },
  };
  service = await startTestService({ database, overrides });
});

const ALL = { postgres: 'ok', disk: 'ok', temporal: 'ok', schema: 'ok' } as const;
const NO_POSTGRES = { ...ALL, postgres: 'failed', schema: 'failed' } as const;

function ask(): Promise<HttpResponse> {
  return request(service, 'GET', `${service.origin}/ready`);
}

/** Repeats the question: an answer is kept for a moment. */
function askUntil(status: number, checks: Readonly<Record<string, string>>): Promise<HttpResponse> {
  return waitFor(async () => {
    const response = await ask();
    const is_it = JSON.stringify(response.json?.checks) === JSON.stringify(checks);
    return response.status === status && is_it && response;
  });
}

/** Applies to new connections of the application, as on a standby. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  const { app_role, superuser_url } = readStack();
  const sql = `alter role ${app_role} in database ${database.name}
                 set default_transaction_read_only = ${value}`;
  await asSuperuser(superuser_url, sql);
}

afterEach(async () => {
  await postgres.restore();
  await temporal.restore();
  await askUntil(200, ALL);
});

describe('GET /ready', () => {
  it('answers 200 without a key when all parts work', async () => {
    const response = await askUntil(200, ALL);
    expect(response.json).toEqual({ ok: true, is_stopping: false, checks: ALL });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(response.headers['x-request-id']).toBeDefined();
  });

  it('names Temporal when it is away', async () => {
    await temporal.cut();
    const response = await askUntil(503, { ...ALL, temporal: 'failed' });
    expect(response.json.ok).toBe(false);
  });

  it.each([
    ['Temporal is away', 'temporal', 200],
    ['Postgres is away', 'postgres', 503],
  ] as const)('tells probes of an API whether to send requests when %s', async (_, name, ready) => {
    const cut = { temporal, postgres }[name];
    const statusOf = async (path: string) => (await fetch(probes + path)).status;
    await cut.cut();
    await waitFor(async () => (await statusOf('/ready?all')) === 503);
    expect(await statusOf('/ready')).toBe(ready);
    expect(await statusOf('/live')).toBe(200);
  });

  it('names Postgres when it is away', async () => {
    await postgres.cut();
    const response = await askUntil(503, NO_POSTGRES);
    expect(response.text).not.toMatch(/ECONN|127\.0\.0\.1/);
  });

  it('answers while Postgres takes connections and says nothing', async () => {
    postgres.vanish('everything');
    await askUntil(503, NO_POSTGRES);
    postgres.reappear();
  });

  it('names Postgres when it reads and takes no writes', async () => {
    await setReadOnly('on');
    await postgres.cut();
    await postgres.restore();
    await askUntil(503, { ...ALL, postgres: 'failed' });
    await setReadOnly('off');
    await postgres.cut();
  });

  // Postgres's own error stands for a full disk; test/faults/disk.test.ts fills one.
  it('names the disk when Postgres has no room', async () => {
    const signature = 'function write_scratch()';
    const { rows } = await database.owner.raw(
      `select pg_get_functiondef('write_scratch()'::regprocedure) as source`,
    );
    await database.owner.raw(`create or replace ${signature} returns integer language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
    await askUntil(503, { ...ALL, disk: 'failed' });
    await database.owner.raw((rows as { source: string }[])[0]!.source);
  });

  it('names the schema when a file of this version was never applied', async () => {
    const taken = await database.owner.raw(
      `delete from schema_files where name = 'ledger/ledger.sql' returning name, checksum, applied_at`,
    );
    await askUntil(503, { ...ALL, schema: 'failed' });
    const { name, checksum, applied_at } = taken.rows[0];
    await database.owner.raw(
      'insert into schema_files (name, checksum, applied_at) values (?, ?, ?)',
      [name, checksum, applied_at],
    );
  });

  it('asks the parts no more often for a thousand callers than for one', async () => {
    await askUntil(200, ALL);
    const before = postgres.countSent('applied_files');
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 1_000 }, ask));
    const seconds = Math.ceil((performance.now() - began) / 1_000);
    // A part that a busy machine keeps from answering within two seconds has failed, for a second.
    expect([200, 503]).toEqual(expect.arrayContaining(answers.map(({ status }) => status)));
    expect(postgres.countSent('applied_files') - before).toBeLessThanOrEqual(seconds + 1);
  });
});
