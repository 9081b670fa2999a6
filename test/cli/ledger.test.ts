import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildUser } from '../support/users';
import { sealLedger } from '../../db/ledger-seals';
import { BUILD_LIMIT_MS, buildCli, type Cli } from './support/cli';

let database: TestDatabase;
let cli: Cli;

beforeAll(async () => {
  database = await createTestDatabase();
  cli = await buildCli(database);
}, BUILD_LIMIT_MS);

describe('ledger verify', () => {
  it('reports no violation, with exit status 0', async () => {
    const { status, stdout } = await cli.run('ledger', 'verify');
    expect(status).toBe(0);
    expect(stdout).toContain('The ledger holds');
    for (const invariant of [
      'I1',
      'I2',
      'I3',
      'I5',
      'I6',
      'I7',
      'I14',
      'I15',
      'I16',
      'I17',
      'I18',
    ]) {
      expect(stdout).toMatch(new RegExp(`^${invariant} +holds +[a-z]`, 'm'));
    }
    expect(stdout).toMatch(/Not checked, .*I4, what callers were answered/);
    expect(await cli.json('ledger', 'verify')).toEqual({ ok: true, violations: [] });
  });

  it('lists violations by reference, with exit status 1', async () => {
    const damaged = await createTestDatabase();
    const damaged_cli = await buildCli(damaged);
    await buildUser(damaged.db, { funds: { live: { XOF: 700n } } });
    // None of our roles can do this: it bypasses the triggers that protect entries.
    await damaged.owner.raw(
      `set session_replication_role = replica;
       update ledger_entries set amount_minor = amount_minor + 100 where amount_minor > 0;
       set session_replication_role = origin`,
    );
    const { rows } = await damaged.owner.raw('select reference from ledger_transactions');
    const { status, stdout, stderr } = await damaged_cli.run('ledger', 'verify', '--json');
    expect([status, stderr]).toEqual([1, '']);
    const { ok, violations } = JSON.parse(stdout);
    expect(ok).toBe(false);
    expect(new Set(violations.map((v: { invariant: string }) => v.invariant))).toEqual(
      new Set(['I1', 'I2', 'I3']),
    );
    const references = violations.map(({ reference }: { reference: string }) => reference);
    expect(references).toContain(rows[0].reference);
    const said = (await damaged_cli.run('ledger', 'verify')).stdout;
    expect(said).toContain(rows[0].reference);
    expect(said).toMatch(/^I2 +BROKEN /m);
    expect(said).toMatch(/^I6 +holds /m);
  });
});

describe('the seals of the ledger', () => {
  it('are listed newest first, page by page, with what waits for one', async () => {
    const sealed = await createTestDatabase();
    const sealed_cli = await buildCli(sealed);
    expect(await sealed_cli.json('ledger', 'head')).toEqual({ id: 0, hash: '0'.repeat(64) });
    for (let seals = 0; seals < 3; seals += 1) {
      await buildUser(sealed.db, { funds: { live: { XOF: 700n } } });
      await sealLedger(sealed.db);
    }
    await buildUser(sealed.db, { funds: { live: { XOF: 700n } } });
    const first = await sealed_cli.json('ledger', 'seals', '--limit', '2');
    const { seals } = first;
    expect(first).toEqual({
      seals: [
        {
          id: 3,
          sealed_at: expect.any(String) as string,
          database_role: new URL(sealed.app_url).username,
          entries: 2,
          hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        },
        expect.objectContaining({ id: 2 }),
      ],
      unsealed_entries: 2,
      next_cursor: '2',
    });
    const second = await sealed_cli.json('ledger', 'seals', '--limit', '2', '--cursor', '2');
    expect(second).toMatchObject({ seals: [{ id: 1 }], next_cursor: null });
    const { stdout } = await sealed_cli.run('ledger', 'seals', '--limit', '1');
    expect(stdout).toMatch(
      /^ID +SEALED AT +ENTRIES +HASH\n3 .*\nEntries without a seal: 2\nMore: --cursor 3\n$/,
    );
    expect((await sealed_cli.run('ledger', 'head')).stdout).toBe(`${seals[0].hash}\n`);
    const { status } = await sealed_cli.run('ledger', 'verify', '--head', seals[1].hash);
    expect(status).toBe(0);
    expect((await sealed_cli.fail('ledger', 'verify', '--head', 'abc')).code).toBe('usage');
  });

  it('are verified: the first that does not hold is named with the account, exit status 1', async () => {
    const damaged = await createTestDatabase();
    const damaged_cli = await buildCli(damaged);
    const { id } = await buildUser(damaged.db, { funds: { live: { XOF: 700n } } });
    await sealLedger(damaged.db);
    await damaged.owner.raw(
      `set session_replication_role = replica;
       update ledger_transactions set description = 'another';
       set session_replication_role = origin`,
    );
    const { rows } = await damaged.owner.raw(
      `select public_id from ledger_accounts where user_id = ? and version = 1`,
      [id],
    );
    const { status, stdout } = await damaged_cli.run('ledger', 'verify', '--json');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      violations: expect.arrayContaining([
        {
          invariant: 'I15',
          what: 'entries are not what was sealed',
          reference: `seal 1, account ${rows[0].public_id}, versions 1 to 1`,
        },
      ]),
    });
    const lost = await damaged_cli.run('ledger', 'verify', '--head', 'f'.repeat(64));
    expect(lost.stdout).toContain('the given head is not the hash of a seal');
  });
});
