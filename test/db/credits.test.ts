// An operator's credit, once for each reference, whatever happens between two lines.

import { randomUUID } from 'node:crypto';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, openSession, setUp, untilLocked } from '../support/database';
import { balanceOf } from '../support/balances';
import { buildUser, type TestUser } from '../support/users';
import { listAuditRows } from '../../db/operators/audit';
import { creditWallet, type Credit } from '../../db/ledger/wallets';

const database = setUp(createTestDatabase);
let user: TestUser;
/** Each test has its own: a reference is credited once. */
let bank: string;

beforeEach(async () => {
  user = await buildUser(database.db);
  bank = `BANK-${randomUUID()}`;
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

const creditOf = (fields: Partial<Credit> = {}): Credit => ({
  reference: bank,
  user_id: user.id,
  environment: 'live',
  currency: 'EUR',
  source: 'operator',
  amount_minor: 2_500n,
  reason: 'bank transfer',
  ...fields,
});

const credit = (fields: Partial<Credit> = {}) =>
  creditWallet(database.operator, creditOf(fields), 'awa');

const balance = (): Promise<bigint> => balanceOf(database.db, user, 'EUR');

async function creditRows(): Promise<unknown[]> {
  const rows = await listAuditRows(database.db, { action: 'wallets.credit' }, 100);
  const own = rows.filter(({ subject }) => subject.includes(`/${user.username}/`));
  return own.map(({ actor, subject, details }) => ({ actor, subject, details }));
}

const ROW = {
  actor: 'awa',
  details: {
    environment: 'live',
    currency: 'EUR',
    amount: '25.00',
    source: 'operator',
    reason: 'bank transfer',
  },
};

describe('creditWallet', () => {
  it('credits once however often it is repeated, also after other postings', async () => {
    const { username } = user;
    expect(await credit()).toEqual({ outcome: 'credited', balance_minor: 2_500n });
    await credit({ reference: `${bank}-2`, amount_minor: 100n });
    for (let n = 0; n < 3; n += 1) {
      expect(await credit()).toEqual({ outcome: 'repeated', balance_minor: 2_500n });
    }
    expect(await balance()).toBe(2_600n);
    const [, first, ...others] = await creditRows();
    expect(others).toEqual([]);
    expect(first).toEqual({
      ...ROW,
      subject: `wallet/${username}/live/EUR`,
      details: { ...ROW.details, reference: bank, username },
    });
  });

  it.each([
    ['amount', { amount_minor: 2_501n }],
    ['currency', { currency: 'USD' }],
    ['environment', { environment: 'sandbox' }],
    ['reason', { reason: 'another' }],
    ['source', { source: 'sandbox_source' }],
  ] as const)('refuses a reference that was used with another %s', async (_, fields) => {
    await credit();
    // What is asked for was credited under another reference.
    await credit({ ...fields, reference: `${bank}-2` });
    const before = await balance();
    expect(await credit(fields)).toMatchObject({ outcome: 'reference_used' });
    expect(await balance()).toBe(before);
    expect(await creditRows()).toHaveLength(2);
  });

  // A constraint refuses it as well: the message says that the function itself does.
  it.each([0n, -2_500n])(
    'takes nothing from a wallet: a credit of %s is refused',
    async (amount_minor) => {
      await credit({ reference: `${bank}-1`, amount_minor: 5_000n });
      await expect(credit({ amount_minor })).rejects.toThrow(
        'an adjustment credits a wallet from a system account',
      );
      expect(await balance()).toBe(5_000n);
    },
  );

  it('refuses the reference of another user’s credit', async () => {
    const other = await buildUser(database.db);
    await credit();
    expect(await credit({ user_id: other.id })).toMatchObject({ outcome: 'reference_used' });
    expect(await balanceOf(database.db, other, 'EUR')).toBe(0n);
  });

  it('waits for a credit under way, and credits when that one is rolled back', async () => {
    const first = await openSession(database.operator_url);
    await first.query('begin');
    const { reference, user_id, environment, currency, source, amount_minor, reason } = creditOf();
    await first.query('select credit_wallet($1, $2, $3, $4, $5, $6, $7, $8)', [
      reference,
      user_id,
      environment,
      currency,
      source,
      amount_minor,
      reason,
      'awa',
    ]);
    const second = credit();
    await untilLocked(database, 'credit_wallet');
    // The first one's process dies.
    await first.query('rollback');
    expect(await second).toEqual({ outcome: 'credited', balance_minor: 2_500n });
    expect(await balance()).toBe(2_500n);
    expect(await creditRows()).toHaveLength(1);
  });

  it('credits nothing when the audit log takes no row', async () => {
    const call = creditWallet(database.operator, creditOf(), 'a name in words');
    await expect(call).rejects.toMatchObject({ code: '23514' });
    expect(await balance()).toBe(0n);
    expect(await credit()).toMatchObject({ outcome: 'credited' });
  });
});
