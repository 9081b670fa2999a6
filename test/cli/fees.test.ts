import { createTestDatabase, setUp } from '../support/database';
import { postOne } from '../support/postings';
import { getPayout } from '../../db/payouts/payouts';
import { orderedPayout } from '../support/payouts';
import { buildUser } from '../support/users';
import { buildCli } from './support/cli';

const database = setUp(createTestDatabase);
const cli = setUp(async () => buildCli(database));

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
    expect(fees).toHaveLength(9);
    expect(fees).toContainEqual({
      kind: 'payment_intent',
      currency: 'XOF',
      percent: 0,
      fixed: 0,
      requested: null,
    });
    expect((await cli.run('fees', 'show')).stdout).toMatch(/transfer +EUR +0\.00 +0\.00 EUR/);
  });

  it('are set for the next posting, with a row in the audit log', async () => {
    const sent = await cli.json(...set({ percent: '1.5', fixed: '0.10' }));
    const fee = { kind: 'transfer', currency: 'EUR', percent: 1.5, fixed: 0.1 };
    expect(sent).toEqual({ ...fee, changed: true, requested_by: null });
    const sender = await buildUser(database.db, { funds: { live: { EUR: 100_000n } } });
    const recipient = await buildUser(database.db);
    await postOne(database.db, { from: sender, to: recipient, currency: 'EUR', amount: 10_000n });
    const { rows } = await database.owner.raw('select fee_minor from transfers');
    expect(rows).toEqual([{ fee_minor: 160n }]);
    const { audit_rows } = await cli.json('audit', 'list', '--subject', 'fee/transfer/EUR');
    expect(audit_rows).toMatchObject([
      {
        actor: 'awa',
        action: 'fees.set',
        details: { basis_points: 150, fixed_minor: 10, basis_points_before: 0 },
      },
    ]);
    const again = await cli.json(...set({ percent: '1.50', fixed: '0.1' }));
    expect(again.changed).toBe(false);
  });

  it('of payouts are on top of what the recipient gets', async () => {
    const wanted = { kind: 'payout', currency: 'XOF', percent: '1', fixed: '100' };
    expect(await cli.json(...set(wanted))).toMatchObject({ ...wanted, percent: 1, fixed: 100 });
    const merchant = await buildUser(database.db, { funds: { sandbox: { XOF: 1_000_000n } } });
    const { fee_minor } = await getPayout(database.db, await orderedPayout(database.db, merchant));
    expect(fee_minor).toBe(15_000n);
  });

  it.each([
    [{ percent: '1.555', fixed: '0' }, 'usage', '--percent'],
    [{ currency: 'XOF', percent: '1', fixed: '0.5' }, 'invalid_amount', 'XOF has no decimals'],
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
  });
});
