// An account always has an owner, whatever its owners do to each other at once, mails leave with each change of who is
// one, and what a person made by a right ends with it.

import { randomBytes, randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { createApiKey, listApiKeys, rotateApiKey } from '../../db/keys/api-keys';
import { changeMemberRole, inviteMember, removeMember, type OfAccount } from '../../db/people/team';
import type { NewMail } from '../../db/people/mails';
import type { Environment } from '../../domain/environment';
import { MEMBER_ROLES, scopesFor, type MemberRole } from '../../domain/members';
import { SCOPES, type Scope } from '../../domain/scopes';
import { makeApiKey } from '../../secrets/api-key';
import { createTestDatabase, openSession, untilSessionsWait, setUp } from '../support/database';
import { buildApiKey, buildUser, ownerOf, type TestUser } from '../support/users';

const database = setUp(createTestDatabase);

const loginOf = (user: TestUser): Promise<string> => ownerOf(database, user);

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
    const changes = await Promise.all(logins.map((login) => act(account.id, login)));
    expect([changes.map(({ outcome }) => outcome).sort(), await ownersOf(account)]).toEqual([
      ['done', 'last_owner'],
      1,
    ]);
  }
});

it('all but one of many owners can leave at once', async () => {
  const [account, logins] = await accountOf(6);
  const changes = await Promise.all(
    logins.map((login_id) => removeMember(database.db, { user_id: account.id, login_id }, [])),
  );
  expect(changes.filter(({ outcome }) => outcome === 'done')).toHaveLength(5);
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
  expect(await changeMemberRole(database.db, of, 'owner', [])).toMatchObject({
    outcome: 'unconfirmed',
  });
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
    expect(await act(of, [mail])).toMatchObject({ outcome });
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

describe('what a person made by a right ends with it', () => {
  it('so a key may do what its person may give', async () => {
    const { rows } = await database.owner.raw(
      `select r as role, e as environment, role_scopes(r, e) as scopes
         from unnest(?::text[]) r, unnest(array['live', 'sandbox']) e`,
      [[...MEMBER_ROLES]],
    );
    const roles = rows as { role: MemberRole; environment: Environment; scopes: string[] }[];
    expect(roles).toHaveLength(10);
    for (const { role, environment, scopes } of roles) {
      expect([role, environment, scopes]).toEqual([
        role,
        environment,
        scopesFor(role, environment),
      ]);
    }
  });

  /** A second owner, with keys and an invitation of theirs. */
  async function secondOwner(): Promise<OfAccount> {
    const [account, [, login_id]] = await accountOf(2);
    const of = { user_id: account.id, login_id: login_id! };
    await keyOf(of, 'live all', 'live', SCOPES);
    await keyOf(of, 'live reader', 'live', ['read']);
    await keyOf(of, 'till', 'sandbox', SCOPES);
    // Those of others are left alone, the operators' as well.
    await keyOf({ ...of, login_id: await ownerOf(database, account) }, 'first', 'live', SCOPES);
    await buildApiKey(database.db, { user: account, environment: 'live' });
    return of;
  }

  async function keyOf(
    author: OfAccount,
    name: string,
    environment: Environment,
    scopes: readonly Scope[],
    db: Db = database.db,
  ): Promise<string | undefined> {
    const { key: _, ...material } = makeApiKey('pay', environment);
    const fields = { requests_per_minute: 60, writes_per_minute: 30 };
    const options = { user_id: author.user_id, environment, name, scopes, ...fields };
    return createApiKey(db, material, options, author);
  }

  const invite = ({ user_id, login_id: invited_by }: OfAccount, email = 'other@example.com') =>
    inviteMember(database.db, {
      user_id,
      invited_by,
      email,
      role: 'owner',
      token_hash: randomBytes(32),
      lasts_seconds: 60,
    });

  const keysOf = async ({ user_id }: OfAccount): Promise<Record<string, number>> => {
    const keys = (await listApiKeys(database.db, user_id)).filter(
      ({ revoked_at }) => revoked_at === null,
    );
    return Object.fromEntries(keys.map(({ name, scopes }) => [name, scopes.length]));
  };

  const all = SCOPES.length;

  it('the live rights of an owner who becomes a developer, and their invitations', async () => {
    const of = await secondOwner();
    expect(await invite(of)).toBe('invited');
    const { ended } = await changeMemberRole(database.db, of, 'developer', []);
    expect(ended).toMatchObject({
      keys: [{ name: 'live all', is_revoked: false }],
      invitations: ['other@example.com'],
    });
    expect(await keysOf(of)).toEqual({
      'live all': scopesFor('developer', 'live').length,
      'live reader': 1,
      till: all,
      first: all,
      test: all,
    });
    expect(await invite(of)).toBe('not_owner');
    // Nothing is left to take.
    const again = await changeMemberRole(database.db, of, 'developer', []);
    expect(again).toEqual({ outcome: 'done', ended: null });
  });

  it.each([
    ['is removed', (of: OfAccount) => removeMember(database.db, of, [])],
    ['becomes a viewer', (of: OfAccount) => changeMemberRole(database.db, of, 'viewer', [])],
  ])('all keys of a person who %s, also one that was rotated already', async (_what, act) => {
    const of = await secondOwner();
    const old = (await listApiKeys(database.db, of.user_id)).find(({ name }) => name === 'till')!;
    const material = () => makeApiKey('pay', 'sandbox');
    await rotateApiKey(database.db, old.id, material, { overlap_seconds: 3_600 }, of);
    const { ended } = await act(of);
    expect(ended!.keys.map(({ name, is_revoked }) => [name, is_revoked])).toEqual([
      ['live all', true],
      ['live reader', true],
      ['till', true],
      ['till', true],
    ]);
    expect(await keysOf(of)).toEqual({ first: all, test: all });
  });

  it('also what is made at the moment in which the right is taken', async () => {
    const of = await secondOwner();
    const session = await openSession(database.owner_url);
    await session.query('begin');
    const made = await session.query(
      `insert into api_keys (user_id, environment, name, key_hash, key_prefix, last_four, scopes, login_id)
       select $1, 'live', 'made', sha256('made'), 'pay_live', 'made', '{read}', $2 from hold_role($1, $2)`,
      [of.user_id, of.login_id],
    );
    expect(made.rowCount).toBe(1);
    const removing = removeMember(database.db, of, []);
    await untilSessionsWait(database, 1);
    await session.query('commit');
    expect((await removing).ended!.keys.map(({ name }) => name)).toContain('made');
  });

  it('and nothing is made by a right that is being taken', async () => {
    const of = await secondOwner();
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query('select remove_member($1, $2, $3)', [of.user_id, of.login_id, '[]']);
    const late = [keyOf(of, 'late', 'live', ['read']), invite(of)];
    await untilSessionsWait(database, 2);
    await session.query('commit');
    expect(await Promise.all(late)).toEqual([undefined, 'not_owner']);
    expect(await keysOf(of)).toEqual({ first: all, test: all });
  });
});
