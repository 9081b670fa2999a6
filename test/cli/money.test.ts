import { writeFileSync, appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request } from '../support/http';
import { createTestKey, createTestUser, type TestUser } from '../support/people';
import { startTestService, type TestService } from '../support/service';
import { readStack } from '../support/stack';
import { waitFor } from '../support/wait';
import { BUILD_LIMIT_MS, openCommandLine, type CommandLine } from './support/command-line';

let database: TestDatabase;
let service: TestService;
let cli: CommandLine;
let user: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  cli = await openCommandLine(database);
  user = await createTestUser(database.db);
}, BUILD_LIMIT_MS);

function credit(options: Record<string, string> = {}): string[] {
  const all = {
    user: user.username,
    currency: 'XOF',
    amount: '5000',
    environment: 'live',
    ...options,
  };
  return ['wallets', 'credit', ...Object.entries(all).map(([name, value]) => `--${name}=${value}`)];
}

describe('wallets credit', () => {
  it('adds to a wallet, and shows up as an adjustment', async () => {
    const credited = await cli.json(...credit({ reason: 'cash at the counter' }));
    expect(credited).toMatchObject({
      username: user.username,
      environment: 'live',
      currency: 'XOF',
      amount: 5000,
      balance: 5000,
    });
    const { key } = await createTestKey(database.db, { user });
    const wallets = await request(service, 'GET', '/wallets', { key });
    expect(wallets.text).toContain('"currency":"XOF","balance":5000.00');
    const list = await request(service, 'GET', '/transactions?type=adjustment', { key });
    expect(list.json.transactions).toHaveLength(1);
    expect(list.json.transactions[0]).toMatchObject({
      reference: credited.reference,
      type: 'adjustment',
      status: 'completed',
      direction: 'in',
      amount: 5000,
      balance_after: 5000,
      description: 'cash at the counter',
    });
  });

  it('writes its amounts with two decimals', async () => {
    const { stdout } = await cli.run(...credit({ currency: 'eur', amount: '0.1' }), '--json');
    expect(stdout).toContain('"amount":0.10,"balance":0.10');
  });

  it('keeps the environments apart', async () => {
    const owner = await createTestUser(database.db);
    const options = { user: owner.username, currency: 'USD', amount: '3' };
    await cli.json(...credit({ ...options, environment: 'test' }));
    const live = await cli.json(...credit({ ...options, environment: 'live' }));
    expect(live.balance).toBe(3);
  });

  it.each(['0', '-1', '1e3', '5000.50', '0.001', 'much', '', '99999999999999.99', '٥'])(
    'refuses an amount of %j XOF',
    async (amount) => {
      const error = await cli.fail(...credit({ amount }));
      expect(error.code).toBe(amount === '' ? 'usage' : 'invalid_amount');
    },
  );

  it('refuses what the wallet cannot hold', async () => {
    const owner = await createTestUser(database.db);
    const options = { user: owner.username, currency: 'EUR', amount: '9999999999999.99' };
    await cli.json(...credit(options));
    expect((await cli.fail(...credit({ ...options, amount: '0.01' }))).code).toBe('balance_limit');
  });

  it('says which user, currency or environment it does not know', async () => {
    expect((await cli.fail(...credit({ user: 'nobody-at-all' }))).code).toBe('user_not_found');
    expect((await cli.fail(...credit({ currency: 'GBP' }))).code).toBe('usage');
    expect((await cli.fail(...credit({ environment: 'prod' }))).code).toBe('usage');
  });
});

describe('ledger verify', () => {
  it('finds nothing wrong, and says so with exit status 0', async () => {
    const { status, stdout } = await cli.run('ledger', 'verify');
    expect(status).toBe(0);
    expect(stdout).toMatch(/I1.*I2.*I3.*I5.*I6.*I7/);
    expect(await cli.json('ledger', 'verify')).toEqual({ ok: true, violations: [] });
  });

  it('names what is wrong by its reference, with exit status 1', async () => {
    const damaged = await createTestDatabase();
    const line = await openCommandLine(damaged);
    await createTestUser(damaged.db, { funds: { live: { XOF: 700n } } });
    // What no role of ours can do: an entry is changed behind the ledger's back.
    await damaged.owner.raw(
      `set session_replication_role = replica;
       update ledger_entries set amount_minor = amount_minor + 100 where amount_minor > 0;
       set session_replication_role = origin`,
    );
    const { rows } = await damaged.owner.raw('select reference from ledger_transactions');
    const { status, stdout, stderr } = await line.run('ledger', 'verify', '--json');
    expect([status, stderr]).toEqual([1, '']);
    const { ok, violations } = JSON.parse(stdout);
    expect(ok).toBe(false);
    expect(new Set(violations.map((v: { invariant: string }) => v.invariant))).toEqual(
      new Set(['I1', 'I2', 'I3']),
    );
    const references = violations.map(({ reference }: { reference: string }) => reference);
    expect(references).toContain(rows[0].reference);
    expect((await line.run('ledger', 'verify')).stdout).toContain(rows[0].reference);
  });
});

describe('access-log rebuild', () => {
  const rows = async (): Promise<unknown[]> =>
    (await database.owner.raw('select * from access_log order by id')).rows;

  it('restores the rows that are missing from the lines, and no row twice', async () => {
    const { key } = await createTestKey(database.db, { user });
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

  it('passes over other lines, and over one that a crash cut short', async () => {
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

  it('says when there is no such file', async () => {
    const error = await cli.fail('access-log', 'rebuild', '--file', '/nowhere/access.log');
    expect(error.message).toContain('/nowhere/access.log');
  });
});
