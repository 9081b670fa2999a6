import { randomUUID } from 'node:crypto';
import { writeFileSync, appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request } from '../support/http';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { startTestService, type TestService } from '../support/service';
import { readStack } from '../support/stack';
import { waitFor } from '../support/wait';
import { BUILD_LIMIT_MS, buildCli, type Cli } from './support/cli';

let database: TestDatabase;
let service: TestService;
let cli: Cli;
let user: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  cli = await buildCli(database);
  user = await buildUser(database.db);
}, BUILD_LIMIT_MS);

describe('access-log rebuild', () => {
  const rows = async (): Promise<unknown[]> =>
    (await database.owner.raw('select * from access_entries order by id')).rows;

  it('restores missing rows from the lines, and no row twice', async () => {
    const { key } = await buildApiKey(database.db, { user });
    const count = (await rows()).length;
    for (let i = 0; i < 20; i += 1) await request(service, 'GET', '/wallets', { key });
    await request(service, 'GET', '/wallets');
    const whole = await waitFor(async () => {
      const found = await rows();
      return found.length === count + 21 && found;
    });
    const lost = await database.owner.raw(
      'delete from access_entries where id in (select id from access_entries limit 11)',
    );
    expect(lost.rowCount).toBe(11);
    const file = service.config.access_log_file!;
    expect(await cli.json('access-log', 'rebuild', '--file', file)).toEqual({
      lines: whole.length,
      inserted: 11,
      expired: 0,
    });
    expect(await rows()).toEqual(whole);
    expect(await cli.json('access-log', 'rebuild', '--file', file)).toEqual({
      lines: whole.length,
      inserted: 0,
      expired: 0,
    });
  });

  it('ignores other lines, and one that a crash cut short', async () => {
    const file = join(readStack().folder, `lines-${database.name}.log`);
    const line = {
      log: 'access',
      id: '3f0e7f4a-5b0f-4b43-9c3e-2a0a3f6f2b11',
      at: new Date(Date.now() - 30 * 24 * 60 * 60 * 1_000).toISOString(),
      ip: '127.0.0.1',
      key_id: null,
      method: 'GET',
      route: '/api/public/v1/me',
      status: 200,
      request_id: 'rebuilt',
      duration_ms: 1.5,
    };
    writeFileSync(file, `not JSON\n{"log":"error"}\n\nnull\n${JSON.stringify(line)}\n`);
    appendFileSync(file, JSON.stringify(line).slice(0, 50));
    expect(await cli.json('access-log', 'rebuild', '--file', file)).toEqual({
      lines: 1,
      inserted: 1,
      expired: 0,
    });
  });

  it('restores rows with a count by the lines that they counted, and nothing that is too old', async () => {
    const file = join(readStack().folder, `shared-${database.name}.log`);
    const minute = Math.floor(Date.now() / 60_000) * 60_000;
    const line = (fields: object) =>
      JSON.stringify({
        ...{ log: 'access', id: randomUUID(), at: new Date(minute + 5).toISOString() },
        ...{ ip: '203.0.113.7', key_id: null, method: 'GET', route: '/x', status: 404 },
        ...{ request_id: 'shared', duration_ms: 1, ...fields },
      });
    const row_id = randomUUID();
    const old = '2020-01-01T00:00:00.000Z';
    const lines = [{ row_id }, { row_id: null }, { row_id }, { at: old }, { row_id }].map(line);
    writeFileSync(file, `${lines.join('\n')}\n`);
    const rebuild = () => cli.json('access-log', 'rebuild', '--file', file);
    expect(await rebuild()).toEqual({ lines: 5, inserted: 1, expired: 1 });
    expect(await rebuild()).toEqual({ lines: 5, inserted: 0, expired: 1 });
    const found = await database.owner.raw('select * from access_entries where id = ?', [row_id]);
    expect(found.rows).toEqual([
      expect.objectContaining({ requests: 3, ip: '203.0.113.7', route: null, status: null }),
    ]);
    expect(Date.parse(found.rows[0].at)).toBe(minute);
  });

  it('leaves out what a process of the version before has written', async () => {
    const file = join(readStack().folder, `before-${database.name}.log`);
    const entry = {
      ...{ id: randomUUID(), at: new Date().toISOString(), ip: '203.0.113.7', key_id: null },
      ...{ method: 'GET', route: '/x', status: 200, request_id: 'before', duration_ms: 1 },
    };
    // As that version does.
    await database.db.raw(
      `insert into access_log (id, at, ip, key_id, method, route, status, request_id, duration_ms)
       values (:id, :at, :ip, :key_id, :method, :route, :status, :request_id, :duration_ms)
       on conflict (id) do nothing`,
      entry,
    );
    writeFileSync(file, `${JSON.stringify({ log: 'access', ...entry })}\n`);
    expect(await cli.json('access-log', 'rebuild', '--file', file)).toEqual({
      ...{ lines: 1, inserted: 0, expired: 0 },
    });
    const { rows } = await database.db.raw(
      `select requests from access_history where request_id = 'before'`,
    );
    expect(rows).toEqual([{ requests: 1 }]);
  });

  it('fails when the file does not exist', async () => {
    const error = await cli.fail('access-log', 'rebuild', '--file', '/nowhere/access.log');
    expect(error.message).toContain('/nowhere/access.log');
  });
});
