import { createTestDatabase, type TestDatabase } from '../support/database';
import { postOne } from '../support/postings';
import { buildUser } from '../support/users';
import { BUILD_LIMIT_MS, buildCli, type Cli } from './support/cli';

let database: TestDatabase;
let cli: Cli;

beforeAll(async () => {
  database = await createTestDatabase();
  cli = await buildCli(database);
}, BUILD_LIMIT_MS);

interface Given {
  readonly kind?: string;
  readonly currency?: string;
  readonly percent: string;
  readonly fixed: string;
}

function set({ kind = 'transfer', currency = 'EUR', percent, fixed }: Given, actor = 'awa') {
  const words = ['fees', 'set', '--kind', kind, '--currency', currency, '--actor', actor];
  return [...words, '--percent', percent, '--fixed', fixed];
}

async function feeOf(kind: string, currency: string) {
  const { fees } = await cli.json('fees', 'show');
  return (fees as { kind: string; currency: string }[]).find(
    (fee) => fee.kind === kind && fee.currency === currency,
  );
}

async function needSecondOperator(currency: string, above: number | null): Promise<void> {
  await database.owner.raw('update approval_limits set above_minor = ? where currency = ?', [
    above,
    currency,
  ]);
}

describe('fees', () => {
  it('are shown, zero at first', async () => {
    const { fees } = await cli.json('fees', 'show');
    expect(fees).toHaveLength(6);
    expect(fees).toContainEqual({
      ...{ kind: 'payment_intent', currency: 'XOF' },
      ...{ percent: 0, fixed: 0, requested: null },
    });
    expect((await cli.run('fees', 'show')).stdout).toMatch(/transfer +EUR +0\.00 +0\.00 EUR/);
  });

  it('are set for the next posting, with a row in the audit log', async () => {
    const sent = await cli.json(...set({ percent: '1.5', fixed: '0.10' }));
    expect(sent).toEqual({
      ...{ kind: 'transfer', currency: 'EUR', percent: 1.5, fixed: 0.1 },
      ...{ changed: true, requested_by: null },
    });
    const sender = await buildUser(database.db, { funds: { live: { EUR: 100_000n } } });
    const recipient = await buildUser(database.db);
    await postOne(database.db, { from: sender, to: recipient, currency: 'EUR', amount: 10_000n });
    const { rows } = await database.owner.raw('select fee_minor from transfers');
    expect(rows).toEqual([{ fee_minor: 160n }]);
    const { audit_rows } = await cli.json('audit', 'list', '--subject', 'fee/transfer/EUR');
    expect(audit_rows).toMatchObject([
      {
        ...{ actor: 'awa', action: 'fees.set' },
        details: { basis_points: 150, fixed_minor: 10, basis_points_before: 0 },
      },
    ]);
    const again = await cli.json(...set({ percent: '1.50', fixed: '0.1' }));
    expect(again.changed).toBe(false);
  });

  it.each([
    [{ percent: '101', fixed: '0' }, 'usage', '--percent'],
    [{ percent: '1.555', fixed: '0' }, 'usage', '--percent'],
    [{ percent: '-1', fixed: '0' }, 'usage', '--percent'],
    [{ currency: 'XOF', percent: '1', fixed: '0.5' }, 'invalid_amount', 'XOF has no decimals'],
    [{ kind: 'loan', percent: '1', fixed: '0' }, 'usage', '--kind'],
  ])('refuse %j', async (given, code, said) => {
    const error = await cli.fail(...set(given));
    expect(error).toEqual({ code, message: expect.stringContaining(said) });
  });
});

describe('where decisions need a second operator', () => {
  beforeAll(() => needSecondOperator('USD', 0));
  afterAll(() => needSecondOperator('USD', null));

  const wanted = { currency: 'USD', percent: '2', fixed: '0' };

  it('a fee is set when another operator gives the same command', async () => {
    expect((await cli.fail(...set(wanted, 'awa'))).code).toBe('approval_required');
    expect(await feeOf('transfer', 'USD')).toMatchObject({
      percent: 0,
      requested: { percent: 2, fixed: 0, by: 'awa' },
    });
    // Whatever its capitals, a name is one person's.
    expect((await cli.fail(...set(wanted, 'AWA'))).code).toBe('same_operator');
    expect(await cli.json(...set(wanted, 'moussa'))).toMatchObject({
      changed: true,
      requested_by: 'awa',
    });
    expect(await feeOf('transfer', 'USD')).toMatchObject({ percent: 2, requested: null });
    const subject = ['--subject', 'fee/transfer/USD'];
    const { audit_rows } = await cli.json('audit', 'list', ...subject);
    expect(audit_rows).toMatchObject([
      { action: 'fees.set', details: { requested_by: 'awa', approved_by: 'moussa' } },
      { action: 'fees.request', actor: 'awa' },
    ]);
    expect((await cli.json('audit', 'verify')).ok).toBe(true);
  });

  it('other values are a request of their own, and replace the one before', async () => {
    await cli.fail(...set({ ...wanted, percent: '3' }, 'awa'));
    const other = await cli.fail(...set({ ...wanted, percent: '4' }, 'moussa'));
    expect(other.code).toBe('approval_required');
    const first = await cli.fail(...set({ ...wanted, percent: '3' }, 'moussa'));
    expect(first.code).toBe('approval_required');
    expect(await feeOf('transfer', 'USD')).toMatchObject({ percent: 2 });
  });

  it('a request is good for a week', async () => {
    const kind = 'payment_intent';
    await cli.fail(...set({ ...wanted, kind }, 'awa'));
    // None of our roles can do this: the audit log only grows.
    await database.owner.raw(
      `set session_replication_role = replica;
       update audit_log set at = at - interval '8 days' where subject = 'fee/payment_intent/USD';
       set session_replication_role = origin`,
    );
    expect((await cli.fail(...set({ ...wanted, kind }, 'moussa'))).code).toBe('approval_required');
    expect(await feeOf(kind, 'USD')).toMatchObject({ percent: 0, requested: { by: 'moussa' } });
  });
});
