// Signing up, in and out, driven by plain HTTP as a browser without scripts would; also while what is shown for it changes.

import { getMerchant } from '../../db/accounts/public-profiles';
import { findLogin } from '../../db/people/logins';
import { hashPassword } from '../../secrets/password';
import { callApi } from '../api/support/contract';
import { ownerOf } from '../support/users';
import { waitFor } from '../support/wait';
import { newName, PASSWORD, signInAs } from './accounts';
import { linkIn, mailsTo } from './mails';
import { createVisitor, expectPage, type VisitedPage, type Visitor } from './visitor';
import { useWorld } from './world';

const w = useWorld({ of_each: 'test' });

const signUpFields = (username: string, email = `${username}@example.com`) => ({
  shop_name: 'Boutique Fatou',
  username,
  email,
  password: PASSWORD,
  country: 'SN',
  first_name: 'Awa',
  last_name: 'Diop',
});
const own = () => ({ username: w.user.username, password: PASSWORD });
const cookieOf = ({ cookies }: Visitor): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

describe('signing up', () => {
  it('makes an account with funded sandbox wallets, whose first page makes a test key that works', async () => {
    const visitor = createVisitor(w.service);
    const username = newName();
    const made = await visitor.fill('/sign-up', signUpFields(username));
    expectPage(made, 200, 'Check your e-mails');
    expect(await findLogin(w.database.db, username)).toMatchObject({ language: 'en' });
    await visitor.fill('/sign-in', { username, password: PASSWORD });
    expectPage(visitor.page, 200, 'Overview', '1,000,000 FCFA');
    await visitor.open('/guides');
    const first = await visitor.submit('/keys/first');
    const key = first.document.querySelector('.copyable code')!.textContent;
    expectPage(first, 200, `Authorization: Bearer ${key}`);
    const history = await visitor.open('/transactions?lang=fr');
    expect(await findLogin(w.database.db, username)).toMatchObject({ language: 'fr' });
    expectPage(history, 200, 'Solde de départ du mode test');
    expect(history.text).not.toContain('opening balance');
    const { json } = await callApi(w.service, 'GET', '/me', { key });
    expect(json).toMatchObject({ environment: 'sandbox' });
  });

  it('makes a username of the shop’s name or the person’s, and shows the phone number to customers', async () => {
    const sign = async (fields: Readonly<Record<string, string>>) => {
      const visitor = createVisitor(w.service);
      const page = await visitor.fill('/sign-up', {
        ...signUpFields('', `${newName()}@example.com`),
        ...fields,
      });
      return { visitor, page };
    };
    const { page } = await sign({ shop_name: 'Chez Fatou & Filles', phone: '+221 77 123 45 67' });
    expectPage(page, 200, 'your username chez.fatou.filles and password');
    const login = (await findLogin(w.database.db, 'chez.fatou.filles'))!;
    expect(await getMerchant(w.database.db, login.owned_user_id!)).toMatchObject({
      merchant_name: 'Chez Fatou & Filles',
      merchant_contact: '+221 77 123 45 67',
    });
    for (const name of ['awa.nd0ye', 'awa.nd0ye2']) {
      expectPage(
        (await sign({ shop_name: '', first_name: 'Àwa', last_name: 'Nd0ye' })).page,
        200,
        name,
      );
    }
    expectPage((await sign({ username: 'Ébène Mode' })).page, 200, 'your username ebene.mode');
    expect((await sign({ username: '!!' })).page.status).toBe(422);
  });

  it('says to which address the message went, and sends it again after 30 seconds, also to a corrected address', async () => {
    const visitor = createVisitor(w.service);
    const username = newName();
    const [wrong, email] = [`${newName()}@exemple.test`, `${newName()}@example.com`];
    const sent = await visitor.fill('/sign-up', signUpFields(username, wrong));
    expectPage(sent, 200, `a message to ${wrong}`);
    const [first] = await mailsTo(w.database, wrong);
    expectPage(await visitor.submit('/sign-up/sent', { email: 'none' }), 422, 'not an e-mail');
    expectPage(
      await visitor.submit('/sign-up/sent', { email }),
      200,
      `a message to ${email}`,
      'again',
    );
    expectPage(await visitor.submit('/sign-up/sent', {}), 422, 'can send it again in');
    expect(await mailsTo(w.database, email)).toHaveLength(1);
    await w.sql(`update attempt_counts set ends_at = ends_at - interval '31 seconds'`);
    expectPage(await visitor.submit('/sign-up/sent', {}), 200, 'again');
    expect(await mailsTo(w.database, email)).toHaveLength(2);
    expect((await visitor.open(linkIn(first!))).status).toBe(404);
    await visitor.open(linkIn((await mailsTo(w.database, email))[0]!));
    expectPage(await visitor.submit('/email/confirm'), 200, 'Overview', 'is confirmed');
    // Another browser knows the name alone, and a confirmed address stays.
    for (const one of [createVisitor(w.service), visitor]) {
      await one.open('/sign-in?lang=en');
      expect((await one.post('/sign-up/sent', { username, email: wrong })).status).toBe(403);
    }
    expect(await findLogin(w.database.db, username)).toMatchObject({ email });
  });

  it('does the same for an e-mail address that has an account: a second try and signing in tell nothing', async () => {
    const answers = [];
    for (const email of [w.user.email, `${newName()}@example.com`]) {
      const visitor = createVisitor(w.service);
      const username = newName();
      const pages = [];
      for (const _ of ['first', 'second']) {
        pages.push(await visitor.fill('/sign-up', signUpFields(username, email)));
      }
      for (const name of [email, username]) {
        const fields = { username: name, password: PASSWORD.slice(1) };
        pages.push(await visitor.fill('/sign-in', fields));
      }
      pages.push(await visitor.submit('/sign-in', { username, password: PASSWORD }));
      pages.push(await visitor.fill('/security', {}, '/security/email'));
      answers.push(
        pages.map(({ status, path, text }) =>
          [status, path, text]
            .join(' ')
            .replaceAll(username, 'NAME')
            .replaceAll(email, 'ADDRESS')
            .replaceAll(/pay_test_\w+/g, 'KEY')
            .replaceAll(/kept=\S+/g, 'KEPT')
            .replaceAll(/\d\d:\d\d UTC/g, 'TIME'),
        ),
      );
    }
    expect(answers[0]).toEqual(answers[1]);
    const statuses = answers[0]!.map((page) => page.slice(0, 3)).join();
    expect(statuses).toBe('200,422,401,401,200,200');
  });

  it('lets the owner of an address have an account, whoever named the address before', async () => {
    const [squatter, owner] = [newName(), newName()];
    const email = `${owner}@example.com`;
    const visitor = createVisitor(w.service);
    await createVisitor(w.service).fill('/sign-up', signUpFields(squatter, email));
    await visitor.fill('/sign-up', signUpFields(owner, email));
    const mails = await mailsTo(w.database, email);
    expect(mails).toHaveLength(2);
    const linkOf = (name: string) => linkIn(mails.find(({ text }) => text.includes(` ${name} `))!);
    // The squatter's link signs the owner in to nothing: its account has the squatter's password.
    const password = PASSWORD.slice(1);
    const refused = await visitor.fill(linkOf(squatter), { password }, '/email/confirm');
    expectPage(refused, 401, 'Wrong password');
    const inside = await visitor.fill(linkOf(owner), {}, '/email/confirm');
    expectPage(inside, 200, 'Overview', 'address is confirmed');
    const late = await visitor.fill(linkOf(squatter), { password: PASSWORD }, '/email/confirm');
    expectPage(late, 422, 'another account has confirmed the address');
    expectPage((await signInAs(w.service, email)).page, 200, owner);
  });

  it('says at once all that is wrong, and keeps the other fields', async () => {
    const page = await createVisitor(w.service).fill('/sign-up', {
      ...signUpFields(w.user.username, 'nobody'),
      shop_name: '\u3164',
      password: 'short',
      last_name: 'PayPal\r\nBcc: x',
    });
    expect([page.status, page.faults]).toEqual([
      422,
      {
        shop_name: expect.stringContaining('letters'),
        email: 'This is not an e-mail address.',
        username: 'This username is taken.',
        password: expect.stringContaining('at least 8'),
        first_name: expect.stringContaining('Use letters and spaces'),
      },
    ]);
    expect([page.value('first_name'), page.value('password')]).toEqual(['Awa', '']);
  });
});

