// Signing up, in and out, driven by plain HTTP as a browser without scripts would.

import { findLogin } from '../../db/people/logins';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { callApi } from '../api/support/contract';
import { newName, PASSWORD, signInAs, signInOwner } from './accounts';
import { linkIn, mailsTo } from './mails';
import { createVisitor } from './visitor';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
});

const signUpFields = (username: string, email = `${username}@example.com`) => ({
  shop_name: 'Boutique Fatou',
  username,
  email,
  password: PASSWORD,
  country: 'SN',
  first_name: 'Awa',
  last_name: 'Diop',
});

describe('signing up', () => {
  it('makes an account with funded sandbox wallets, whose first page makes a test key that works', async () => {
    const visitor = createVisitor(service);
    const username = newName();
    await visitor.open('/sign-up');
    const made = await visitor.submit('/sign-up', signUpFields(username));
    expect([made.status, made.heading]).toEqual([200, 'Check your e-mails']);
    expect(await findLogin(database.db, username)).toMatchObject({ language: 'en' });
    await visitor.open('/sign-in');
    await visitor.submit('/sign-in', { username, password: PASSWORD });
    expect(visitor.page.heading).toBe('Overview');
    expect(visitor.page.text).toContain('1,000,000 FCFA');
    const first = await visitor.submit('/keys/first');
    const key = first.document.querySelector('.copyable code')!.textContent;
    expect(first.text).toContain(`Authorization: Bearer ${key}`);

    const history = await visitor.open('/transactions?lang=fr');
    expect(await findLogin(database.db, username)).toMatchObject({ language: 'fr' });
    expect(history.text).toContain('Solde de départ du mode test');
    expect(history.text).not.toContain('opening balance');

    const response = await callApi(service, 'GET', '/me', { key });
    expect(response.json).toMatchObject({ environment: 'sandbox' });
  });

  it('does the same for an e-mail address that has an account: a second try and signing in tell nothing', async () => {
    const { user } = await signInOwner(service, database);
    const answers = [];
    for (const email of [user.email, `${newName()}@example.com`]) {
      const visitor = createVisitor(service);
      const username = newName();
      const pages = [];
      for (const name of [username, username]) {
        await visitor.open('/sign-up');
        pages.push(await visitor.submit('/sign-up', signUpFields(name, email)));
      }
      for (const name of [email, username]) {
        await visitor.open('/sign-in');
        pages.push(
          await visitor.submit('/sign-in', { username: name, password: PASSWORD.slice(1) }),
        );
      }
      const inside = await visitor.submit('/sign-in', { username, password: PASSWORD });
      await visitor.open('/security');
      pages.push(inside, await visitor.submit('/security/email'));
      answers.push(
        pages.map(({ status, path, text }) =>
          [status, path, text].join(' ').replaceAll(username, 'NAME').replaceAll(email, 'ADDRESS'),
        ),
      );
    }
    const plain = answers.map((pages) =>
      pages.map((page) =>
        page.replaceAll(/pay_test_\w+/g, 'KEY').replaceAll(/\d\d:\d\d UTC/g, 'TIME'),
      ),
    );
    expect(plain[0]).toEqual(plain[1]);
    expect(plain[0]!.map((page) => page.slice(0, 3))).toEqual([
      '200',
      '422',
      '401',
      '401',
      '200',
      '200',
    ]);
  });

  it('lets the owner of an address have an account, whoever named the address before', async () => {
    const [squatter, owner] = [newName(), newName()];
    const email = `${owner}@example.com`;
    const visitor = createVisitor(service);
    for (const username of [squatter, owner]) {
      const browser = username === owner ? visitor : createVisitor(service);
      await browser.open('/sign-up');
      await browser.submit('/sign-up', signUpFields(username, email));
    }
    const links = (await mailsTo(database, email)).map(
      (mail) => [mail.text, linkIn(mail)] as const,
    );
    expect(links).toHaveLength(2);
    const linkOf = (name: string) => links.find(([text]) => text.includes(` ${name} `))![1];
    // The squatter's link signs the owner in to nothing: its account has the squatter's password.
    await visitor.open(linkOf(squatter));
    const refused = await visitor.submit('/email/confirm', { password: PASSWORD.slice(1) });
    expect([refused.status, refused.text]).toEqual([
      401,
      expect.stringContaining('Wrong password'),
    ]);
    await visitor.open(linkOf(owner));
    const inside = await visitor.submit('/email/confirm');
    expect([inside.heading, inside.text]).toEqual([
      'Overview',
      expect.stringContaining('address is confirmed'),
    ]);
    await visitor.open(linkOf(squatter));
    const late = await visitor.submit('/email/confirm', { password: PASSWORD });
    expect([late.status, late.text]).toEqual([
      422,
      expect.stringContaining('another account has confirmed the address'),
    ]);
    const { page } = await signInAs(service, email);
    expect(page.text).toContain(owner);
  });

  it('says at once all that is wrong, and keeps the other fields', async () => {
    const { user } = await signInOwner(service, database);
    const visitor = createVisitor(service);
    await visitor.open('/sign-up');
    const page = await visitor.submit('/sign-up', {
      ...signUpFields(user.username, 'nobody'),
      shop_name: '\u3164',
      password: 'short',
      last_name: 'PayPal\r\nBcc: x',
    });
    expect(page.status).toBe(422);
    const faults = page.document
      .querySelectorAll('.fault')
      .map((fault) => [fault.getAttribute('id')!.replace('-fault', ''), fault.textContent]);
    expect(faults).toEqual([
      ['shop_name', expect.stringContaining('letters')],
      ['email', 'This is not an e-mail address.'],
      ['username', 'This username is taken.'],
      ['password', expect.stringContaining('at least 8')],
      ['first_name', expect.stringContaining('Use letters and spaces')],
    ]);
    expect(page.document.querySelector('[name=first_name]')?.getAttribute('value')).toBe('Awa');
    expect(page.document.querySelector('[name=password]')?.getAttribute('value')).toBeFalsy();
  });
});

