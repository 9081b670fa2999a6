// Setting up the second factor, signing in with it, losing it, and signing out browsers.

import { TOTP, Secret } from 'otpauth';
import { makeSealingKey } from '../../secrets/keyring';
import { createSealer } from '../../secrets/seal';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { PASSWORD, signInAs, signInOwner, type Member } from './accounts';
import { mailsTo } from './mails';
import { createVisitor, type Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
});

beforeEach(async () => {
  await database.owner.raw('delete from attempt_counts');
});

/** Returns the code that the app shows so many periods of 30 s from now. */
function codeOf(secret: string, periods = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return totp.generate({ timestamp: Date.now() + periods * 30_000 });
}

/** Forgets the accepted codes: a test does not wait for the next 30 seconds. */
async function forgetSteps(): Promise<void> {
  await database.owner.raw('update logins set totp_last_step = null');
}

interface WithTotp extends Member {
  readonly secret: string;
  readonly recovery_codes: readonly string[];
}

async function setUp(): Promise<WithTotp> {
  const { user, visitor } = await signInOwner(service, database);
  await visitor.open('/security');
  const page = await visitor.submit('/security/totp');
  expect(page.heading).toBe('Set up an authenticator app');
  const secret = page.document.querySelector('.copyable code')!.textContent;
  const done = await visitor.submit('/security/totp/confirm', { code: codeOf(secret) });
  const shown = done.document.querySelector('.copyable code')!.textContent;
  const recovery_codes = shown.split('\n');
  await forgetSteps();
  return { user, visitor, secret, recovery_codes };
}

/** Signs in as far as the code. */
async function begin(username: string): Promise<Visitor> {
  const visitor = createVisitor(service);
  await visitor.open('/sign-in');
  const page = await visitor.submit('/sign-in', { username, password: PASSWORD });
  expect(page.heading).toBe('Enter your code');
  return visitor;
}

describe('setting up', () => {
  it('shows the key as a picture and as text, and ten recovery codes once', async () => {
    const { user, visitor } = await signInOwner(service, database);
    const other = await signInAs(service, user.username);
    await visitor.open('/security');
    await visitor.submit('/security/totp');
    expect(visitor.page.document.querySelector('svg[role=img] path')).not.toBeNull();
    const secret = visitor.page.document.querySelector('.copyable code')!.textContent;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const app = visitor.page.document.querySelector('a[href^="otpauth:"]')!.getAttribute('href');
    expect(app).toContain(`secret=${secret}`);
    const wrong = await visitor.submit('/security/totp/confirm', { code: '000000' });
    expect([wrong.status, wrong.text]).toEqual([
      422,
      expect.stringContaining('This code is wrong'),
    ]);
    const done = await visitor.submit('/security/totp/confirm', { code: codeOf(secret) });
    const codes = done.document.querySelector('.copyable code')!.textContent.split('\n');
    expect(new Set(codes).size).toBe(10);
    const file = done.document.querySelector('a[download]')!.getAttribute('href')!;
    expect(decodeURIComponent(file)).toBe(`data:text/plain;charset=utf-8,${codes.join('\n')}\n`);
    expect((await visitor.open('/security')).text).not.toContain(codes[0]);
    // The browser that had shown the password only is signed out.
    expect((await other.open('/')).heading).toBe('Sign in');
    expect((await mailsTo(database, user.email))[0]!.subject).toBe('Signing in now takes a code');
  });

  it('shows the key only to the session that began it, and another one begins anew', async () => {
    const { user, visitor } = await signInOwner(service, database);
    const other = await signInAs(service, user.username);
    await visitor.open('/security');
    await visitor.submit('/security/totp');
    const secret = visitor.page.document.querySelector('.copyable code')!.textContent;
    const seen = await other.open('/security/totp');
    expect([seen.heading, seen.html.includes(secret)]).toEqual(['Sign-in and security', false]);
    // Nor does it help to know the key: its code confirms nothing here.
    const own = await other.submit('/security/totp');
    const other_secret = own.document.querySelector('.copyable code')!.textContent;
    expect(other_secret).not.toBe(secret);
    const wrong = await other.submit('/security/totp/confirm', { code: codeOf(secret) });
    expect([wrong.status, wrong.text.includes('This code is wrong')]).toEqual([422, true]);
    // The first key is no longer offered.
    expect((await visitor.open('/security/totp')).heading).toBe('Sign-in and security');
    const done = await other.submit('/security/totp/confirm', { code: codeOf(other_secret) });
    expect(done.text).toContain('recovery codes');
    await forgetSteps();
    const next = await begin(user.username);
    const page = await next.submit('/sign-in/code', { code: codeOf(other_secret) });
    expect(page.heading).toBe('Overview');
  });

  it('keeps neither the key nor a recovery code readable in the database', async () => {
    const { secret, recovery_codes } = await setUp();
    const { rows } = await database.owner.raw(
      "select (select string_agg(logins::text, '') from logins) as logins, (select string_agg(recovery_codes::text, '') from recovery_codes) as codes",
    );
    const text = JSON.stringify(rows);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    for (const code of recovery_codes) expect(text).not.toContain(code);
  });
});

