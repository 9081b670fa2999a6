// Some things belong to a confirmed address only, so that a link by mail never has to take them away.

import { randomBytes } from 'node:crypto';
import { createTestDatabase, setUp } from '../support/database';
import { buildPaymentLink } from '../support/payment-links';
import { openIntent } from '../support/refunds';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { createTestEndpoint } from '../support/webhooks';
import { addLoginToken, findLoginToken, resetPassword } from '../../db/people/login-tokens';
import { findLogin, type LoginRow } from '../../db/people/logins';
import { beginTotp, confirmTotp } from '../../db/people/second-factor';
import { grantOperator } from '../../use-cases/operators';

const database = setUp(createTestDatabase);

async function loginOf({ username }: TestUser) {
  return (await findLogin(database.db, username))!;
}

/** The operators' role writes an operator's ways to sign in. */
const roleFor = ({ is_operator }: LoginRow) => (is_operator ? database.operator : database.db);

/** Takes the link that was sent to the address. */
async function reset(user: TestUser): Promise<boolean> {
  const [login, token_hash] = [await loginOf(user), randomBytes(32)];
  const [db, { id }] = [roleFor(login), login];
  const token = { token_hash, kind: 'password', login_id: id, email: user.email } as const;
  await addLoginToken(db, { ...token, lasts_seconds: 60 });
  const { is_first_proof } = (await findLoginToken(db, token_hash, 'password'))!;
  expect(await resetPassword(db, token_hash, 'new', [])).toBe(id);
  return is_first_proof;
}

/** Whether it is on afterwards. */
async function setUpFactor(user: TestUser): Promise<boolean> {
  const [login, sealed] = [await loginOf(user), Buffer.from('x')];
  const [db, login_id] = [roleFor(login), login.id];
  await beginTotp(db, login_id, sealed);
  const session_id = '00000000-0000-0000-0000-000000000000';
  await confirmTotp(db, { login_id, sealed, step: 1n, recovery_hashes: [], session_id });
  return (await loginOf(user)).has_totp;
}

describe('a second factor', () => {
  it('outlives a new password by mail, for each login that an operator made and for an operator', async () => {
    for (const is_operator of [false, true]) {
      const user = await buildUser(database.db);
      const granting = { db: database.operator, actor: 'root' };
      if (is_operator) await grantOperator(granting, user.username, true);
      expect(await setUpFactor(user)).toBe(true);
      expect(await reset(user)).toBe(false);
      expect((await loginOf(user)).has_totp).toBe(true);
    }
  });

  it('is set up only once the address is confirmed, which a new password by mail does', async () => {
    const user = await buildUser(database.db, { unconfirmed: true });
    expect(await setUpFactor(user)).toBe(false);
    expect(await reset(user)).toBe(true);
    expect(await setUpFactor(user)).toBe(true);
    expect(await reset(user)).toBe(false);
    expect((await loginOf(user)).has_totp).toBe(true);
  });
});

it('the role of an operator is not given to the owner of an address that is not confirmed', async () => {
  const user = await buildUser(database.db, { unconfirmed: true });
  const granting = { db: database.operator, actor: 'root' };
  const grant = () => grantOperator(granting, user.username, true);
  expect(await grant()).toEqual({ ok: false, error: 'unconfirmed' });
  await reset(user);
  expect(await grant()).toEqual({ ok: true, changed: true });
});

it('a new password by mail ends what the person left who signed up with the address, and only the first', async () => {
  const user = await buildUser(database.db, { unconfirmed: true });
  const [helper, bystander] = [await buildUser(database.db), await buildUser(database.db)];
  /** Makes, in both environments, what the person who signed up may have left. */
  const leave = async (account: TestUser): Promise<void> => {
    for (const environment of ['sandbox', 'live'] as const) {
      await buildApiKey(database.db, { user: account, environment });
      await createTestEndpoint(database, {
        user_id: account.id,
        url: 'https://example.net',
        environment,
      });
    }
    await database.db.raw('select set_public_profile(?::uuid, ?::jsonb)', [
      account.id,
      JSON.stringify({ display_name: 'Shop', contact: 'me@example.net' }),
    ]);
    await database.owner.raw(
      `with logo as (insert into merchant_logos (user_id, image) values (:id, 'x')),
            invited as (insert into invitations (user_id, email, role, invited_by)
                        values (:id, 'h@example.net', 'viewer', :login))
       insert into memberships (login_id, user_id, role) values (:helper, :id, 'developer')`,
      { id: account.id, login: (await loginOf(account)).id, helper: (await loginOf(helper)).id },
    );
    await buildPaymentLink(database.db, account);
    await openIntent(database.db, account);
  };
  const left = async ({ id }: TestUser): Promise<unknown> => {
    const { rows } = await database.owner.raw(
      `select (select count(*)::integer from api_keys k where k.user_id = u.id and k.revoked_at is null) as keys,
              (select count(*)::integer from webhook_endpoints w
                where w.user_id = u.id and w.status = 'enabled') as endpoints,
              (select count(*)::integer from merchant_logos l where l.user_id = u.id) as logos,
              (select count(*)::integer from invitations i where i.user_id = u.id) as invitations,
              (select count(*)::integer from memberships m where m.user_id = u.id) as members,
              num_nonnulls(u.display_name, u.contact) as words,
              (select count(*)::integer from payment_links l where l.user_id = u.id and l.is_active) as links,
              (select count(*)::integer from payment_intents i
                where i.user_id = u.id and i.expires_at > clock_timestamp()) as intents
         from users u where u.id = ?`,
      [id],
    );
    return (rows as unknown[])[0];
  };
  const all = {
    keys: 2,
    endpoints: 2,
    logos: 1,
    invitations: 1,
    members: 2,
    words: 2,
    links: 1,
    intents: 1,
  };
  await leave(user);
  await leave(bystander);
  expect(await left(user)).toEqual(all);
  await reset(user);
  const none = {
    keys: 0,
    endpoints: 0,
    logos: 0,
    invitations: 0,
    members: 1,
    words: 0,
    links: 0,
    intents: 0,
  };
  expect(await left(user)).toEqual(none);
  expect(await left(bystander)).toEqual(all);
  await leave(user);
  await reset(user);
  expect(await left(user)).toEqual(all);
});
