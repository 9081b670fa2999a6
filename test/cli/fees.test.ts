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
  it('are shown, zero and general at first', async () => {
    const { fees } = await cli.json('fees', 'show');
    expect(fees).toHaveLength(9);
    expect(fees).toContainEqual({
      id: expect.any(String),
      tax: false,
      kind: 'payment_intent',
      currency: 'XOF',
      user: null,
      method: null,
      amount_from: 0,
      amount_below: null,
      percent: 0,
      fixed: 0,
      minimum: null,
      maximum: null,
      of: 'amount',
      bearer: 'merchant',
      from: null,
      until: null,
    });
    expect((await cli.run('fees', 'show')).stdout).toMatch(/transfer +EUR +0 % and 0\.00/);
  });

  it('are set for the next posting, with before and after in the audit log', async () => {
    const sent = await cli.json(...set({ percent: '1.5', fixed: '0.10' }));
    const fee = { kind: 'transfer', currency: 'EUR', percent: 1.5, fixed: 0.1, changed: true };
    expect(sent).toMatchObject(fee);
    const sender = await buildUser(database.db, { funds: { live: { EUR: 100_000n } } });
    const recipient = await buildUser(database.db);
    await postOne(database.db, { from: sender, to: recipient, currency: 'EUR', amount: 10_000n });
    const { rows } = await database.owner.raw('select fee_minor from transfers');
    expect(rows).toEqual([{ fee_minor: 160n }]);
    const again = await cli.json(...set({ percent: '1.50', fixed: '0.1' }));
    expect(again.changed).toBe(false);
    const { audit_rows } = await cli.json('audit', 'list', '--subject', 'fee/transfer/EUR');
    expect(audit_rows).toMatchObject([
      {
        actor: 'awa',
        action: 'fees.set',
        details: { before: { percent: '0' }, after: { percent: '1.5', fixed: '0.10' } },
      },
    ]);
    const words = 'fees preview --kind transfer --currency EUR --amount 100';
    expect(await cli.json(words)).toMatchObject({ fee: 1.6, tax: 0, total: 100, net_amount: 98.4 });
    const of = ['fees', 'invoice', '--user', recipient.username, '--environment', 'live'];
    const { invoices } = await cli.json(...of);
    expect(invoices).toMatchObject([{ currency: 'EUR', total: 1.6 }]);
    const listed = await cli.json('fees', 'invoices', '--user', recipient.username);
    expect(listed).toMatchObject({ invoices: [{ number: invoices[0].number }], next_cursor: null });
    const month = new Date().toISOString().slice(0, 7);
    expect((await cli.fail('fees', 'invoice', '--month', month)).code).toBe('month_open');
  });

  it('of payouts are on top of what the recipient gets', async () => {
    const wanted = { kind: 'payout', currency: 'XOF', percent: '1', fixed: '100' };
    expect(await cli.json(...set(wanted))).toMatchObject({ ...wanted, percent: 1, fixed: 100 });
    const merchant = await buildUser(database.db, { funds: { sandbox: { XOF: 1_000_000n } } });
    const { fee_minor } = await getPayout(database.db, await orderedPayout(database.db, merchant));
    expect(fee_minor).toBe(15_000n);
  });

  it('of one account end, and the general one does not', async () => {
    const { username } = await buildUser(database.db);
    const own = await cli.json(...set({ percent: '3', fixed: '0' }), '--user', username);
    const shown = await cli.json('fees', 'show', '--user', username);
    expect(shown.fees).toMatchObject([{ user: username, percent: 3 }]);
    expect(await cli.json('fees', 'end', own.id, '--actor', 'awa')).toMatchObject({
      changed: true,
    });
    expect(await cli.json('fees', 'end', own.id, '--actor', 'awa')).toMatchObject({
      changed: false,
    });
    const { fees } = await cli.json('fees', 'show', '--user', username);
    expect(fees).toEqual([]);
    const general = await feeOf('transfer', 'XOF');
    expect((await cli.fail('fees', 'end', (general as unknown as { id: string }).id)).code).toBe(
      'usage',
    );
  });

  it.each([
    [{ percent: '1.55555', fixed: '0' }, [], 'usage', '--percent'],
    [{ currency: 'XOF', percent: '1', fixed: '0.5' }, [], 'invalid_amount', 'no decimals'],
    [{ percent: '1', fixed: '0' }, ['--method', 'card'], 'usage', '--method'],
    [{ percent: '1', fixed: '0' }, ['--of', 'fee'], 'usage', '--of fee'],
    [{ percent: '1', fixed: '0' }, ['--user', 'nobody-here'], 'user_not_found', 'no account'],
    [{ percent: '1', fixed: '0' }, ['--from', '2020-01-01'], 'usage', 'not past'],
  ])('refuse %j with %j', async (given, more, code, said) => {
    const error = await cli.fail(...set(given), ...more);
    expect(error).toEqual({ code, message: expect.stringContaining(said) });
  });
});

describe('where decisions need a second operator', () => {
  beforeAll(() => needSecondOperator('USD', 0));
  afterAll(() => needSecondOperator('USD', null));

  it('a fee is a request, which another operator approves', async () => {
    const wanted = { currency: 'USD', percent: '2', fixed: '0' };
    const asked = await cli.fail(...set(wanted, 'awa'));
    expect(asked.code).toBe('approval_required');
    const id = /approvals approve ([0-9a-f-]{36})/.exec(asked.message)![1]!;
    expect(await feeOf('transfer', 'USD')).toMatchObject({ percent: 0 });
    const { approvals } = await cli.json('approvals', 'list');
    expect(approvals).toMatchObject([
      {
        id,
        action: 'fees.set',
        subject: 'fee/transfer/USD',
        currency: 'USD',
        amount: null,
        environment: null,
        username: null,
      },
    ]);
    // Whatever its capitals, a name is one person's.
    const own = await cli.fail('approvals', 'approve', id, '--actor', 'AWA');
    expect(own.code).toBe('same_operator');
    await cli.json('approvals', 'approve', id, '--actor', 'moussa');
    expect(await feeOf('transfer', 'USD')).toMatchObject({ percent: 2 });
    const { audit_rows } = await cli.json('audit', 'list', '--subject', 'fee/transfer/USD');
    expect(audit_rows).toMatchObject([
      { action: 'fees.set', details: { requested_by: 'awa', approved_by: 'moussa' } },
    ]);
    // What is the same by now waits for none.
    expect(await cli.json(...set(wanted, 'awa'))).toMatchObject({ changed: false });
  });
});
