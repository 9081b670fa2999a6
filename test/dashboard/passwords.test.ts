// Confirming an address, forgotten passwords, and hashes of earlier versions.

import { hash } from '@node-rs/argon2';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { newName, PASSWORD, signInAs, signInColleague } from './accounts';
import { linkIn, mailsTo, type ReadMail } from './mails';
import { createVisitor, expectPage, type VisitedPage, type Visitor } from './visitor';
import { useWorld } from './world';

const w = useWorld();

const NEW_PASSWORD = 'other quiet words there';
const addressOf = (name: string): string => `${name}@example.com`;

async function signUp(name: string, email = addressOf(name), lang = 'en'): Promise<Visitor> {
  const visitor = createVisitor(w.service);
  const fields = { username: name, email, password: PASSWORD };
  await visitor.fill(`/sign-up?lang=${lang}`, fields);
  return visitor;
}

async function isVerified(email: string): Promise<unknown> {
  const [row] = await w.sql('select email_verified_at from logins where lower(email) = ?', [email]);
  return row!['email_verified_at'] !== null;
}

const isSignedIn = ({ cookies }: Visitor): boolean => cookies.has('payments_session');

async function askForReset(email: string): Promise<Visitor> {
  const visitor = createVisitor(w.service);
  await visitor.fill('/password/forgotten', { email });
  return visitor;
}

/** Mails leave after the answer. */
const mailAbout = (email: string, about: string): Promise<ReadMail> =>
  waitFor(async () => (await mailsTo(w.database, email)).find(({ subject }) => subject === about));

/** Asks for a link by mail, and opens it in a browser. */
async function openReset(email: string): Promise<{ visitor: Visitor; link: string }> {
  await askForReset(email);
  const link = linkIn(await mailAbout(email, 'Choose a new password'));
  const visitor = createVisitor(w.service);
  await visitor.open(link);
  return { visitor, link };
}

const reset = ({ visitor }: { visitor: Visitor }, password = NEW_PASSWORD): Promise<VisitedPage> =>
  visitor.submit('/password/reset', { password });

describe('the e-mail address', () => {
  it('is confirmed by the button behind the link, which signs in, and not by the link alone', async () => {
    const name = newName();
    const email = addressOf(name);
    const visitor = await signUp(name);
    const link = linkIn(await mailAbout(email, 'Confirm your e-mail address'));
    const asked = await visitor.open(link);
    expect([asked.heading, asked.document.querySelector('[name=password]')]).toEqual([
      'Confirm your e-mail address',
      null,
    ]);
    expect([await isVerified(email), isSignedIn(visitor)]).toEqual([false, false]);
    const again = createVisitor(w.service);
    await again.open(link);
    const page = await visitor.submit('/email/confirm');
    expectPage(page, 200, 'Overview', 'Your e-mail address is confirmed.');
    expect(await isVerified(email)).toBe(true);
    // The link works once.
    expect((await again.submit('/email/confirm', { password: PASSWORD })).status).toBe(422);
    expect((await again.open(link)).status).toBe(404);
  });

  it('is confirmed in another browser with the password, whose wrong ones count', async () => {
    const name = newName();
    const email = addressOf(name);
    await signUp(name);
    const phone = createVisitor(w.service);
    await phone.open(linkIn(await mailAbout(email, 'Confirm your e-mail address')));
    for (const password of ['', NEW_PASSWORD]) {
      const refused = await phone.submit('/email/confirm', { password });
      expect([refused.status, isSignedIn(phone)]).toEqual([401, false]);
    }
    expect(await isVerified(email)).toBe(false);
    expect((await phone.submit('/email/confirm', { password: PASSWORD })).heading).toBe('Overview');
    expect(await isVerified(email)).toBe(true);
  });

  it('leaves nothing to whoever signed up with it once its owner has chosen a password', async () => {
    const name = newName();
    const email = addressOf(name);
    const squatter = await signUp(name);
    await reset(await openReset(email));
    const link = linkIn(await mailAbout(email, 'Confirm your e-mail address'));
    expect((await squatter.open(link)).status).toBe(404);
    const refused = await squatter.fill('/sign-in', { username: name, password: PASSWORD });
    expect([refused.status, isSignedIn(squatter)]).toEqual([401, false]);
  });

  it('gets "you have an account already" when somebody signs up with it again, and no more than five mails an hour', async () => {
    const { email } = await buildUser(w.database.db);
    const name = newName();
    await signUp(name, email.toUpperCase());
    const mail = await mailAbout(email, 'You have an account already');
    expect(mail.text).toContain(`The account ${name} was created`);
    expect(linkIn(mail)).toBe('/dashboard/sign-in');
    for (let count = 0; count < 6; count += 1) await signUp(newName(), email);
    expect(await mailsTo(w.database, email)).toHaveLength(5);
  });

  it('gets its mail in the language of the page', async () => {
    const name = newName();
    await signUp(name, addressOf(name), 'fr');
    await mailAbout(addressOf(name), 'Confirmez votre adresse e-mail');
  });
});