describe('signing in', () => {
  it('knows an address however it is spelled', async () => {
    const name = newName();
    const email = `jérôme.${name}@exämple.fr`;
    const ascii = `jérôme.${name}@xn--exmple-cua.fr`;
    const visitor = createVisitor(w.service);
    await visitor.fill('/sign-up', signUpFields(name, email));
    const [mail] = await mailsTo(w.database, ascii);
    await visitor.fill(linkIn(mail!), {}, '/email/confirm');
    for (const spelling of [email.normalize('NFD'), email.toUpperCase(), ascii]) {
      expect((await signInAs(w.service, spelling)).page.heading).toBe('Overview');
    }
  });

  it('answers the same for an unknown name and for a wrong password', async () => {
    const { username: known } = w.user;
    const answers = [];
    for (const username of [known, 'x'.repeat(known.length)]) {
      const visitor = createVisitor(w.service);
      const page = await visitor.fill('/sign-in', { username, password: 'wrong password' });
      answers.push([page.status, page.text.replaceAll(username, 'NAME')]);
      expect([...visitor.cookies.keys()]).not.toContain('payments_session');
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]![0]).toBe(401);
  });

  it('goes on to the page that was asked for, and to no other site', async () => {
    const visitor = createVisitor(w.service);
    expect((await visitor.open('/?from=mail')).heading).toBe('Sign in');
    expect((await visitor.submit('/sign-in', own())).path).toBe('/dashboard?from=mail');
    for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example']) {
      const other = createVisitor(w.service);
      await other.fill(`/sign-in?next=${encodeURIComponent(next)}`, own());
      expect(other.page.path).toBe('/dashboard');
    }
  });

  it('sets a cookie that no script reads and no other site sends', async () => {
    const visitor = createVisitor(w.service);
    const { headers } = await visitor.press(await visitor.open('/sign-in'), '/sign-in', own());
    const [cookie] = headers.getSetCookie().filter((one) => one.includes('session='));
    expect(cookie).toMatch(/; path=\/; samesite=lax; httponly$/i);
  });

  it('by a form that a second tab had open leads on, and begins no second session', async () => {
    const visitor = createVisitor(w.service);
    const form = await visitor.open('/sign-in?next=/wallets');
    await visitor.submit('/sign-in', own());
    const before = visitor.cookies.get('payments_session');
    const { status, to } = await visitor.press(form, '/sign-in', own());
    expect([status, to]).toEqual([303, '/dashboard/wallets']);
    expect(visitor.cookies.get('payments_session')).toBe(before);
  });
});

