// Confirming an address, forgotten passwords, and hashes of earlier versions.

import { hash } from '@node-rs/argon2';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { newName, PASSWORD, signInAs, signInColleague } from './accounts';
import { linkIn, mailsTo, type ReadMail } from './mails';
import { createVisitor, type Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
});

const NEW_PASSWORD = 'other quiet words there';

async function signUp(username: string, email = `${username}@example.com`): Promise<Visitor> {
  const visitor = createVisitor(service);
  await visitor.open('/sign-up');
  await visitor.submit('/sign-up', {
    username,
    email,
    password: PASSWORD,
    country: 'SN',
    first_name: 'Awa',
    last_name: 'Diop',
  });
  return visitor;
}

async function isVerified(email: string): Promise<boolean> {
  const { rows } = await database.owner.raw(
    'select email_verified_at is not null as is_verified from logins where lower(email) = lower(?)',
    [email],
  );
  return (rows as { is_verified: boolean }[])[0]!.is_verified;
}

async function askForReset(email: string): Promise<Visitor> {
  const visitor = createVisitor(service);
  await visitor.open('/password/forgotten');
  await visitor.submit('/password/forgotten', { email });
  return visitor;
}

/** Mails leave after the answer. */
async function resetMail(email: string, count = 1): Promise<ReadMail> {
  return waitFor(async () => {
    const mails = await mailsTo(database, email);
    const resets = mails.filter(({ subject }) => subject === 'Choose a new password');
    return resets.length >= count && resets[0];
  });
}

describe('the e-mail address', () => {
  it('is confirmed by the button behind the link, which signs in, and not by the link alone', async () => {
    const name = newName();
    const email = `${name}@example.com`;
    const visitor = await signUp(name);
    const [mail] = await mailsTo(database, email);
    expect(mail!.subject).toBe('Confirm your e-mail address');
    const asked = await visitor.open(linkIn(mail!));
    expect([asked.heading, asked.document.querySelector('[name=password]')]).toEqual([
      'Confirm your e-mail address',
      null,
    ]);
    expect([await isVerified(email), visitor.cookies.has('payments_session')]).toEqual([
      false,
      false,
    ]);
    const again = createVisitor(service);
    await again.open(linkIn(mail!));
    const page = await visitor.submit('/email/confirm');
    expect([page.heading, page.text]).toEqual([
      'Overview',
      expect.stringContaining('Your e-mail address is confirmed.'),
    ]);
    expect(await isVerified(email)).toBe(true);
    // The link works once.
    expect((await again.submit('/email/confirm', { password: PASSWORD })).status).toBe(422);
    expect((await again.open(linkIn(mail!))).status).toBe(404);
  });

  it('is confirmed in another browser with the password, whose wrong ones count', async () => {
    const name = newName();
    await signUp(name);
    const [mail] = await mailsTo(database, `${name}@example.com`);
    const phone = createVisitor(service);
    await phone.open(linkIn(mail!));
    for (const password of ['', NEW_PASSWORD]) {
      const refused = await phone.submit('/email/confirm', { password });
      expect([refused.status, phone.cookies.has('payments_session')]).toEqual([401, false]);
    }
    expect(await isVerified(`${name}@example.com`)).toBe(false);
    expect((await phone.submit('/email/confirm', { password: PASSWORD })).heading).toBe('Overview');
    expect(await isVerified(`${name}@example.com`)).toBe(true);
  });

  it('leaves nothing to whoever signed up with it once its owner has chosen a password', async () => {
    const name = newName();
    const email = `${name}@example.com`;
    const squatter = await signUp(name);
    await askForReset(email);
    const link = linkIn(await resetMail(email));
    const owner = createVisitor(service);
    await owner.open(link);
    await owner.submit('/password/reset', { password: NEW_PASSWORD });
    const confirmation = (await mailsTo(database, email)).find(
      ({ subject }) => subject === 'Confirm your e-mail address',
    )!;
    expect((await squatter.open(linkIn(confirmation))).status).toBe(404);
    await squatter.open('/sign-in');
    const refused = await squatter.submit('/sign-in', { username: name, password: PASSWORD });
    expect([refused.status, squatter.cookies.has('payments_session')]).toEqual([401, false]);
  });

  it('gets "you have an account already" when somebody signs up with it again', async () => {
    const { email } = await buildUser(database.db);
    const name = newName();
    await signUp(name, email.toUpperCase());
    const [mail] = await mailsTo(database, email);
    expect(mail!.subject).toBe('You have an account already');
    expect(mail!.text).toContain(`The account ${name} was created`);
    expect(linkIn(mail!)).toBe('/dashboard/sign-in');
  });

  it('gets no more than five mails an hour from strangers', async () => {
    const { email } = await buildUser(database.db);
    for (let count = 0; count < 7; count += 1) await signUp(newName(), email);
    expect(await mailsTo(database, email)).toHaveLength(5);
  });

  it('gets its mail in the language of the page', async () => {
    const name = newName();
    const visitor = createVisitor(service);
    await visitor.open('/sign-up?lang=fr');
    await visitor.submit('/sign-up', {
      username: name,
      email: `${name}@example.com`,
      password: PASSWORD,
    });
    const [mail] = await mailsTo(database, `${name}@example.com`);
    expect(mail!.subject).toBe('Confirmez votre adresse e-mail');
  });
});

