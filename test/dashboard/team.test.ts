// Inviting, accepting, roles, leaving, switching accounts, and the log of activities.

import type { MemberRole } from '../../domain/members';
import { newName, PASSWORD, signInAs } from './accounts';
import { linkIn, mailsTo } from './mails';
import { createVisitor, expectPage, type VisitedPage, type Visitor } from './visitor';
import { useWorld } from './world';

const w = useWorld();

beforeEach(() => w.sql('delete from attempt_counts'));

const invite = (email: string, role: MemberRole = 'developer', by = w.visitor) =>
  by.fill('/team', { email, role }, '/team/invite');

const mailTo = async (email: string) => (await mailsTo(w.database, email))[0]!;
const invitationLink = async (email: string): Promise<string> => linkIn(await mailTo(email));

/** A new person of the owner's account. */
async function join(role: MemberRole = 'developer') {
  const email = `${newName()}@example.com`;
  await invite(email, role);
  const visitor = createVisitor(w.service);
  await visitor.fill(await invitationLink(email), { password: PASSWORD }, '/invitation');
  expect(visitor.page.heading).toBe('Overview');
  return { email, visitor };
}

const loginOf = async (email: string): Promise<string> =>
  (await w.sql<{ id: string }>('select id from logins where email = ?', [email]))[0]!.id;

const rowOf = ({ document }: VisitedPage, email: string) =>
  document.querySelectorAll('tr').find((one) => one.text.includes(email));