/** Does something while a transaction with this change is under way, which commits once so many wait for it. */
async function during<T>(
  change: string,
  values: readonly unknown[],
  { waits_in, count = 1 }: { readonly waits_in: string; readonly count?: number },
  work: () => Promise<T>,
): Promise<T> {
  const tx = await w.database.owner.transaction();
  try {
    await tx.raw(change, values as never);
    const working = work();
    await waitFor(async () => {
      const waiting = await w.sql(
        `select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like ?`,
        [`%${waits_in}%`],
      );
      return waiting.length === count;
    });
    await tx.commit();
    return await working;
  } catch (error) {
    await tx.rollback();
    throw error;
  }
}

describe('signing in with the right password', () => {
  const signInDuring = async (
    visitor: Visitor,
    change: string,
    values: readonly unknown[],
  ): Promise<VisitedPage> => {
    await visitor.open('/sign-in');
    const work = () => visitor.submit('/sign-in', own());
    return during(change, values, { waits_in: 'begin_session' }, work);
  };

  it('begins no session once the password is changed meanwhile', async () => {
    const visitor = createVisitor(w.service);
    const values = [await ownerOf(w.database, w.user), await hashPassword('other quiet words')];
    const page = await signInDuring(visitor, 'select set_password(?, ?, null)', values);
    expectPage(page, 401, 'Sign in');
    expect([...visitor.cookies.keys()]).not.toContain('payments_session');
  });

  it('asks for the code once a second factor is confirmed meanwhile', async () => {
    const login = await ownerOf(w.database, w.user);
    await w.sql(`update logins set sealed_totp_secret = 'x' where id = ?`, [login]);
    const change = `select confirm_totp(?, 'x', 1, '{}', null)`;
    const page = await signInDuring(createVisitor(w.service), change, [login]);
    expect(page.heading).toBe('Enter your code');
  });

  it('works when the hash is only renewed meanwhile', async () => {
    const values = [await hashPassword(PASSWORD), await ownerOf(w.database, w.user)];
    const change = 'update logins set password_hash = ? where id = ?';
    const page = await signInDuring(createVisitor(w.service), change, values);
    expect(page.heading).toBe('Overview');
  });
});