describe('signing in', () => {
  it('knows an address however it is spelled', async () => {
    const name = newName();
    const email = `jérôme.${name}@exämple.fr`;
    const spellings = [
      email.normalize('NFD'),
      email.toUpperCase(),
      `jérôme.${name}@xn--exmple-cua.fr`,
    ];
    const visitor = createVisitor(service);
    await visitor.open('/sign-up');
    await visitor.submit('/sign-up', signUpFields(name, email));
    const [mail] = await mailsTo(database, `jérôme.${name}@xn--exmple-cua.fr`);
    await visitor.open(linkIn(mail!));
    await visitor.submit('/email/confirm');
    for (const spelling of spellings) {
      expect((await signInAs(service, spelling)).page.heading).toBe('Overview');
    }
  });

  it('answers the same for an unknown name and for a wrong password', async () => {
    const { user } = await signInOwner(service, database);
    const answers = [];
    for (const username of [user.username, 'x'.repeat(user.username.length)]) {
      const visitor = createVisitor(service);
      await visitor.open('/sign-in');
      const page = await visitor.submit('/sign-in', { username, password: 'wrong password' });
      answers.push([page.status, page.text.replaceAll(username, 'NAME')]);
      expect([...visitor.cookies.keys()]).not.toContain('payments_session');
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]![0]).toBe(401);
  });

  it('goes on to the page that was asked for, and to no other site', async () => {
    const { user } = await signInOwner(service, database);
    const visitor = createVisitor(service);
    await visitor.open('/?from=mail');
    expect(visitor.page.heading).toBe('Sign in');
    const page = await visitor.submit('/sign-in', { username: user.username, password: PASSWORD });
    expect(page.path).toBe('/dashboard?from=mail');

    for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example']) {
      const other = createVisitor(service);
      await other.open(`/sign-in?next=${encodeURIComponent(next)}`);
      await other.submit('/sign-in', { username: user.username, password: PASSWORD });
      expect(other.page.path).toBe('/dashboard');
    }
  });

  it('sets a cookie that no script reads and no other site sends', async () => {
    const { user } = await signInOwner(service, database);
    const visitor = createVisitor(service);
    await visitor.open('/sign-in');
    const form = visitor.page.document.querySelector('form.card')!;
    const body = new URLSearchParams(
      form
        .querySelectorAll('input')
        .map((input): [string, string] => [
          input.getAttribute('name')!,
          input.getAttribute('value') ?? '',
        ]),
    );
    body.set('username', user.username);
    body.set('password', PASSWORD);
    const response = await visitor.request('/dashboard/sign-in', { method: 'POST', body });
    const [cookie] = response.headers.getSetCookie().filter((one) => one.includes('session='));
    expect(cookie).toMatch(/; path=\/; samesite=lax; httponly$/i);
  });
});

