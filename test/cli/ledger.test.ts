import { createTestDatabase, setUp } from '../support/database';
import { getRefund } from '../../db/refunds/refunds';
import { answer, notice, ordered, payIntent } from '../support/refunds';
import { buildUser } from '../support/users';
import { sealLedger } from '../../db/ledger/ledger-seals';
import { buildCli } from './support/cli';

const database = setUp(createTestDatabase);
const cli = setUp(async () => buildCli(database));

describe('ledger verify', () => {
  it('reads in pieces since a month, and tells when it has read each', async () => {
    const month = new Date().toISOString().slice(0, 7);
    const { status, stderr } = await cli.run('ledger', 'verify', '--since', month);
    expect({ status, stderr }).toEqual({ status: 0, stderr: `${month}: 0 violations\n` });
    for (const options of [
      ['--since', 'march'],
      ['--since', month, '--head', 'f'.repeat(64)],
    ]) {
      expect((await cli.fail('ledger', 'verify', ...options)).code).toBe('usage');
    }
  });

  it('reports no violation, with exit status 0', async () => {
    const { status, stdout } = await cli.run('ledger', 'verify');
    expect(status).toBe(0);
    expect(stdout).toContain('The ledger holds');
    for (const n of [1, 2, 3, 5, 6, 7, 14, 15, 16, 17, 18]) {
      expect(stdout).toMatch(new RegExp(`^I${n} +holds +[a-z]`, 'm'));
    }
    expect(stdout).toMatch(/Not checked, .*I4, what callers were answered/);
    expect(await cli.json('ledger verify')).toEqual({ ok: true, violations: [], losses: [] });
  });

  it('lists violations by reference, with exit status 1', async () => {
    const damaged = await createTestDatabase();
    const damaged_cli = buildCli(damaged);
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
      new Set(['I1', 'I2', 'I3', 'I5']),
    );
    const references = violations.map(({ reference }: { reference: string }) => reference);
    expect(references).toContain(rows[0].reference);
    const said = (await damaged_cli.run('ledger', 'verify')).stdout;
    expect(said).toContain(rows[0].reference);
    expect(said).toMatch(/^I2 +BROKEN /m);
    expect(said).toMatch(/^I6 +holds /m);
  });
});

describe('a loss', () => {
  it('is told by ledger verify with exit status 0, listed, and settled by a command', async () => {
    const lost = await createTestDatabase();
    const lost_cli = buildCli(lost);
    const id = await ordered(lost.db, await payIntent(lost.db, await buildUser(lost.db)));
    await answer(lost.db, id, 'failed');
    await notice(lost.owner, id);
    await answer(lost.db, id, 'succeeded');
    const { reference } = await getRefund(lost.db, id);
    const { status, stdout } = await lost_cli.run('ledger', 'verify');
    expect(status).toBe(0);
    expect(stdout).toContain('Losses that wait to be settled');
    expect(await lost_cli.json('ledger', 'verify')).toEqual({
      ok: true,
      violations: [],
      losses: [reference],
    });
    const { losses } = await lost_cli.json('losses', 'list');
    expect(losses).toMatchObject([{ reference, amount: 5000, environment: 'sandbox' }]);
    expect(await lost_cli.json('losses', 'settle', reference, '--reason', 'x')).toMatchObject({
      reference,
    });
    expect(await lost_cli.json('losses', 'list')).toEqual({ losses: [] });
    const again = await lost_cli.fail('losses', 'settle', reference, '--reason', 'x');
    expect(again.code).toBe('loss_not_found');
  });
});

describe('the seals of the ledger', () => {
  it('are listed newest first, page by page, with what waits for one', async () => {
    const sealed = await createTestDatabase();
    const sealed_cli = buildCli(sealed);
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
          // Two entries of a credit, and three rows of the audit log.
          entries: 5,
          hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        },
        expect.objectContaining({ id: 2 }),
      ],
      unsealed_entries: 5,
      next_cursor: '2',
    });
    const second = await sealed_cli.json('ledger', 'seals', '--limit', '2', '--cursor', '2');
    expect(second).toMatchObject({ seals: [{ id: 1 }], next_cursor: null });
    const { stdout } = await sealed_cli.run('ledger', 'seals', '--limit', '1');
    expect(stdout).toMatch(
      /^ID +SEALED AT +ENTRIES +HASH\n3 .*\nEntries without a seal: 5\nMore: --cursor 3\n$/,
    );
    expect((await sealed_cli.run('ledger', 'head')).stdout).toBe(`${seals[0].hash}\n`);
    const { status } = await sealed_cli.run('ledger', 'verify', '--head', seals[1].hash);
    expect(status).toBe(0);
    expect((await sealed_cli.fail('ledger', 'verify', '--head', 'abc')).code).toBe('usage');
  });

  it('are verified: the first that does not hold is named with the account, exit status 1', async () => {
    const damaged = await createTestDatabase();
    const damaged_cli = buildCli(damaged);
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