describe('a forgotten password', () => {
  it('of an address that was never confirmed leaves no way in to whoever signed up with it', async () => {
    // The account's owner is another person, who has brought a second one in.
    const user = await buildUser(database.db, { password: PASSWORD, unconfirmed: true });
    const helper = await signInColleague(service, database, user, 'developer');
    await askForReset(user.email);
    const visitor = createVisitor(service);
    await visitor.open(linkIn(await resetMail(user.email)));
    await visitor.submit('/password/reset', { password: NEW_PASSWORD });
    const owner = await signInAs(service, user.username, NEW_PASSWORD);
    expect(owner.page.heading).toBe('Overview');
    expect((await owner.open('/team')).text).not.toContain('developer');
    expect((await helper.open('/keys')).status).toBe(404);
    const [told] = await mailsTo(database, user.email);
    expect(told!.text).toContain('Its API keys are revoked, its webhook endpoints disabled');
  });

  it('of an address that was never confirmed removes other members, and tells those who were owners', async () => {
    const name = newName();
    const email = `${name}@example.com`;
    await signUp(name);
    const [co_owner, viewer] = [await buildUser(database.db), await buildUser(database.db)];
    for (const [user, role] of [
      [co_owner, 'owner'],
      [viewer, 'viewer'],
    ] as const) {
      await database.owner.raw(
        `insert into memberships (login_id, user_id, role)
         select l.id, u.id, ? from logins l, users u where l.email = ? and u.username = ?`,
        [role, user.email, name],
      );
    }
    const visitor = await askForReset(email);
    await visitor.open(linkIn(await resetMail(email)));
    await visitor.submit('/password/reset', { password: NEW_PASSWORD });
    const [mail] = await mailsTo(database, co_owner.email);
    expect(mail?.text).toContain(
      `${email} has taken the role of owner of the account ${name} from ${co_owner.email}.`,
    );
    expect(await mailsTo(database, viewer.email)).toEqual([]);
  });

  it('is replaced through a link, which ends all sessions, works once, and is told of', async () => {
    const user = await buildUser(database.db, { password: PASSWORD, unconfirmed: true });
    const signed_in = await signInAs(service, user.username);
    await askForReset(user.email);
    const link = linkIn(await resetMail(user.email));
    const visitor = createVisitor(service);
    await visitor.open(link);
    const page = await visitor.submit('/password/reset', { password: NEW_PASSWORD });
    expect([page.heading, page.text]).toEqual([
      'Sign in',
      expect.stringContaining('Your password is changed'),
    ]);
    expect((await signed_in.open('/')).heading).toBe('Sign in');
    expect((await signInAs(service, user.username, NEW_PASSWORD)).page.heading).toBe('Overview');
    await expect(signInAs(service, user.username, PASSWORD)).rejects.toThrow('answered 401');
    expect((await mailsTo(database, user.email))[0]!.subject).toBe('Your password was changed');
    expect(await isVerified(user.email)).toBe(true);
    expect((await visitor.open(link)).status).toBe(404);
  });

  it('answers the same for an address that nobody has', async () => {
    const { email } = await buildUser(database.db);
    const answers = [];
    for (const one of [email, `${newName()}@example.com`, 'nobody']) {
      const { page } = await askForReset(one);
      answers.push([page.status, page.path, page.text]);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('lets in whom others keep waiting, also while they go on', async () => {
    const user = await buildUser(database.db, { password: PASSWORD });
    const tryWrong = async (times: number): Promise<number> => {
      const hostile = createVisitor(service);
      for (let count = 0; count < times; count += 1) {
        await hostile.open('/sign-in');
        await hostile.submit('/sign-in', { username: user.username, password: 'wrong password' });
      }
      return hostile.page.status;
    };
    expect(await tryWrong(11)).toBe(429);
    await askForReset(user.email);
    const visitor = createVisitor(service);
    await visitor.open(linkIn(await resetMail(user.email)));
    await visitor.submit('/password/reset', { password: NEW_PASSWORD });
    expect(await tryWrong(11)).toBe(429);
    const page = await visitor.submit('/sign-in', {
      username: user.username,
      password: NEW_PASSWORD,
    });
    expect(page.heading).toBe('Overview');
  });

  it('two browsers at once with one link: one of them sets it', async () => {
    const user = await buildUser(database.db, { password: PASSWORD });
    await askForReset(user.email);
    const link = linkIn(await resetMail(user.email));
    const visitors = await Promise.all(
      ['first of two words', 'second of two words'].map(async (password) => {
        const visitor = createVisitor(service);
        await visitor.open(link);
        return { visitor, password };
      }),
    );
    const statuses = await Promise.all(
      visitors.map(async ({ visitor, password }) => {
        const page = await visitor.submit('/password/reset', { password });
        return page.status;
      }),
    );
    expect(statuses.sort((one, other) => one - other)).toEqual([200, 422]);
  });

  it('leaves no token in the database or in the access log', async () => {
    const user = await buildUser(database.db, { password: PASSWORD });
    await askForReset(user.email);
    const link = linkIn(await resetMail(user.email));
    const token = new URL(link, service.origin).searchParams.get('token')!;
    await createVisitor(service).open(link);
    const { rows } = await database.owner.raw('select login_tokens::text as row from login_tokens');
    expect(JSON.stringify(rows)).not.toContain(token);
    const logged = await waitFor(() => {
      const text = JSON.stringify(service.access_lines);
      return text.includes('/dashboard/password/reset') && text;
    });
    expect(logged).not.toContain(token);
  });
});

describe('a hash of another cost', () => {
  it('verifies, and the right password replaces it', async () => {
    const user = await buildUser(database.db);
    const stored = await hash(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    await database.owner.raw('update logins set password_hash = ? where email = ?', [
      stored,
      user.email,
    ]);
    await expect(signInAs(service, user.username, 'wrong words here')).rejects.toThrow('401');
    await signInAs(service, user.username);
    const { rows } = await database.owner.raw('select password_hash from logins where email = ?', [
      user.email,
    ]);
    expect((rows as { password_hash: string }[])[0]!.password_hash).toContain('m=19456,t=2');
    await signInAs(service, user.username);
  });
});

describe('one of the most common passwords', () => {
  const COMMON = 'Password123';
  const FAULT = 'one of the most common passwords';

  it('is refused when a password is changed or replaced', async () => {
    const user = await buildUser(database.db, { password: PASSWORD });
    const visitor = await signInAs(service, user.username);
    await visitor.open('/security');
    const changed = await visitor.submit('/security/password', {
      old_password: PASSWORD,
      password: COMMON,
    });
    expect([changed.status, changed.text]).toEqual([422, expect.stringContaining(FAULT)]);
    const outside = await askForReset(user.email);
    await outside.open(linkIn(await resetMail(user.email)));
    const reset = await outside.submit('/password/reset', { password: COMMON });
    expect([reset.status, reset.text]).toEqual([422, expect.stringContaining(FAULT)]);
    // The link is not used up.
    const done = await outside.submit('/password/reset', { password: NEW_PASSWORD });
    expect(done.status).toBe(200);
  });
});
