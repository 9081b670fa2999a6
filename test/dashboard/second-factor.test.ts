// Setting up the second factor, signing in with it, losing it, and signing out browsers.

import { makeSealingKey } from '../../secrets/keyring';
import { createSealer } from '../../secrets/seal';
import { resealAll } from '../../use-cases/sealed';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { startTestService } from '../support/service';
import { waitFor } from '../support/wait';
import { codeOf, PASSWORD, setUpTotp, signInAs } from './accounts';
import { mailsTo } from './mails';
import { createVisitor, expectPage, type Visitor } from './visitor';
import { useWorld } from './world';

const w = useWorld({ of_each: 'test' });
const OTHER = 'other quiet words there';

beforeEach(() => w.sql('delete from attempt_counts'));

/** Forgets the accepted codes: a test does not wait for the next 30 seconds. */
const forgetSteps = () => w.sql('update logins set totp_last_step = null');

async function setUp() {
  const made = await setUpTotp(w.owner);
  await forgetSteps();
  return made;
}

/** Signs in as far as the code. */
async function begin(at = w.service): Promise<Visitor> {
  const visitor = createVisitor(at);
  await visitor.fill('/sign-in', { username: w.user.username, password: PASSWORD });
  expect(visitor.page.heading).toBe('Enter your code');
  return visitor;
}

const give = (visitor: Visitor, code: string) => visitor.submit('/sign-in/code', { code });
const secretOn = ({ page }: Visitor): string =>
  page.document.querySelector('.copyable code')!.textContent;
const latestMail = async () => (await mailsTo(w.database, w.user.email))[0]!.subject;

describe('setting up', () => {
  it('shows the key as a picture and as text, and ten recovery codes once', async () => {
    const { visitor } = w;
    const other = await signInAs(w.service, w.user.username);
    const shown = await visitor.fill('/security', {}, '/security/totp');
    expect(shown.document.querySelector('svg[role=img] path')).not.toBeNull();
    const secret = secretOn(visitor);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const app = shown.document.querySelector('a[href^="otpauth:"]')!.getAttribute('href');
    expect(app).toContain(`secret=${secret}`);
    const wrong = await visitor.submit('/security/totp/confirm', { code: '000000' });
    expectPage(wrong, 422, 'This code is wrong');
    const done = await visitor.submit('/security/totp/confirm', { code: codeOf(secret) });
    const codes = secretOn(visitor).split('\n');
    expect(new Set(codes).size).toBe(10);
    const file = done.document.querySelector('a[download]')!.getAttribute('href')!;
    expect(decodeURIComponent(file)).toBe(`data:text/plain;charset=utf-8,${codes.join('\n')}\n`);
    expect((await visitor.open('/security')).text).not.toContain(codes[0]);
    // The browser that had shown the password only is signed out.
    expect((await other.open('/')).heading).toBe('Sign in');
    expect(await latestMail()).toBe('Signing in now takes a code');
  });

  it('shows the key only to the session that began it, and another one begins anew', async () => {
    const { visitor } = w;
    const other = await signInAs(w.service, w.user.username);
    await visitor.fill('/security', {}, '/security/totp');
    const secret = secretOn(visitor);
    const seen = await other.open('/security/totp');
    expect([seen.heading, seen.html.includes(secret)]).toEqual(['Sign-in and security', false]);
    // Nor does it help to know the key: its code confirms nothing here.
    await other.submit('/security/totp');
    const other_secret = secretOn(other);
    expect(other_secret).not.toBe(secret);
    const wrong = await other.submit('/security/totp/confirm', { code: codeOf(secret) });
    expectPage(wrong, 422, 'This code is wrong');
    // The first key is no longer offered.
    expect((await visitor.open('/security/totp')).heading).toBe('Sign-in and security');
    await other.submit('/security/totp/confirm', { code: codeOf(other_secret) });
    await forgetSteps();
    expect((await give(await begin(), codeOf(other_secret))).heading).toBe('Overview');
  });

  it('keeps neither the key nor a recovery code readable in the database', async () => {
    const { secret, recovery_codes } = await setUp();
    const text = JSON.stringify(
      await w.sql(
        "select (select string_agg(logins::text, '') from logins), (select string_agg(recovery_codes::text, '') as codes from recovery_codes)",
      ),
    );
    for (const one of [secret, Buffer.from(secret).toString('hex'), ...recovery_codes]) {
      expect(text).not.toContain(one);
    }
  });
});