describe('signing in', () => {
  it('takes the code after the password, and gives the session another token', async () => {
    const { user, secret } = await setUp();
    const visitor = await begin(user.username);
    const before = visitor.cookies.get('payments_session')!;
    expect(visitor.cookies.has('payments_device')).toBe(false);
    // Nothing else is shown before.
    expect((await visitor.open('/security')).heading).toBe('Enter your code');
    const page = await visitor.submit('/sign-in/code', { code: codeOf(secret) });
    expect(page.heading).toBe('Overview');
    expect(visitor.cookies.get('payments_session')).not.toBe(before);
    expect(visitor.cookies.has('payments_device')).toBe(true);
    const stolen = await fetch(`${service.origin}/dashboard`, {
      headers: { cookie: `payments_session=${before}` },
      redirect: 'manual',
    });
    // Not to the page for the code: the old session is gone.
    expect(stolen.headers.get('Location')).toBe('/dashboard/sign-in?next=%2F');
  });

  it('takes a code once, also from two browsers at the same moment', async () => {
    const { user, secret } = await setUp();
    const visitors = [await begin(user.username), await begin(user.username)];
    const code = codeOf(secret);
    const pages = await Promise.all(visitors.map((one) => one.submit('/sign-in/code', { code })));
    const statuses = pages.map(({ status }) => status);
    expect(statuses.sort((one, other) => one - other)).toEqual([200, 422]);
  });

  it('takes the code before and after, and no older one once a newer was taken', async () => {
    const { user, secret } = await setUp();
    const accepted = [];
    for (const periods of [-1, 1, 0, -3, 3]) {
      const visitor = await begin(user.username);
      // The oldest that is taken must not grow older on its way.
      if (periods === -1) await waitFor(() => Date.now() % 30_000 < 20_000);
      const page = await visitor.submit('/sign-in/code', { code: codeOf(secret, periods) });
      accepted.push([periods, page.status]);
    }
    expect(accepted).toEqual([
      [-1, 200],
      [1, 200],
      [0, 422],
      [-3, 422],
      [3, 422],
    ]);
  });

  it('takes each recovery code once, however it is typed, and says so by mail', async () => {
    const { user, recovery_codes } = await setUp();
    const code = recovery_codes[3]!;
    const visitor = await begin(user.username);
    const typed = code.toLowerCase().replaceAll('-', ' ');
    expect((await visitor.submit('/sign-in/code', { code: typed })).heading).toBe('Overview');
    expect((await mailsTo(database, user.email))[0]!.subject).toBe('A recovery code was used');
    expect((await visitor.open('/security')).text).toContain('Recovery codes left: 9.');
    const again = await begin(user.username);
    expect((await again.submit('/sign-in/code', { code })).status).toBe(422);
  });

  it('waits after ten wrong codes, but not in a browser that has signed in before', async () => {
    const { user, secret } = await setUp();
    const known = await begin(user.username);
    await known.submit('/sign-in/code', { code: codeOf(secret) });
    await known.submit('/sign-out');
    await forgetSteps();
    const hostile = await begin(user.username);
    for (let count = 0; count < 10; count += 1) {
      expect((await hostile.submit('/sign-in/code', { code: '000000' })).status).toBe(422);
      await hostile.open('/sign-in/code');
    }
    const page = await hostile.submit('/sign-in/code', { code: codeOf(secret) });
    expect([page.status, page.headers.has('Retry-After')]).toEqual([429, true]);
    await known.open('/sign-in');
    await known.submit('/sign-in', { username: user.username, password: PASSWORD });
    const own = await known.submit('/sign-in/code', { code: codeOf(secret) });
    expect(own.heading).toBe('Overview');
  });
});

describe('the key that the secret is sealed with', () => {
  it('can be replaced: the next code seals the secret with the new one', async () => {
    const { user, secret } = await setUp();
    const sealed = async (): Promise<Buffer> => {
      const { rows } = await database.owner.raw(
        'select sealed_totp_secret as sealed from logins where email = ?',
        [user.email],
      );
      return (rows as { sealed: Buffer }[])[0]!.sealed;
    };
    const keys = [makeSealingKey(), TEST_SECRETS_KEY];
    const rotated = await startTestService({ database, overrides: { secrets_keys: keys } });
    expect(createSealer(keys).isCurrent(await sealed())).toBe(false);
    const visitor = createVisitor(rotated);
    await visitor.open('/sign-in');
    await visitor.submit('/sign-in', { username: user.username, password: PASSWORD });
    const page = await visitor.submit('/sign-in/code', { code: codeOf(secret) });
    expect(page.heading).toBe('Overview');
    expect(createSealer(keys).isCurrent(await sealed())).toBe(true);
  });
});