describe('a sign-in form that a second tab had open', () => {
  it('leads on, and begins no second session', async () => {
    const { user } = await signInOwner(service, database);
    const visitor = createVisitor(service);
    await visitor.open('/sign-in?next=/wallets');
    const form = visitor.page.document.querySelector('form.card')!;
    const token = form.querySelector('[name=form_token]')!.getAttribute('value')!;
    await visitor.submit('/sign-in', { username: user.username, password: PASSWORD });
    const before = visitor.cookies.get('payments_session');
    const response = await visitor.request('/dashboard/sign-in', {
      method: 'POST',
      body: new URLSearchParams({
        form_token: token,
        next: '/wallets',
        username: user.username,
        password: PASSWORD,
      }),
    });
    expect([response.status, response.headers.get('Location')]).toEqual([
      303,
      '/dashboard/wallets',
    ]);
    expect(visitor.cookies.get('payments_session')).toBe(before);
  });
});

describe('signing out', () => {
  it('ends the session in the database: its cookie is worth nothing afterwards', async () => {
    const { visitor } = await signInOwner(service, database);
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const out = await visitor.submit('/sign-out');
    expect(out.heading).toBe('Sign in');
    const stolen = await fetch(`${service.origin}/dashboard`, {
      headers: { cookie },
      redirect: 'manual',
    });
    expect([stolen.status, stolen.headers.get('Location')]).toEqual([
      303,
      '/dashboard/sign-in?next=%2F',
    ]);
  });
});

describe('a form', () => {
  it.each([
    ['without a token', { form_token: '' }],
    ['with the token of another browser', { form_token: 'f'.repeat(64) }],
  ])('%s changes nothing', async (_case, fields) => {
    const { visitor } = await signInOwner(service, database);
    const page = await visitor.submit('/sign-out', fields);
    expect([page.status, page.heading]).toEqual([403, 'The form is out of date']);
    expect((await visitor.open('/')).heading).toBe('Overview');
  });

  it('that another site sends is refused, whatever token it has', async () => {
    const { visitor } = await signInOwner(service, database);
    const token = visitor.page.document.querySelector('[name=form_token]')!.getAttribute('value')!;
    const response = await visitor.request('/dashboard/sign-out', {
      method: 'POST',
      headers: { 'Sec-Fetch-Site': 'cross-site' },
      body: new URLSearchParams({ form_token: token }),
    });
    expect(response.status).toBe(403);
  });

  it('that was opened in the sandbox changes nothing once another tab has switched to live', async () => {
    const { visitor } = await signInOwner(service, database);
    const old = visitor.page;
    await visitor.submit('/environment', { environment: 'live' });
    const token = old.document.querySelector('[name=form_token]')!.getAttribute('value')!;
    const shown = old.document.querySelector('[name=shown]')!.getAttribute('value')!;
    const response = await visitor.request('/dashboard/environment', {
      method: 'POST',
      body: new URLSearchParams({ form_token: token, shown, environment: 'sandbox' }),
    });
    expect(response.status).toBe(409);
    expect((await visitor.open('/')).text).toContain('Live: real money');
  });
});

describe('languages', () => {
  it("follows the browser's, and what was chosen on the page wins", async () => {
    const visitor = createVisitor(service);
    const french = await visitor.open('/sign-in', { 'Accept-Language': 'fr-SN,fr;q=0.9,en;q=0.5' });
    expect([french.heading, french.document.querySelector('html')?.getAttribute('lang')]).toEqual([
      'Se connecter',
      'fr',
    ]);
    expect((await visitor.open('/sign-in?lang=en')).heading).toBe('Sign in');
    const later = await visitor.open('/sign-in', { 'Accept-Language': 'fr' });
    expect(later.heading).toBe('Sign in');
    expect(
      (await createVisitor(service).open('/sign-in', { 'Accept-Language': 'wo' })).heading,
    ).toBe('Sign in');
  });
});
