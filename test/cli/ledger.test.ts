import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildUser } from '../support/users';
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
    expect(stdout).toMatch(/I1.*I2.*I3.*I5.*I6.*I7/);
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
    expect((await damaged_cli.run('ledger', 'verify')).stdout).toContain(rows[0].reference);
  });
});