it('the first key is one, and shown once, also when two ask for it at the same moment', async () => {
  const visitors = [w.visitor, await signInAs(w.service, w.user.username)];
  const change = 'select from users where id = ? for no key update';
  for (const visitor of visitors) await visitor.open('/guides');
  const pages = await during(change, [w.user.id], { waits_in: 'api_key', count: 2 }, () =>
    Promise.all(visitors.map((visitor) => visitor.submit('/keys/first'))),
  );
  expect(pages.filter((page) => /pay_test_\w+/.test(page.text))).toHaveLength(1);
  const keys = await w.sql('select name from api_keys where user_id = ?', [w.user.id]);
  expect(keys).toEqual([{ name: 'First test key' }]);
});

it('the sessions of one person are a hundred at most: the one that was seen last longest ago ends', async () => {
  const login_id = await ownerOf(w.database, w.user);
  await w.sql(
    `insert into sessions (token_hash, login_id, second_factor, ip, user_agent, expires_at)
     select sha256(n::text::bytea), ?, 'none', '127.0.0.1', '', now() + interval '1 day'
       from generate_series(1, 150) n`,
    [login_id],
  );
  await signInAs(w.service, w.user.username);
  const count = 'select count(*)::integer as count from sessions where login_id = ?';
  expect(await w.sql(count, [login_id])).toEqual([{ count: 100 }]);
  expect((await w.visitor.open('/')).heading).toBe('Sign in');
});

describe('signing out', () => {
  it('ends the session in the database: its cookie is worth nothing afterwards', async () => {
    const headers = { cookie: cookieOf(w.visitor) };
    expect((await w.visitor.submit('/sign-out')).heading).toBe('Sign in');
    const stolen = await fetch(`${w.service.origin}/dashboard`, { headers, redirect: 'manual' });
    expect(stolen.headers.get('Location')).toBe('/dashboard/sign-in?next=%2F');
  });
});

describe('a form', () => {
  it.each([
    ['without a token', { form_token: '' }],
    ['with the token of another browser', { form_token: 'f'.repeat(64) }],
  ])('%s changes nothing', async (_case, fields) => {
    expectPage(await w.visitor.submit('/sign-out', fields), 403, 'The form is out of date');
    expect((await w.visitor.open('/')).heading).toBe('Overview');
  });

  it('that another site sends is refused, whatever token it has', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site' };
    expect((await w.visitor.post('/sign-out', {}, headers)).status).toBe(403);
  });

  it('that was opened in the sandbox changes nothing once another tab has switched to live', async () => {
    const old = w.visitor.page;
    await w.show('live');
    const { status } = await w.visitor.press(old, '/environment', { environment: 'sandbox' });
    expect(status).toBe(409);
    expectPage(await w.visitor.open('/'), 200, 'Live: real money');
  });
});

it("the language follows the browser's, and what was chosen on the page wins", async () => {
  const visitor = createVisitor(w.service);
  const french = await visitor.open('/sign-in', { 'Accept-Language': 'fr-SN,fr;q=0.9,en;q=0.5' });
  expect(french.heading).toBe('Se connecter');
  expect(french.document.querySelector('html')?.getAttribute('lang')).toBe('fr');
  const headingFor = async (path: string, language: string, by = visitor) =>
    (await by.open(path, { 'Accept-Language': language })).heading;
  expect(await headingFor('/sign-in?lang=en', 'fr')).toBe('Sign in');
  expect(await headingFor('/sign-in', 'fr')).toBe('Sign in');
  expect(await headingFor('/sign-in', 'wo', createVisitor(w.service))).toBe('Sign in');
});
