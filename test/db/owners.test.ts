// An account always has an owner, whatever its owners do to each other at once.

import { changeMemberRole, removeMember } from '../../db/people/team';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildUser, type TestUser } from '../support/users';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

const loginOf = async ({ id }: TestUser): Promise<string> => {
  const { rows } = await database.owner.raw('select login_id from memberships where user_id = ?', [
    id,
  ]);
  return (rows as [{ login_id: string }])[0].login_id;
};

const ownersOf = async ({ id }: TestUser): Promise<number> => {
  const { rows } = await database.owner.raw(
    `select count(*)::int as count from memberships where user_id = ? and role = 'owner'`,
    [id],
  );
  return (rows as [{ count: number }])[0].count;
};

/** An account of this many owners, and their logins. */
async function accountOf(count: number): Promise<[TestUser, string[]]> {
  const account = await buildUser(database.db);
  const others = await Promise.all(
    Array.from({ length: count - 1 }, async () => loginOf(await buildUser(database.db))),
  );
  for (const login_id of others) {
    await database.owner('memberships').insert({ login_id, user_id: account.id, role: 'owner' });
  }
  const { rows } = await database.owner.raw(
    'select login_id from memberships where user_id = ? order by created_at',
    [account.id],
  );
  return [account, (rows as { login_id: string }[]).map(({ login_id }) => login_id)];
}

it.each([
  ['remove', (user_id: string, login: string) => removeMember(database.db, user_id, login)],
  [
    'demote',
    (user_id: string, login: string) => changeMemberRole(database.db, user_id, login, 'viewer'),
  ],
])('two owners who %s each other at once leave one of them', async (_what, act) => {
  for (let round = 0; round < 20; round += 1) {
    const [account, logins] = await accountOf(2);
    const outcomes = await Promise.all(logins.map((login) => act(account.id, login)));
    expect([outcomes.sort(), await ownersOf(account)]).toEqual([['done', 'last_owner'], 1]);
  }
});

it('all but one of many owners can leave at once', async () => {
  const [account, logins] = await accountOf(6);
  const outcomes = await Promise.all(
    logins.map((login) => removeMember(database.db, account.id, login)),
  );
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(5);
  expect(await ownersOf(account)).toBe(1);
});

it('nobody becomes an owner whose address is not confirmed', async () => {
  const [account] = await accountOf(1);
  const login = await loginOf(await buildUser(database.db));
  await database.owner.raw('update logins set email_verified_at = null where id = ?', [login]);
  await database
    .owner('memberships')
    .insert({ login_id: login, user_id: account.id, role: 'developer' });
  expect(await changeMemberRole(database.db, account.id, login, 'owner')).toBe('unconfirmed');
  expect(await ownersOf(account)).toBe(1);
});

it('the username means the owner who has belonged to the account for longest', async () => {
  const [account, [first, second]] = await accountOf(2);
  const named = async () => {
    const { rows } = await database.owner.raw('select account_owner(?) as login', [account.id]);
    return (rows as [{ login: string }])[0].login;
  };
  expect(await named()).toBe(first);
  await removeMember(database.db, account.id, first!);
  expect(await named()).toBe(second);
});
