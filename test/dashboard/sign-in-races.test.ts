// Signing in while what is shown for it changes: no session outlives the change that would have ended it.

import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { hashPassword } from '../../secrets/password';
import { PASSWORD, signInAs } from './accounts';
import { createVisitor, type VisitedPage } from './visitor';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
});

/** Signs in while a transaction with this change is under way, which commits once the sign-in waits for it. */
async function signInDuring(username: string, change: string, values: readonly unknown[]) {
  const visitor = createVisitor(service);
  await visitor.open('/sign-in');
  const tx = await database.owner.transaction();
  let page: Promise<VisitedPage>;
  try {
    await tx.raw(change, values as never);
    page = visitor.submit('/sign-in', { username, password: PASSWORD });
    await waitFor(async () => {
      const { rows } = await database.owner.raw(
        `select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
            and query like '%begin_session%'`,
      );
      return (rows as unknown[]).length > 0;
    });
    await tx.commit();
  } catch (error) {
    await tx.rollback();
    throw error;
  }
  return { visitor, page: await page };
}

async function loginOf({ id }: { readonly id: string }): Promise<string> {
  const { rows } = await database.owner.raw(
    `select login_id from memberships where user_id = ? and role = 'owner'`,
    [id],
  );
  return (rows as { login_id: string }[])[0]!.login_id;
}

describe('signing in with the right password', () => {
  it('begins no session once the password is changed meanwhile', async () => {
    const user = await buildUser(database.db, { password: PASSWORD });
    const hash = await hashPassword('other quiet words there');
    const { page, visitor } = await signInDuring(user.username, 'select set_password(?, ?, null)', [
      await loginOf(user),
      hash,
    ]);
    expect([page.status, page.heading]).toEqual([401, 'Sign in']);
    expect([...visitor.cookies.keys()]).not.toContain('payments_session');
  });

  it('asks for the code once a second factor is confirmed meanwhile', async () => {
    const user = await buildUser(database.db, { password: PASSWORD });
    const login_id = await loginOf(user);
    await database.owner.raw(`update logins set sealed_totp_secret = 'x' where id = ?`, [login_id]);
    const { page } = await signInDuring(
      user.username,
      `select confirm_totp(?, 'x', 1, '{}', null)`,
      [login_id],
    );
    expect(page.heading).toBe('Enter your code');
  });

  it('works when the hash is only renewed meanwhile', async () => {
    const user = await buildUser(database.db, { password: PASSWORD });
    const hash = await hashPassword(PASSWORD);
    const { page } = await signInDuring(
      user.username,
      'update logins set password_hash = ? where id = ?',
      [hash, await loginOf(user)],
    );
    expect(page.heading).toBe('Overview');
  });
});

describe('the first key', () => {
  it('is one, and shown once, also when two ask for it at the same moment', async () => {
    const user = await buildUser(database.db, { password: PASSWORD });
    const visitors = [
      await signInAs(service, user.username),
      await signInAs(service, user.username),
    ];
    // Both get as far as the key, and wait.
    const tx = await database.owner.transaction();
    let pages: Promise<VisitedPage[]>;
    try {
      await tx.raw('select from users where id = ? for no key update', [user.id]);
      pages = Promise.all(visitors.map((visitor) => visitor.submit('/keys/first')));
      await waitFor(async () => {
        const { rows } = await database.owner.raw(
          `select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
              and query like '%api_key%'`,
        );
        return (rows as unknown[]).length === 2;
      });
    } finally {
      await tx.commit();
    }
    const shown = (await pages).filter((page) => /pay_test_\w+/.test(page.text));
    const { rows } = await database.owner.raw('select name from api_keys where user_id = ?', [
      user.id,
    ]);
    expect([rows, shown.length]).toEqual([[{ name: 'First test key' }], 1]);
  });
});

describe('the sessions of one person', () => {
  it('are a hundred at most: the one that was seen last longest ago ends', async () => {
    const user = await buildUser(database.db, { password: PASSWORD });
    const first = await signInAs(service, user.username);
    const login_id = await loginOf(user);
    await database.owner.raw(
      `insert into sessions (token_hash, login_id, second_factor, ip, user_agent, expires_at)
       select sha256(n::text::bytea), ?, 'none', '127.0.0.1', '', now() + interval '1 day'
         from generate_series(1, 150) n`,
      [login_id],
    );
    await signInAs(service, user.username);
    const { rows } = await database.owner.raw(
      'select count(*)::integer as count from sessions where login_id = ?',
      [login_id],
    );
    expect(rows).toEqual([{ count: 100 }]);
    expect((await first.open('/')).heading).toBe('Sign in');
  });
});