describe('new recovery codes', () => {
  it('replace the old ones', async () => {
    const { user, visitor, secret, recovery_codes } = await setUp();
    await visitor.open('/security');
    const page = await visitor.submit('/security/codes', { codes_code: codeOf(secret) });
    const [code] = page.document.querySelector('.copyable code')!.textContent.split('\n');
    const again = await begin(user.username);
    const old = await again.submit('/sign-in/code', { code: recovery_codes[0]! });
    expect(old.status).toBe(422);
    expect((await again.submit('/sign-in/code', { code: code! })).heading).toBe('Overview');
  });
});

describe('switching it off', () => {
  it.each([
    ['the password', { current_password: 'wrong password' }, 'This is not your password.'],
    ['the code', { code: '000000' }, 'This code is wrong'],
  ])('needs %s', async (_what, wrong, text) => {
    const { visitor, secret } = await setUp();
    await visitor.open('/security');
    const right = { current_password: PASSWORD, code: codeOf(secret) };
    const page = await visitor.submit('/security/totp/off', { ...right, ...wrong });
    expect([page.status, page.text]).toEqual([422, expect.stringContaining(text)]);
    expect(page.text).toContain('On: signing in takes a code');
  });

  it('works with both, and is told of by mail', async () => {
    const { user, visitor, secret } = await setUp();
    await visitor.open('/security');
    const page = await visitor.submit('/security/totp/off', {
      current_password: PASSWORD,
      code: codeOf(secret),
    });
    expect(page.text).toContain('Signing in takes no code any more.');
    expect((await signInAs(service, user.username)).page.heading).toBe('Overview');
    expect((await mailsTo(database, user.email))[0]!.subject).toBe(
      'Signing in takes no code any more',
    );
    // The session's passed code is gone with it, so that a change of the password keeps it too.
    const changed = await visitor.submit('/security/password', {
      old_password: PASSWORD,
      password: PASSWORD,
    });
    expect(changed.text).toContain('Your password is changed.');
  });
});

describe('the password', () => {
  it('is changed with the old one, which ends the other sessions', async () => {
    const { user, visitor } = await signInOwner(service, database);
    const other = await signInAs(service, user.username);
    await visitor.open('/security');
    const wrong = await visitor.submit('/security/password', {
      old_password: 'wrong password',
      password: 'other quiet words there',
    });
    expect([wrong.status, wrong.text]).toEqual([
      422,
      expect.stringContaining('This is not your password.'),
    ]);
    const weak = await visitor.submit('/security/password', {
      old_password: PASSWORD,
      password: user.username,
    });
    expect([weak.status, weak.text]).toEqual([
      422,
      expect.stringContaining('Others know your name'),
    ]);
    await visitor.submit('/security/password', {
      old_password: PASSWORD,
      password: 'other quiet words there',
    });
    expect(visitor.page.text).toContain('Your password is changed.');
    expect((await other.open('/')).heading).toBe('Sign in');
    await signInAs(service, user.username, 'other quiet words there');
    expect((await mailsTo(database, user.email))[0]!.subject).toBe('Your password was changed');
  });
});

describe('sessions', () => {
  it('are listed, and one of them is ended', async () => {
    const { user, visitor } = await signInOwner(service, database);
    const other = await signInAs(service, user.username);
    const page = await visitor.open('/security');
    expect(page.text).toContain('This browser');
    expect(page.document.querySelectorAll('tbody tr')).toHaveLength(2);
    expect((await visitor.submit('/security/sessions/end')).text).toContain('is signed out');
    expect((await other.open('/')).heading).toBe('Sign in');
    expect((await visitor.open('/')).heading).toBe('Overview');
  });

  it('are ended everywhere at once', async () => {
    const { user, visitor } = await signInOwner(service, database);
    const other = await signInAs(service, user.username);
    await visitor.open('/security');
    const page = await visitor.submit('/security/sign-out-everywhere');
    expect([page.heading, page.text]).toEqual([
      'Sign in',
      expect.stringContaining('You are signed out on every browser.'),
    ]);
    expect((await other.open('/')).heading).toBe('Sign in');
  });
});

it('sends the confirmation again, a few times an hour', async () => {
  const { user, visitor } = await signInOwner(service, database, { unconfirmed: true });
  for (let count = 0; count < 5; count += 1) {
    await visitor.open('/security');
    expect((await visitor.submit('/security/email')).text).toContain('We have sent a link');
  }
  await visitor.open('/security');
  expect((await visitor.submit('/security/email')).text).toContain('several messages');
  expect(await mailsTo(database, user.email)).toHaveLength(5);
});

it('remembers the language for the person', async () => {
  const { user, visitor } = await signInOwner(service, database);
  await visitor.open('/?lang=fr', { 'Sec-Fetch-Site': 'cross-site' });
  expect((await visitor.open('/')).heading).toBe('Overview');
  await visitor.open('/?lang=fr');
  const elsewhere = await signInAs(service, user.username);
  expect(elsewhere.page.heading).toBe('Vue d’ensemble');
});
