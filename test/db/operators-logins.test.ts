// The operators' role writes operators' ways to sign in: the application's role, which strangers reach, signs in as
// merchants only.

import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase, setUp } from '../support/database';
import { buildUser } from '../support/users';
import { isOperatorsLogin } from '../../db/errors';
import { addLoginToken } from '../../db/people/login-tokens';
import { findLogin, type LoginRow } from '../../db/people/logins';
import { beginSession } from '../../db/people/sessions';
import { grantOperator } from '../../use-cases/operators';

const database = setUp(createTestDatabase);
let merchant: LoginRow;
let operator: LoginRow;

beforeAll(async () => {
  [merchant, operator] = [await buildLogin(), await buildLogin()];
  await grant(operator);
});

async function buildLogin(): Promise<LoginRow> {
  return (await findLogin(database.db, (await buildUser(database.db)).username))!;
}

const grant = ({ owned_username }: LoginRow) =>
  grantOperator({ db: database.operator, actor: 'root' }, owned_username!, true);

const sessionOf = ({ id: login_id, password_hash }: LoginRow) => ({
  login_id,
  password_hash,
  token_hash: randomBytes(32),
  second_factor: 'none' as const,
  ip: '127.0.0.1',
  user_agent: '',
  lasts_seconds: 60,
});

const linkOf = ({ id: login_id, email }: LoginRow) => ({
  token_hash: randomBytes(32),
  kind: 'password' as const,
  login_id,
  email,
  lasts_seconds: 60,
});

async function left({ id }: LoginRow): Promise<unknown> {
  const { rows } = await database.owner.raw(
    `select (select count(*)::integer from sessions s where s.login_id = :id) as sessions,
            (select count(*)::integer from login_tokens t where t.login_id = :id) as links`,
    { id },
  );
  return (rows as unknown[])[0];
}

/** Each function that writes what a person signs in with; those that need a session or a link have one. */
const WRITES: Readonly<Record<string, string>> = {
  begin_session: `begin_session(:id, :password_hash, :random, 'none', '127.0.0.1', '', 60, null)`,
  confirm_session: 'confirm_session(:session)',
  add_login_token: `add_login_token(:random, 'password', :id, :email, 60)`,
  set_password: `set_password(:id, 'x', null)`,
  replace_password_hash: `replace_password_hash(:id, :password_hash, :password_hash)`,
  reset_password: `reset_password(:link, 'x', '[]')`,
  begin_totp: `begin_totp(:id, 'secret')`,
  confirm_totp: `confirm_totp(:id, 'secret', 1, '{}', null)`,
  replace_recovery_codes: 'replace_recovery_codes(:id, array[:random::bytea])',
  reseal_totp: `reseal_totp(:id, 'secret', 'secret')`,
  end_totp: 'end_totp(:id)',
};

it.each(Object.keys(WRITES))("refuses the application's role %s for an operator", async (name) => {
  for (const login of [merchant, operator]) {
    // The operators' role prepares; the secret of a second factor waits where one can be confirmed.
    const link = randomBytes(32);
    const session = await beginSession(database.operator, sessionOf(login));
    await addLoginToken(database.operator, { ...linkOf(login), token_hash: link });
    await database.owner.raw(
      `update logins set totp_confirmed_at = null,
              sealed_totp_secret = case when ? <> 'begin_totp' then 'secret'::bytea end where id = ?`,
      [name, login.id],
    );
    const write = (db: TestDatabase['db']) =>
      db.raw(`select ${WRITES[name]!}`, { ...login, session, link, random: randomBytes(32) });
    const refused = await write(database.db).then(() => false, isOperatorsLogin);
    expect({ is_operator: login === operator, refused }).toEqual({
      is_operator: login === operator,
      refused: login === operator,
    });
    if (login === operator) await write(database.operator);
    // The password of the next case.
    await database.owner.raw('update logins set password_hash = ? where id = ?', [
      login.password_hash,
      login.id,
    ]);
  }
});

it("ends what the application's role began for a person who becomes an operator", async () => {
  const login = await buildLogin();
  await beginSession(database.db, sessionOf(login));
  await addLoginToken(database.db, linkOf(login));
  expect(await left(login)).toEqual({ sessions: 1, links: 1 });
  expect(await grant(login)).toEqual({ ok: true, changed: true });
  expect(await left(login)).toEqual({ sessions: 0, links: 0 });
});