describe('signing in', () => {
  it('takes the code after the password, and gives the session another token', async () => {
    const { secret } = await setUp();
    const visitor = await begin();
    const before = visitor.cookies.get('payments_session')!;
    expect(visitor.cookies.has('payments_device')).toBe(false);
    // Nothing else is shown before.
    expect((await visitor.open('/security')).heading).toBe('Enter your code');
    expect((await give(visitor, codeOf(secret))).heading).toBe('Overview');
    expect(visitor.cookies.get('payments_session')).not.toBe(before);
    expect(visitor.cookies.has('payments_device')).toBe(true);
    // Not to the page for the code: the old session is gone.
    const headers = { cookie: `payments_session=${before}` };
    const stolen = await fetch(`${w.service.origin}/dashboard`, { headers, redirect: 'manual' });
    expect(stolen.headers.get('Location')).toBe('/dashboard/sign-in?next=%2F');
  });

  it('takes a code once, also from two browsers at the same moment', async () => {
    const { secret } = await setUp();
    const visitors = [await begin(), await begin()];
    const code = codeOf(secret);
    const pages = await Promise.all(visitors.map((one) => give(one, code)));
    expect(pages.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 422]);
  });

  it('takes the code before and after, and no older one once a newer was taken', async () => {
    const { secret } = await setUp();
    const accepted = [];
    for (const periods of [-1, 1, 0, -3, 3]) {
      const visitor = await begin();
      // The oldest that is taken must not grow older on its way.
      if (periods === -1) await waitFor(() => Date.now() % 30_000 < 20_000);
      accepted.push((await give(visitor, codeOf(secret, periods))).status);
    }
    expect(accepted).toEqual([200, 200, 422, 422, 422]);
  });

  it('takes each recovery code once, however it is typed, and says so by mail', async () => {
    const { recovery_codes } = await setUp();
    const code = recovery_codes[3]!;
    const visitor = await begin();
    const typed = code.toLowerCase().replaceAll('-', ' ');
    expect((await give(visitor, typed)).heading).toBe('Overview');
    expect(await latestMail()).toBe('A recovery code was used');
    expectPage(await visitor.open('/security'), 200, 'Recovery codes left: 9.');
    expect((await give(await begin(), code)).status).toBe(422);
  });

  it('waits after ten wrong codes, but not in a browser that has signed in before', async () => {
    const { secret } = await setUp();
    const known = await begin();
    await give(known, codeOf(secret));
    await known.submit('/sign-out');
    await forgetSteps();
    const hostile = await begin();
    for (let count = 0; count < 10; count += 1) {
      expect((await give(hostile, '000000')).status).toBe(422);
      await hostile.open('/sign-in/code');
    }
    const page = await give(hostile, codeOf(secret));
    expect([page.status, page.headers.has('Retry-After')]).toEqual([429, true]);
    await known.fill('/sign-in', { username: w.user.username, password: PASSWORD });
    expect((await give(known, codeOf(secret))).heading).toBe('Overview');
  });

  it('is asked for by its secret also when the key that sealed it is gone', async () => {
    const { secret } = await setUp();
    const { database } = w;
    const key = makeSealingKey();
    await resealAll(database.operator, createSealer([key, TEST_SECRETS_KEY]));
    const rotated = await startTestService({ database, overrides: { secrets_keys: [key] } });
    expect((await give(await begin(rotated), codeOf(secret))).heading).toBe('Overview');
    await resealAll(database.operator, createSealer([TEST_SECRETS_KEY, key]));
  });
});

