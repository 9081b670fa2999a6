import { createTestDatabase, limitOperators, setUp } from '../support/database';
import { request } from '../support/http';
import { buildApiKey, buildUser } from '../support/users';
import { startTestService } from '../support/service';
import { buildCli } from './support/cli';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const cli = setUp(async () => buildCli(database));
const user = setUp(() => buildUser(database.db));

function credit(options: Record<string, string> = {}): string[] {
  const usual = { user: user.username, currency: 'XOF', amount: '5000', environment: 'live' };
  const all = { ...usual, ...options };
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
    const { key } = await buildApiKey(database.db, { user });
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

  it('says which limit let one operator do it', async () => {
    const free = await cli.json(...credit({ reference: 'CREDIT-0001' }));
    expect(free).toMatchObject({ repeated: false, approval_above: null });
    const unlimited = await cli.run(...credit());
    expect(unlimited.stdout).toMatch(/^Credited 5000\.00 XOF to \S+ \(live\); the balance is /);
    expect(unlimited.stdout).toContain(
      '\nOne operator has done it: no limit of XOF is set (APPROVAL_ABOVE_XOF).\n',
    );
    await limitOperators(database, 500_000n);
    const limited = await cli.run(...credit());
    expect(limited.stdout).toContain(
      '\nOne operator has done it: up to 5000.00 XOF needs no second one.\n',
    );
    const again = credit({ reference: 'CREDIT-0001' });
    expect(await cli.json(...again)).toMatchObject({ repeated: true, approval_above: 5000 });
    // Who repeats a command is told of the credit only, not who might do it now.
    const repeated = await cli.run(...again);
    expect(repeated.stdout).toMatch(/^Credited before: 5000\.00 XOF/);
    expect(repeated.stdout).not.toContain('One operator');
    await limitOperators(database, null);
  });

  it.each(['-1', '5000.50', ''])('refuses an amount of %j XOF', async (amount) => {
    const error = await cli.fail(...credit({ amount }));
    expect(error.code).toBe(amount === '' ? 'usage' : 'invalid_amount');
  });

  it('refuses an unknown user, currency or environment', async () => {
    expect((await cli.fail(...credit({ user: 'nobody-at-all' }))).code).toBe('user_not_found');
    expect((await cli.fail(...credit({ currency: 'GBP' }))).code).toBe('usage');
    expect((await cli.fail(...credit({ environment: 'prod' }))).code).toBe('usage');
  });
});

describe('wallets show', () => {
  it('shows what each wallet holds, in one world or both', async () => {
    const { username } = await buildUser(database.db, { funds: { live: { EUR: 1250n } } });
    const { wallets, ...rest } = await cli.json('wallets', 'show', '--user', username);
    expect(rest).toEqual({ username });
    expect(wallets).toHaveLength(6);
    expect(wallets).toContainEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      environment: 'live',
      currency: 'EUR',
      balance: 12.5,
    });
    const live = ['--user', username, '--environment', 'live'];
    expect((await cli.json('wallets', 'show', ...live)).wallets).toHaveLength(3);
    expect((await cli.run('wallets', 'show', ...live)).stdout).toMatch(/^live +12\.50 EUR /m);
  });
});
