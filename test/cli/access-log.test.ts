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
    (await database.owner.raw('select * from access_log order by id')).rows;

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
      'delete from access_log where id in (select id from access_log limit 11)',
    );
    expect(lost.rowCount).toBe(11);
    const file = service.config.access_log_file!;
    expect(await cli.json('access-log', 'rebuild', '--file', file)).toEqual({
      lines: whole.length,
      inserted: 11,
    });
    expect(await rows()).toEqual(whole);
    expect(await cli.json('access-log', 'rebuild', '--file', file)).toEqual({
      lines: whole.length,
      inserted: 0,
    });
  });

  it('ignores other lines, and one that a crash cut short', async () => {
    const file = join(readStack().folder, `lines-${database.name}.log`);
    const line = {
      log: 'access',
      id: '3f0e7f4a-5b0f-4b43-9c3e-2a0a3f6f2b11',
      at: '2026-01-01T00:00:00.000Z',
      ip: '127.0.0.1',
      key_id: null,
      method: 'GET',
      route: '/api/public/v1/health',
      status: 200,
      request_id: 'rebuilt',
      duration_ms: 1.5,
    };
    writeFileSync(file, `not JSON\n{"log":"error"}\n\nnull\n${JSON.stringify(line)}\n`);
    appendFileSync(file, JSON.stringify(line).slice(0, 50));
    expect(await cli.json('access-log', 'rebuild', '--file', file)).toEqual({
      lines: 1,
      inserted: 1,
    });
  });

  it('fails when the file does not exist', async () => {
    const error = await cli.fail('access-log', 'rebuild', '--file', '/nowhere/access.log');
    expect(error.message).toContain('/nowhere/access.log');
  });
});