it('new recovery codes replace the old ones', async () => {
  const { secret, recovery_codes } = await setUp();
  await w.visitor.fill('/security', { codes_code: codeOf(secret) }, '/security/codes');
  const [code] = secretOn(w.visitor).split('\n');
  const again = await begin();
  expect((await give(again, recovery_codes[0]!)).status).toBe(422);
  expect((await give(again, code!)).heading).toBe('Overview');
});

it('switching it off needs the password and the code, and is told of by mail', async () => {
  const { secret } = await setUp();
  const { visitor } = w;
  const right = { current_password: PASSWORD, code: codeOf(secret) };
  for (const [wrong, text] of [
    [{ current_password: 'wrong password' }, 'This is not your password.'],
    [{ code: '000000' }, 'This code is wrong'],
  ] as const) {
    const page = await visitor.fill('/security', { ...right, ...wrong }, '/security/totp/off');
    expectPage(page, 422, text, 'On: signing in takes a code');
  }
  const page = await visitor.fill('/security', right, '/security/totp/off');
  expectPage(page, 200, 'Signing in takes no code any more.');
  expect((await signInAs(w.service, w.user.username)).page.heading).toBe('Overview');
  expect(await latestMail()).toBe('Signing in takes no code any more');
  // The session's passed code is gone with it, so that a change of the password keeps it too.
  const fields = { old_password: PASSWORD, password: PASSWORD };
  expectPage(await visitor.submit('/security/password', fields), 200, 'Your password is changed.');
});

it('the password is changed with the old one, which ends the other sessions', async () => {
  const { visitor, user } = w;
  const other = await signInAs(w.service, user.username);
  for (const [old_password, password, text] of [
    ['wrong password', OTHER, 'This is not your password.'],
    [PASSWORD, user.username, 'The password contains your username'],
    [PASSWORD, 'Password123', 'one of the most common passwords'],
  ] as const) {
    const fields = { old_password, password };
    expectPage(await visitor.fill('/security', fields, '/security/password'), 422, text);
  }
  await visitor.submit('/security/password', { old_password: PASSWORD, password: OTHER });
  expectPage(visitor.page, 200, 'Your password is changed.');
  expect((await other.open('/')).heading).toBe('Sign in');
  await signInAs(w.service, user.username, OTHER);
  expect(await latestMail()).toBe('Your password was changed');
});

describe('sessions', () => {
  it('are listed, and one of them is ended', async () => {
    const other = await signInAs(w.service, w.user.username);
    const page = await w.visitor.open('/security');
    expectPage(page, 200, 'This browser');
    expect(page.rows).toHaveLength(2);
    expectPage(await w.visitor.submit('/security/sessions/end'), 200, 'is signed out');
    expect((await other.open('/')).heading).toBe('Sign in');
    expect((await w.visitor.open('/')).heading).toBe('Overview');
  });

  it('are ended everywhere at once', async () => {
    const other = await signInAs(w.service, w.user.username);
    const page = await w.visitor.fill('/security', {}, '/security/sign-out-everywhere');
    expectPage(page, 200, 'Sign in', 'You are signed out on every browser.');
    expect((await other.open('/')).heading).toBe('Sign in');
  });
});

it('sends the confirmation again, a few times an hour', async () => {
  const { user, visitor } = await w.signIn({ unconfirmed: true });
  for (let count = 0; count < 6; count += 1) {
    const page = await visitor.fill('/security', {}, '/security/email');
    expectPage(page, 200, count < 5 ? 'We have sent a link' : 'several messages');
  }
  expect(await mailsTo(w.database, user.email)).toHaveLength(5);
});

it('remembers the language for the person', async () => {
  await w.visitor.open('/?lang=fr', { 'Sec-Fetch-Site': 'cross-site' });
  expect((await w.visitor.open('/')).heading).toBe('Overview');
  await w.visitor.open('/?lang=fr');
  const elsewhere = await signInAs(w.service, w.user.username);
  expect(elsewhere.page.heading).toBe('Accueil');
});
