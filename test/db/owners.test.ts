// An account always has an owner, whatever its owners do to each other at once, and mails leave with each change of
// who is one.

import { randomUUID } from 'node:crypto';
import { changeMemberRole, removeMember, type OfAccount } from '../../db/people/team';
import type { NewMail } from '../../db/people/mails';
import type { MemberRole } from '../../domain/members';
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
  [
    'remove',
    (user_id: string, login_id: string) => removeMember(database.db, { user_id, login_id }, []),
  ],
  [
    'demote',
    (user_id: string, login_id: string) =>
      changeMemberRole(database.db, { user_id, login_id }, 'viewer', []),
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
    logins.map((login_id) => removeMember(database.db, { user_id: account.id, login_id }, [])),
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
  const of = { user_id: account.id, login_id: login };
  expect(await changeMemberRole(database.db, of, 'owner', [])).toBe('unconfirmed');
  expect(await ownersOf(account)).toBe(1);
});

describe('mails leave', () => {
  const become = (role: MemberRole) => (of: OfAccount, mails: readonly NewMail[]) =>
    changeMemberRole(database.db, of, role, mails);
  const leave = (of: OfAccount, mails: readonly NewMail[]) => removeMember(database.db, of, mails);

  it.each([
    ['with a new owner', 'viewer', become('owner'), 'done', true],
    ['with an owner who is made less', 'owner', become('developer'), 'done', true],
    ['with an owner who is removed', 'owner', leave, 'done', true],
    ['with no other change of a role', 'viewer', become('developer'), 'done', false],
    ['with no owner who stays one', 'owner', become('owner'), 'done', false],
    ['with no other person who is removed', 'viewer', leave, 'done', false],
    ['with no last owner, who stays', null, leave, 'last_owner', false],
  ] as const)('%s', async (_what, role, act, outcome, is_told) => {
    const [account, [first]] = await accountOf(1);
    const login_id = role === null ? first! : await loginOf(await buildUser(database.db));
    const of = { user_id: account.id, login_id };
    if (role !== null)
      await database.owner('memberships').insert({ login_id, user_id: account.id, role });
    const id = randomUUID();
    const mail = {
      id,
      recipient: 'awa@example.com',
      subject: 'told',
      sealed_text: Buffer.from('x'),
    };
    expect(await act(of, [mail])).toBe(outcome);
    const { rows } = await database.owner.raw('select id from mails where id = ?', [id]);
    expect(rows).toEqual(is_told ? [{ id }] : []);
  });
});

it('the username means the owner who has belonged to the account for longest', async () => {
  const [account, [first, second]] = await accountOf(2);
  const named = async () => {
    const { rows } = await database.owner.raw('select account_owner(?) as login', [account.id]);
    return (rows as [{ login: string }])[0].login;
  };
  expect(await named()).toBe(first);
  await removeMember(database.db, { user_id: account.id, login_id: first! }, []);
  expect(await named()).toBe(second);
});