describe('a forgotten password', () => {
  it('of an address that was never confirmed leaves no way in to whoever signed up with it', async () => {
    // The account's owner is another person, who has brought a second one in.
    const user = await buildUser(w.database.db, { password: PASSWORD, unconfirmed: true });
    const helper = await signInColleague(w.service, w.database, user, 'developer');
    await reset(await openReset(user.email));
    const owner = await signInAs(w.service, user.username, NEW_PASSWORD);
    expect((await owner.open('/team')).rows).toHaveLength(1);
    expect((await helper.open('/keys')).status).toBe(404);
    const [told] = await mailsTo(w.database, user.email);
    expect(told!.text).toContain('Its API keys are revoked, its webhook endpoints disabled');
  });

  it('of an address that was never confirmed removes other members, and tells those who were owners', async () => {
    const name = newName();
    const email = addressOf(name);
    await signUp(name);
    const [co_owner, viewer] = [await buildUser(w.database.db), await buildUser(w.database.db)];
    for (const [user, role] of [
      [co_owner, 'owner'],
      [viewer, 'viewer'],
    ] as const) {
      await w.sql(
        `insert into memberships (login_id, user_id, role)
         select l.id, u.id, ? from logins l, users u where l.email = ? and u.username = ?`,
        [role, user.email, name],
      );
    }
    await reset(await openReset(email));
    const [mail] = await mailsTo(w.database, co_owner.email);
    expect(mail?.text).toContain(
      `${email} has taken the role of owner of the account ${name} from ${co_owner.email}.`,
    );
    expect(await mailsTo(w.database, viewer.email)).toEqual([]);
  });

  it('is replaced through a link, which ends all sessions, works once, and is told of', async () => {
    const user = await buildUser(w.database.db, { password: PASSWORD, unconfirmed: true });
    const signed_in = await signInAs(w.service, user.username);
    const opened = await openReset(user.email);
    const common = await reset(opened, 'Password123');
    expectPage(common, 422, 'one of the most common passwords');
    // The link is not used up.
    expectPage(await reset(opened), 200, 'Sign in', 'Your password is changed');
    expect((await signed_in.open('/')).heading).toBe('Sign in');
    await signInAs(w.service, user.username, NEW_PASSWORD);
    await expect(signInAs(w.service, user.username, PASSWORD)).rejects.toThrow('answered 401');
    const [told] = await mailsTo(w.database, user.email);
    expect(told!.subject).toBe('Your password was changed');
    expect(await isVerified(user.email)).toBe(true);
    expect((await opened.visitor.open(opened.link)).status).toBe(404);
  });

  it('answers the same for an address that nobody has', async () => {
    const { email } = await buildUser(w.database.db);
    const answers = [];
    for (const one of [email, addressOf(newName()), 'nobody']) {
      const { page } = await askForReset(one);
      const path = page.path.replace(/kept=.*/, '');
      answers.push([page.status, path, page.text.replace(one, 'TYPED')]);
    }
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
  });

  it('lets in whom others keep waiting, also while they go on', async () => {
    const { username, email } = await buildUser(w.database.db, { password: PASSWORD });
    const tryWrong = async (): Promise<number> => {
      const hostile = createVisitor(w.service);
      for (let count = 0; count < 11; count += 1) {
        await hostile.fill('/sign-in', { username, password: 'wrong password' });
      }
      return hostile.page.status;
    };
    expect(await tryWrong()).toBe(429);
    const opened = await openReset(email);
    await reset(opened);
    expect(await tryWrong()).toBe(429);
    const page = await opened.visitor.submit('/sign-in', { username, password: NEW_PASSWORD });
    expect(page.heading).toBe('Overview');
  });

  it('two browsers at once with one link: one of them sets it', async () => {
    const user = await buildUser(w.database.db, { password: PASSWORD });
    const first = await openReset(user.email);
    const second = createVisitor(w.service);
    await second.open(first.link);
    const pages = await Promise.all([
      reset(first, 'first of two words'),
      reset({ visitor: second }, 'second of two words'),
    ]);
    expect(pages.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 422]);
  });

  it('leaves no token in the database or in the access log', async () => {
    const user = await buildUser(w.database.db, { password: PASSWORD });
    const { link } = await openReset(user.email);
    const token = new URL(link, w.service.origin).searchParams.get('token')!;
    const rows = await w.sql('select login_tokens::text as row from login_tokens');
    expect(JSON.stringify(rows)).not.toContain(token);
    const logged = await waitFor(() => {
      const text = JSON.stringify(w.service.access_lines);
      return text.includes('/dashboard/password/reset') && text;
    });
    expect(logged).not.toContain(token);
  });
});

it('a hash of another cost verifies, and the right password replaces it', async () => {
  const { username, email } = await buildUser(w.database.db);
  const stored = await hash(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
  await w.sql('update logins set password_hash = ? where email = ?', [stored, email]);
  await expect(signInAs(w.service, username, 'wrong words here')).rejects.toThrow('401');
  await signInAs(w.service, username);
  const [row] = await w.sql('select password_hash from logins where email = ?', [email]);
  expect(row!['password_hash']).toContain('m=19456,t=2');
  await signInAs(w.service, username);
});
