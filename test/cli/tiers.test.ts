// Tiers and limits by the command line: what is shown, set and refused, with a second operator where one is needed.

import { createTestDatabase, limitOperators, setUp } from '../support/database';
import { limitTier } from '../support/limits';
import { buildUser, fund } from '../support/users';
import { buildCli } from './support/cli';

const database = setUp(createTestDatabase);
const cli = setUp(async () => buildCli(database));

const NONE = {
  balance: null,
  single_in: null,
  daily_in: null,
  monthly_in: null,
  single_out: null,
  daily_out: null,
  monthly_out: null,
};

const actions = async (subject: string): Promise<string[]> => {
  const { audit_rows } = await cli.json('audit', 'list', '--subject', subject);
  return (audit_rows as { action: string }[]).map(({ action }) => action);
};

describe('tiers', () => {
  it('are shown without limits at first, and keep what a change does not name', async () => {
    const { tiers } = await cli.json('tiers', 'show');
    expect(tiers).toHaveLength(12);
    expect(tiers[0]).toEqual({ tier: 'none', currency: 'XOF', ...NONE });
    const set = (...words: string[]) =>
      cli.json('tiers', 'set', '--tier', 'agent', '--currency', 'EUR', ...words);
    const entry = { tier: 'agent', currency: 'EUR', ...NONE, balance: 20.5, daily_out: 5 };
    expect(await set('--balance', '20.50', '--daily-out', '5')).toEqual({
      ...entry,
      changed: true,
    });
    expect(await set('--daily-out', '5.00')).toEqual({ ...entry, changed: false });
    expect(await set('--balance', 'off')).toEqual({ ...entry, balance: null, changed: true });
    expect(await actions('tier/agent/EUR')).toEqual(['tiers.set', 'tiers.set']);
    const { audit_rows } = await cli.json('audit', 'list', '--subject', 'tier/agent/EUR');
    expect(audit_rows[0].details).toMatchObject({
      before: { balance: '20.50', daily_out: '5.00' },
      after: { balance: null, daily_out: '5.00' },
    });
  });

  it.each([
    ['--tier gold --currency XOF --balance 1', 'usage'],
    ['--tier agent --currency XOF --balance 1.50', 'invalid_amount'],
    ['--tier agent --currency XOF --balance 0', 'invalid_amount'],
    ['--tier agent --currency XOF --balance tier', 'invalid_amount'],
  ])('are not set by %s', async (words, code) => {
    expect((await cli.fail(`tiers set ${words}`)).code).toBe(code);
  });

  it('take the figures of a profile, which says what is not certain', async () => {
    await limitTier(database, 'identified', { single_out: '7' });
    const applied = await cli.json('tiers', 'profile', 'uemoa');
    const person = { balance: 2_000_000, monthly_in: 10_000_000 };
    expect(applied).toMatchObject({ profile: 'uemoa', changed: true });
    expect(applied.tiers).toEqual([
      { tier: 'none', currency: 'XOF', ...NONE, ...person },
      { tier: 'identified', currency: 'XOF', ...NONE, ...person },
      { tier: 'merchant', currency: 'XOF', ...NONE },
      { tier: 'agent', currency: 'XOF', ...NONE },
    ]);
    expect(applied.notes.join(' ')).toMatch(/008-05-2015.*not certain/);
    expect(await cli.json('tiers', 'profile', 'uemoa')).toEqual({ ...applied, changed: false });
    expect((await cli.fail('tiers profile cemac')).code).toBe('usage');
  });

  it('need a second operator where decisions about money do', async () => {
    await limitOperators(database, 100n);
    const words = ['tiers', 'set', '--tier', 'merchant', '--currency', 'XOF', '--single-in', '9'];
    const refused = await cli.fail(...words);
    expect(refused.code).toBe('approval_required');
    const approval = /approve (\S+)/.exec(refused.message)![1]!;
    expect(await cli.json('approvals', 'approve', approval, '--actor', 'binta')).toMatchObject({
      action: 'tiers.set',
      currency: 'XOF',
      amount: null,
    });
    expect(await cli.json(...words)).toMatchObject({ single_in: 9, changed: false });
    await limitOperators(database, null);
  });
});

describe('an account', () => {
  it('is in the tier of its identity check, until an operator says otherwise', async () => {
    const { username } = await buildUser(database.db);
    const tier = (...words: string[]) => cli.json('users', 'tier', username, ...words);
    const [auto, agent] = [
      { username, tier: 'identified', set_by: 'identity' },
      { username, tier: 'agent', set_by: 'operator' },
    ];
    expect(await tier()).toEqual({ ...auto, changed: false });
    expect(await tier('--tier', 'agent')).toEqual({ ...agent, changed: true });
    expect(await tier('--tier', 'agent')).toEqual({ ...agent, changed: false });
    expect(await tier('--tier', 'auto')).toEqual({ ...auto, changed: true });
    const done = await actions(`user/${username}`);
    expect(done.filter((action) => action === 'users.tier')).toHaveLength(2);
    expect((await cli.fail(`users tier nobody-has-this`)).code).toBe('user_not_found');
  });

  it('has limits of its own before those of its tier, and says whose they are', async () => {
    const { id, username } = await buildUser(database.db);
    await limitTier(database, 'identified', { balance: '100', daily_in: '50' }, 'USD');
    await fund(database.db, id, 'live', 'USD', 4_000n);
    const limits = (...words: string[]) =>
      cli.json('users', 'limits', username, '--currency', 'USD', ...words);
    const of = { currency: 'USD', resets_at: null };
    const day = { ...of, resets_at: expect.stringMatching(/T00:00:00/) as string };
    expect(await limits()).toEqual({
      username,
      currency: 'USD',
      environment: 'live',
      tier: 'identified',
      limits: [
        { ...of, limit: 'balance', maximum: 100, used: 40, remaining: 60, from: 'tier' },
        { ...day, limit: 'daily_in', maximum: 50, used: 40, remaining: 10, from: 'tier' },
      ],
    });
    const set = await limits('--balance', '30', '--daily-in', 'off', '--single-out', '5');
    expect(set.limits).toEqual([
      { ...of, limit: 'balance', maximum: 30, used: 40, remaining: 0, from: 'account' },
      { ...of, limit: 'single_out', maximum: 5, used: 0, remaining: 5, from: 'account' },
    ]);
    const refused = await cli.fail(
      `wallets credit --user ${username} --currency USD --amount 1 --environment live --reason more`,
    );
    expect(refused.code).toBe('limit_exceeded');
    expect((await limits('--environment', 'test')).limits).toMatchObject([{}, { maximum: 50 }]);
  });
});
