// Acts of operators change what they name, and nothing beside it; one waits for another that is not committed yet.

import { randomBytes } from 'node:crypto';
import { setPublicProfileAs } from '../../db/accounts/public-profiles';
import { setKycStatus } from '../../db/accounts/users';
import { rotateApiKey } from '../../db/keys/api-keys';
import { addLoginToken } from '../../db/people/login-tokens';
import { findLogin } from '../../db/people/logins';
import { beginSession } from '../../db/people/sessions';
import { makeApiKey } from '../../secrets/api-key';
import { grantOperator } from '../../use-cases/operators';
import { createTestDatabase, setUp, whileUncommitted } from '../support/database';
import { buildApiKey, buildUser, revokeKey, type TestUser } from '../support/users';

interface Account extends TestUser {
  readonly key: string;
}

const database = setUp(createTestDatabase);
let before: Account;
let subject: Account;

beforeAll(async () => {
  await buildUser(database.db, { unconfirmed: true });
  before = await buildAccount();
  subject = await buildAccount();
  await buildAccount();
});

/** An approved account with a key, whose owner has a session and has been sent a link. */
async function buildAccount(): Promise<Account> {
  const user = await buildUser(database.db);
  const { id: login_id, password_hash, email } = (await findLogin(database.db, user.username))!;
  const lasts_seconds = 3_600;
  const session = { login_id, password_hash, lasts_seconds, second_factor: 'none' } as const;
  const from = { ip: '127.0.0.1', user_agent: '', token_hash: randomBytes(32) };
  await beginSession(database.db, { ...session, ...from });
  const token = { kind: 'password', login_id, email, lasts_seconds } as const;
  await addLoginToken(database.db, { ...token, token_hash: randomBytes(32) });
  return { ...user, key: (await buildApiKey(database.db, { user })).id };
}

/** The rows of the account and its owner, and those of all others. */
async function rowsOf({ id }: TestUser): Promise<{ own: string[]; others: string[] }> {
  const { rows } = await database.owner.raw(
    `with x as (
       select u.id as account, u::text as row from users u
       union all select m.user_id, l::text from logins l join memberships m on m.login_id = l.id
       union all select m.user_id, s::text from sessions s join memberships m using (login_id)
       union all select m.user_id, t::text from login_tokens t join memberships m using (login_id)
       union all select k.user_id, k::text from api_keys k)
     select array(select row from x where account = :id order by row) as own,
            array(select row from x where account <> :id order by row) as others`,
    { id },
  );
  return (rows as [{ own: string[]; others: string[] }])[0];
}

const grant = (is_one: boolean) =>
  grantOperator({ db: database.operator, actor: 'root' }, subject.username, is_one);
const setKyc = (status: string) =>
  setKycStatus(database.operator, subject.username, status, 'root');

const rotate = (id: string) => {
  const { key: _, ...material } = makeApiKey('pay', 'live');
  const at_once = { overlap_seconds: 0 };
  return rotateApiKey(database.operator, id, () => material, at_once, { actor: 'root' });
};

it.each<[string, () => Promise<unknown>]>([
  ['a grant', () => grant(true)],
  ['the end of a grant', () => grant(false)],
  [
    'a profile',
    () => setPublicProfileAs(database.operator, subject.username, { display_name: 'Shop' }, 'root'),
  ],
  ['a rotation', () => rotate(subject.key)],
  [
    'a revocation',
    async () => revokeKey(database.db, (await buildApiKey(database.db, { user: subject })).id),
  ],
  ['an identity check', () => setKyc('rejected')],
  ['a new account, which alone is confirmed', () => buildUser(database.db)],
])('changes nothing of others: %s', async (name, act) => {
  const { own, others } = await rowsOf(subject);
  await act();
  const after = await rowsOf(subject);
  if (!name.startsWith('a new')) expect(after.own).not.toEqual(own);
  expect(after.others).toEqual(expect.arrayContaining(others));
});

describe('what another session does at the same moment', () => {
  const whileDone = <T>(call: string, values: unknown[], second: () => Promise<T>): Promise<T> =>
    whileUncommitted(database, (session) => session.query(`select ${call}`, values), second);

  it('is what a status of identity follows', async () => {
    await setKyc('approved');
    const first = `set_kyc_status($1, 'rejected', 'root')`;
    await whileDone(first, [subject.username], () => setKyc('approved'));
    const { rows } = await database.owner.raw(
      'select details from audit_log order by id desc limit 1',
    );
    expect(rows).toMatchObject([{ details: { before: 'rejected', after: 'approved' } }]);
  });

  it('grants once', async () => {
    const second = await whileDone(`set_operator($1, true, 'root')`, [subject.username], () =>
      grant(true),
    );
    expect(second).toEqual({ ok: true, changed: false });
  });

  it('revokes a key once, and for a rotation', async () => {
    const { id } = await buildApiKey(database.db, { user: before });
    const revoke = `revoke_api_key($1, 'root')`;
    const rotated = await whileDone(revoke, [id], () => rotate(id));
    expect(rotated).toEqual({ ok: false, error: 'revoked' });
    const other = await buildApiKey(database.db, { user: before });
    await whileDone(revoke, [other.id], () => revokeKey(database.db, other.id));
    const { rows } = await database.owner.raw(
      `select action from audit_log where subject = 'key/' || ? order by id`,
      [other.id],
    );
    expect(rows).toEqual([{ action: 'keys.create' }, { action: 'keys.revoke' }]);
  });
});