/** Sends the first such form of the page's row that names this person. */
async function actOn(
  email: string,
  action: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<VisitedPage> {
  const row = rowOf(await w.visitor.open('/team'), email)!;
  const form = row
    .querySelectorAll('form')
    .find((one) => one.getAttribute('action')!.endsWith(action))!;
  const own = form
    .querySelectorAll('input')
    .map((input) => [input.getAttribute('name'), input.getAttribute('value')]);
  await w.visitor.post(action, { ...Object.fromEntries(own), ...fields });
  return w.visitor.open('/team');
}

const makeOwner = async (email: string) =>
  actOn(email, '/team/role', { login_id: await loginOf(email), role: 'owner' });

describe('an invitation', () => {
  it('is counted and sent by the one form of its address', async () => {
    const name = newName();
    for (const email of [
      `<${name}@example.com>`,
      `${name}@example.com>`,
      `${name}@example.com\u200b`,
    ]) {
      expect((await invite(email)).status).toBe(422);
    }
    const [upper, other] = [`${name.toUpperCase()}@example.com`, `${name}@EXAMPLE.com`];
    const email = `${name}@example.com`;
    for (const one of [email, upper, email, upper, email]) {
      expect((await invite(one)).status).toBe(200);
    }
    expect((await invite(other)).status).toBe(422);
    expect(await mailsTo(w.database, email)).toHaveLength(5);
  });

  it('brings a new person in, who chooses a password, in the role that was given', async () => {
    const email = `${newName()}@example.com`;
    expectPage(await invite(email, 'viewer'), 200, `on its way to ${email}`);
    const visitor = createVisitor(w.service);
    const shown = await visitor.open(await invitationLink(email));
    expectPage(shown, 200, 'Your role will be: Viewer.');
    const weak = await visitor.submit('/invitation', { password: email });
    expectPage(weak, 422, 'The password contains');
    const joined = await visitor.submit('/invitation', { password: PASSWORD });
    const belongs = `You belong to the account ${w.user.username} now.`;
    expectPage(joined, 200, 'Overview', belongs);
    expectPage(await visitor.open('/security'), 200, 'Confirmed');
    expectPage((await signInAs(w.service, email)).page, 200, w.user.username);
    expect(rowOf(await w.visitor.open('/team'), email)!.text).toContain('Viewer');
  });

  it('is accepted by somebody who signs in, and who switches between both accounts', async () => {
    const { user, visitor } = await w.signIn();
    await visitor.submit('/sign-out');
    await invite(user.email);
    const page = await visitor.open(await invitationLink(user.email));
    const to_sign_in = page.document.querySelector('a.button')!.getAttribute('href')!;
    const own = { username: user.username, password: PASSWORD };
    const accepting = await visitor.fill(to_sign_in.replaceAll('&amp;', '&'), own, '/sign-in');
    expectPage(accepting, 200, `You are signed in as ${user.email}.`);
    const joined = await visitor.submit('/invitation');
    expectPage(joined, 200, `You belong to the account ${w.user.username} now.`);
    for (const { username } of [user, w.user]) {
      expectPage(await visitor.open('/accounts'), 200, username);
      await visitor.submit('/accounts');
      const { document } = await visitor.open('/');
      expect(document.querySelector('.who b')!.text).toBe(username);
    }
  });

  it('works once, and not after it was withdrawn, sent again, or seven days', async () => {
    const statusOf = async (link: string): Promise<number> =>
      (await createVisitor(w.service).open(link)).status;
    expect(await statusOf(await invitationLink((await join()).email))).toBe(404);
    const email = `${newName()}@example.com`;
    await invite(email);
    const first = await invitationLink(email);
    await actOn(email, '/team/invitations/resend');
    const second = await invitationLink(email);
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    const open = createVisitor(w.service);
    await open.open(second);
    const team = await actOn(email, '/team/invitations/withdraw');
    expect(team.text).not.toContain(email);
    expect((await open.submit('/invitation', { password: PASSWORD })).status).toBe(422);
    await invite(email);
    const third = await invitationLink(email);
    await w.sql(`update login_tokens set expires_at = now() where kind = 'invitation'`);
    expect(await statusOf(third)).toBe(404);
    expectPage(await w.visitor.open('/team'), 200, 'Expired');
  });

  it('of no address, or of somebody who belongs to the account, is refused, and what was typed stays', async () => {
    for (const [email, text] of [
      ['nobody', 'This is not an e-mail address.'],
      [w.user.email.toUpperCase(), 'belongs to the account already'],
    ] as const) {
      const page = await invite(email);
      expectPage(page, 422, text);
      expect(page.value('email')).toBe(email);
    }
  });
});

const ownersOf = async (): Promise<unknown[]> => {
  const rows = await w.sql(
    `select l.email from memberships m join logins l on l.id = m.login_id
      where m.user_id = ? and m.role = 'owner' order by m.created_at`,
    [w.user.id],
  );
  return rows.map(({ email }) => email);
};

describe('the owner', () => {
  it('changes a role, which counts at once', async () => {
    const { email, visitor } = await join('viewer');
    expect((await visitor.open('/keys/new')).status).toBe(403);
    await actOn(email, '/team/role', { role: 'developer' });
    expect((await visitor.open('/keys/new')).status).toBe(200);
  });

  it('removes somebody, whose session loses the account at once', async () => {
    const { email, visitor } = await join();
    expectPage(await actOn(email, '/team/remove'), 200, `${email} no longer belongs`);
    expect((await w.visitor.open('/team')).text).not.toContain(email);
    expect((await visitor.open('/wallets')).status).toBe(404);
    expect((await visitor.open('/')).text).not.toContain(w.user.username);
  });

  it('is neither removed nor made less, and does not leave', async () => {
    const login_id = await loginOf(w.user.email);
    await w.visitor.open('/team');
    for (const [path, fields] of [
      ['/team/remove', { login_id }],
      ['/team/role', { login_id, role: 'viewer' }],
      ['/team/leave', {}],
    ] as const) {
      expect([path, (await w.visitor.post(path, fields)).status]).toEqual([path, 303]);
      expectPage(await w.visitor.open('/team'), 200, 'An account always has an owner');
    }
    expect(await ownersOf()).toEqual([w.user.email]);
  });

  it('may be one of several, who invites the next one and leaves', async () => {
    const { email, visitor } = await join('owner');
    const { document } = await visitor.open('/team');
    expect(document.querySelector('form[action$="/team/invite"]')).not.toBe(null);
    const third = await join('viewer');
    await makeOwner(third.email);
    expect(await ownersOf()).toEqual([w.user.email, email, third.email]);
    const page = await visitor.fill('/team', {}, '/team/leave');
    expectPage(page, 200, `You have left the account ${w.user.username}.`);
    await actOn(third.email, '/team/remove');
    expect(await ownersOf()).toEqual([w.user.email]);
  });

  it('is told by mail, in their language, who becomes an owner and who stops being one', async () => {
    const { user: awa, visitor } = await w.signIn();
    await w.sql(`update logins set language = 'fr' where email = ?`, [awa.email]);
    const { email: by, username } = w.user;
    const told = async (to: string, text: string): Promise<void> =>
      expect([to, (await mailTo(to)).text]).toEqual([to, expect.stringContaining(text)]);
    const made = (person: string) =>
      `There is a new owner of the account ${username}: ${person}. It was done by ${by}.`;
    const given = (person: string) =>
      `${by} a confié à ${person} le rôle de propriétaire du compte ${username}.`;

    await invite(awa.email, 'owner');
    await visitor.fill(await invitationLink(awa.email), {}, '/invitation');
    await told(by, made(awa.email));
    const { email } = await join('owner');
    await told(by, made(email));
    await told(awa.email, given(email));
    await actOn(email, '/team/remove');
    const taken = `has taken the role of owner of the account ${username} from ${email}.`;
    await told(email, `${by} ${taken}`);
    const retired = `${by} a retiré à ${email} le rôle de propriétaire du compte ${username}.`;
    await told(awa.email, retired);

    const third = await join('viewer');
    await makeOwner(third.email);
    await told(awa.email, given(third.email));
    await third.visitor.fill('/team', {}, '/team/leave');
    await told(by, `${third.email} has given up the role of owner of the account ${username}.`);
    await told(
      awa.email,
      `${third.email} a renoncé au rôle de propriétaire du compte ${username}.`,
    );
    await actOn(awa.email, '/team/remove');
    expect(await ownersOf()).toEqual([by]);
  });

  it('sees before and after, and is told by mail, which keys and invitations end with a person', async () => {
    const { email, visitor } = await join('owner');
    await visitor.fill('/keys/new', { name: 'Till' });
    const invited = `${newName()}@example.com`;
    await invite(invited, 'owner', visitor);
    const link = await invitationLink(invited);
    expectPage(await w.visitor.open('/team'), 200, '1 API key', 'end with their role');
    const lines = [
      /API keys that are revoked: Till pay_test_….{4}\./,
      `Invitations that are withdrawn: ${invited}`,
    ];
    expectPage(await actOn(email, '/team/remove'), 200, ...lines);
    expectPage({ status: 200, ...(await mailTo(w.user.email)) }, 200, ...lines);
    const page = await createVisitor(w.service).open(link);
    expect(page.text).not.toContain('Choose a password');
  });

  it('has a confirmed address, whether invited or made one', async () => {
    const { user, visitor } = await w.signIn();
    await w.sql('update logins set email_verified_at = null where email = ?', [user.email]);
    await invite(user.email, 'owner');
    const page = await visitor.open(await invitationLink(user.email));
    expectPage(page, 200, 'An owner needs a confirmed e-mail address.');
    // A form of another page may still be posted: the database refuses it.
    const token = new URL(page.path, w.service.origin).searchParams.get('token')!;
    const { status } = await visitor.post('/invitation', { token });
    expect([status, await ownersOf()]).toEqual([422, [w.user.email]]);
  });
});

it('a colleague leaves', async () => {
  const { email, visitor } = await join();
  const page = await visitor.fill('/team', {}, '/team/leave');
  expectPage(page, 200, `You have left the account ${w.user.username}.`);
  expect(rowOf(await w.visitor.open('/team'), email)).toBeUndefined();
});

describe('the log of activities', () => {
  const log = async (by: Visitor = w.visitor): Promise<readonly string[]> =>
    (await by.open('/activity')).rows;

  it('tells the owner what everybody did, the newest first', async () => {
    const { email, visitor } = await join('viewer');
    const wrong = { old_password: 'wrong password', password: 'x' };
    await visitor.fill('/security', wrong, '/security/password');
    await actOn(email, '/team/role');
    const rows = await log();
    const first = [w.user.email, 'Changed a role', email, 'Done', '127.0.0.1'];
    for (const text of first) expect(rows[0]).toContain(text);
    expect(rows.slice(1, 4)).toEqual([
      expect.stringMatching(/Changed the password.*Refused/),
      expect.stringContaining('Accepted an invitation'),
      expect.stringContaining('Invited a member'),
    ]);
  });

  it('tells nothing of a form that came back to be corrected, and links to what was made', async () => {
    const before = (await log()).length;
    const wrong = await w.visitor.fill('/links/new', { amount: '', currency: 'XOF' });
    expect([wrong.status, (await log()).length]).toEqual([422, before]);
    await w.visitor.fill('/keys/new', { name: 'Till' });
    expect((await log())[0]).toMatch(/Created an API key.*Done/s);
    const link = w.visitor.page.document.querySelector('tbody tr a')!;
    expect(link.getAttribute('href')).toBe('/dashboard/keys');
  });

  it('tells others their own only', async () => {
    const { email, visitor } = await join('viewer');
    const rows = (await log(visitor)).join();
    expect([rows.includes(email), rows.includes(w.user.email)]).toEqual([true, false]);
  });
});
