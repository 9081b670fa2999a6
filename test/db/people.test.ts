import { createTestDatabase, setUp } from '../support/database';
import { buildUser, fund, setKyc } from '../support/users';
import { createUser } from '../../db/accounts/users';
import { listWallets } from '../../db/ledger/wallets';

const database = setUp(createTestDatabase);

const PERSON = {
  username: 'awa',
  email: 'awa@example.com',
  password_hash: 'x',
  first_name: 'Awa',
  last_name: 'Diop',
  country: 'SN',
};

describe('users', () => {
  beforeAll(() => createUser(database.db, PERSON));

  it.each([
    ['a name that is taken', { ...PERSON, email: 'other@example.com' }, '23505'],
    ['capitals in the name', { ...PERSON, username: 'Awa3', email: 'a3@example.com' }, '23514'],
    ['a name of two characters', { ...PERSON, username: 'aw', email: 'a4@example.com' }, '23514'],
    [
      'a name of 33 characters',
      { ...PERSON, username: 'a'.repeat(33), email: 'a5@example.com' },
      '23514',
    ],
    [
      'a country in words',
      { ...PERSON, username: 'awa6', email: 'a6@example.com', country: 'Senegal' },
      '23514',
    ],
  ])('are refused with %s', async (_, person, code) => {
    await expect(createUser(database.db, person)).rejects.toMatchObject({ code });
  });

  it('have a KYC status of five', async () => {
    const user = await buildUser(database.db, { kyc: 'not_started' });
    for (const status of ['pending', 'approved', 'rejected', 'expired']) {
      const changed = await setKyc(database.db, user.username, status);
      expect(changed?.kyc_status).toBe(status);
    }
    const call = setKyc(database.db, user.username, 'unheard-of');
    await expect(call).rejects.toMatchObject({ code: '23514' });
    expect(await setKyc(database.db, 'nobody-at-all', 'approved')).toBeUndefined();
  });
});

describe('listWallets', () => {
  it('§4 has one wallet per currency, in the order XOF, EUR, USD, with exact balances', async () => {
    const user = await buildUser(database.db, {
      funds: { live: { EUR: 999_999_999_999_999n }, sandbox: { XOF: 500_000n } },
    });
    await fund(database.db, user.id, 'live', 'USD', 1n);
    const live = await listWallets(database.db, user.id, 'live');
    expect(live.map(({ currency, balance_minor }) => [currency, balance_minor])).toEqual([
      ['XOF', 0n],
      ['EUR', 999_999_999_999_999n],
      ['USD', 1n],
    ]);
    const sandbox = await listWallets(database.db, user.id, 'sandbox');
    expect(sandbox[0]!.balance_minor).toBe(500_000n);
    expect(new Set([...live, ...sandbox].map(({ id }) => id)).size).toBe(6);
  });
});
