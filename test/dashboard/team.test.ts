// Inviting, accepting, roles, leaving, switching accounts, and the log of activities.

import type { MemberRole } from '../../domain/members';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { newName, PASSWORD, signInAs, signInOwner, type Member } from './accounts';
import { linkIn, mailsTo } from './mails';
import { createVisitor, type VisitedPage, type Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;
let owner: Member;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owner = await signInOwner(service, database);
});

beforeEach(async () => {
  await database.owner.raw('delete from attempt_counts');
});

async function invite(
  email: string,
  role: MemberRole = 'developer',
  by = owner.visitor,
): Promise<VisitedPage> {
  await by.open('/team');
  return by.submit('/team/invite', { email, role });
}

async function invitationLink(email: string): Promise<string> {
  const [mail] = await mailsTo(database, email);
  return linkIn(mail!);
}

/** A new person of the owner's account. */
async function join(role: MemberRole = 'developer'): Promise<{
  readonly email: string;
  readonly visitor: Visitor;
}> {
  const email = `${newName()}@example.com`;
  await invite(email, role);
  const visitor = createVisitor(service);
  await visitor.open(await invitationLink(email));
  await visitor.submit('/invitation', { password: PASSWORD });
  expect(visitor.page.heading).toBe('Overview');
  return { email, visitor };
}

/** Sends the form of the page's row that names this person. */
async function actOn(
  email: string,
  action: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<VisitedPage> {
  const page = await owner.visitor.open('/team');
  const row = page.document.querySelectorAll('tr').find((one) => one.text.includes(email))!;
  const form = row
    .querySelectorAll('form')
    .find((one) => one.getAttribute('action')!.endsWith(action))!;
  const body = new URLSearchParams(
    form
      .querySelectorAll('input')
      .map((input): [string, string] => [
        input.getAttribute('name')!,
        input.getAttribute('value')!,
      ]),
  );
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const path = form.getAttribute('action')!;
  const response = await owner.visitor.request(path, { method: 'POST', body });
  await response.arrayBuffer();
  return owner.visitor.open('/team');
}

describe('an invitation', () => {
  it('is counted and sent by the one form of its address', async () => {
    const name = newName();
    const refused = [`<${name}@example.com>`, `${name}@example.com>`, `${name}@example.com\u200b`];
    for (const email of refused) expect((await invite(email)).status).toBe(422);
    const spellings = [name, name.toUpperCase(), `${name} `, ` ${name}`, name];
    for (const one of spellings) {
      expect((await invite(`${one.trim()}@example.com`)).status).toBe(200);
    }
    expect((await invite(`${name}@EXAMPLE.com`)).status).toBe(422);
    expect(await mailsTo(database, `${name}@example.com`)).toHaveLength(5);
  });

  it('brings a new person in, who chooses a password, in the role that was given', async () => {
    const email = `${newName()}@example.com`;
    const page = await invite(email, 'viewer');
    expect(page.text).toContain(`on its way to ${email}`);
    const visitor = createVisitor(service);
    const shown = await visitor.open(await invitationLink(email));
    expect(shown.text).toContain('You are invited as: Viewer.');
    const weak = await visitor.submit('/invitation', { password: email });
    expect([weak.status, weak.text]).toEqual([422, expect.stringContaining('Others know')]);
    const joined = await visitor.submit('/invitation', { password: PASSWORD });
    expect([joined.heading, joined.text]).toEqual([
      'Overview',
      expect.stringContaining(`You belong to the account ${owner.user.username} now.`),
    ]);
    expect((await visitor.open('/security')).text).toContain('Confirmed');
    const again = await signInAs(service, email);
    expect(again.page.text).toContain(owner.user.username);
    const team = await owner.visitor.open('/team');
    const row = team.document.querySelectorAll('tr').find((one) => one.text.includes(email))!;
    expect(row.text).toContain('Viewer');
  });

  it('is accepted by somebody who signs in, and who switches between both accounts', async () => {
    const { user, visitor } = await signInOwner(service, database);
    await visitor.submit('/sign-out');
    await invite(user.email);
    const link = await invitationLink(user.email);
    const page = await visitor.open(link);
    const to_sign_in = page.document.querySelector('a.button')!.getAttribute('href')!;
    await visitor.open(to_sign_in.replaceAll('&amp;', '&'));
    const accepting = await visitor.submit('/sign-in', {
      username: user.username,
      password: PASSWORD,
    });
    expect(accepting.text).toContain(`You are signed in as ${user.email}.`);
    const joined = await visitor.submit('/invitation');
    expect(joined.text).toContain(`You belong to the account ${owner.user.username} now.`);

    const accounts = await visitor.open('/accounts');
    expect(accounts.text).toContain(user.username);
    await visitor.submit('/accounts');
    expect((await visitor.open('/')).document.querySelector('.who b')!.text).toBe(user.username);
    await visitor.open('/accounts');
    await visitor.submit('/accounts');
    expect((await visitor.open('/')).document.querySelector('.who b')!.text).toBe(
      owner.user.username,
    );
  });

  it('works once, and not after it was withdrawn, sent again, or seven days', async () => {
    const statusOf = async (link: string): Promise<number> =>
      (await createVisitor(service).open(link)).status;
    const { email: used } = await join();
    expect(await statusOf(await invitationLink(used))).toBe(404);

    const email = `${newName()}@example.com`;
    await invite(email);
    const first = await invitationLink(email);
    await actOn(email, '/team/invitations/resend');
    const second = await invitationLink(email);
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    const open = createVisitor(service);
    await open.open(second);
    await actOn(email, '/team/invitations/withdraw');
    expect((await open.submit('/invitation', { password: PASSWORD })).status).toBe(422);
    expect((await owner.visitor.open('/team')).text).not.toContain(email);

    await invite(email);
    const third = await invitationLink(email);
    await database.owner.raw(
      `update login_tokens set expires_at = now() where kind = 'invitation'`,
    );
    expect(await statusOf(third)).toBe(404);
    expect((await owner.visitor.open('/team')).text).toContain('Expired');
  });

  it.each([
    ['no address', 'nobody', 'This is not an e-mail address.'],
    ['somebody who belongs to the account', 'owner', 'belongs to the account already'],
  ])('of %s is refused, and the form keeps what was typed', async (_case, given, text) => {
    const email = given === 'owner' ? owner.user.email.toUpperCase() : given;
    const page = await invite(email);
    expect([page.status, page.text]).toEqual([422, expect.stringContaining(text)]);
    expect(page.document.querySelector('[name=email]')!.getAttribute('value')).toBe(email);
  });
});

async function ownersOf(): Promise<string[]> {
  const { rows } = await database.owner.raw(
    `select l.email from memberships m join logins l on l.id = m.login_id
      where m.user_id = ? and m.role = 'owner' order by m.created_at`,
    [owner.user.id],
  );
  return (rows as { email: string }[]).map(({ email }) => email);
}

async function makeOwner(email: string): Promise<void> {
  const { rows } = await database.owner.raw('select id from logins where email = ?', [email]);
  const [{ id: login_id }] = rows as [{ id: string }];
  await post(owner.visitor, '/team/role', { login_id, role: 'owner' });
}

describe('the owner', () => {
  it('changes a role, which counts at once', async () => {
    const { email, visitor } = await join('viewer');
    expect((await visitor.open('/keys/new')).status).toBe(403);
    await actOn(email, '/team/role');
    expect((await visitor.open('/keys/new')).status).toBe(200);
  });

  it('removes somebody, whose session loses the account at once', async () => {
    const { email, visitor } = await join();
    await visitor.open('/');
    await actOn(email, '/team/remove');
    expect((await visitor.open('/wallets')).status).toBe(404);
    expect((await visitor.open('/')).text).not.toContain(owner.user.username);
    expect((await owner.visitor.open('/team')).text).not.toContain(email);
  });

  it('is neither removed nor made less, and does not leave', async () => {
    const { rows } = await database.owner.raw('select id from logins where email = ?', [
      owner.user.email,
    ]);
    const [{ id: login_id }] = rows as [{ id: string }];
    for (const [path, more] of [
      ['/team/remove', {}],
      ['/team/role', { role: 'viewer' }],
      ['/team/leave', {}],
    ] as const) {
      expect([path, await post(owner.visitor, path, { login_id, ...more })]).toEqual([path, 303]);
      const page = await owner.visitor.open('/team');
      expect([path, page.text]).toEqual([
        path,
        expect.stringContaining('An account always has an owner'),
      ]);
    }
    expect(await ownersOf()).toEqual([owner.user.email]);
  });

  it('may be one of several, who invites the next one and leaves', async () => {
    const { email, visitor } = await join('owner');
    expect(
      (await visitor.open('/team')).document.querySelector('form[action$="/team/invite"]'),
    ).not.toBe(null);
    const third = await join('viewer');
    await makeOwner(third.email);
    expect(await ownersOf()).toEqual([owner.user.email, email, third.email]);
    await visitor.open('/team');
    const page = await visitor.submit('/team/leave');
    expect(page.text).toContain(`You have left the account ${owner.user.username}.`);
    await actOn(third.email, '/team/remove');
    expect(await ownersOf()).toEqual([owner.user.email]);
  });

  it('is told by mail, in their language, who becomes an owner and who stops being one', async () => {
    const { user: awa, visitor } = await signInOwner(service, database);
    await database.owner.raw(`update logins set language = 'fr' where email = ?`, [awa.email]);
    const by = owner.user.email;
    const { username } = owner.user;
    const told = async (to: string, text: string): Promise<void> => {
      const [mail] = await mailsTo(database, to);
      expect([to, mail?.text]).toEqual([to, expect.stringContaining(text)]);
    };
    const made = (person: string) =>
      `There is a new owner of the account ${username}: ${person}. It was done by ${by}.`;

    await invite(awa.email, 'owner');
    await visitor.open(await invitationLink(awa.email));
    await visitor.submit('/invitation');
    await told(by, made(awa.email));

    const { email } = await join('owner');
    await told(by, made(email));
    await told(
      awa.email,
      `${by} a confié à ${email} le rôle de propriétaire du compte ${username}.`,
    );
    await actOn(email, '/team/remove');
    await told(
      email,
      `${by} has taken the role of owner of the account ${username} from ${email}.`,
    );
    await told(
      awa.email,
      `${by} a retiré à ${email} le rôle de propriétaire du compte ${username}.`,
    );

    const third = await join('viewer');
    await makeOwner(third.email);
    await told(
      awa.email,
      `${by} a confié à ${third.email} le rôle de propriétaire du compte ${username}.`,
    );
    await third.visitor.open('/team');
    await third.visitor.submit('/team/leave');
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
    await visitor.open('/keys/new');
    await visitor.submit('/keys/new', { name: 'Till' });
    const invited = `${newName()}@example.com`;
    await invite(invited, 'owner', visitor);
    const link = await invitationLink(invited);
    const before = await owner.visitor.open('/team');
    expect(before.text).toContain('1 API key');
    expect(before.text).toContain('end with their role');
    const after = await actOn(email, '/team/remove');
    const lines = [
      /API keys that are revoked: Till pay_test_….{4}\./,
      new RegExp(`Invitations that are withdrawn: ${invited}`),
    ];
    const [mail] = await mailsTo(database, owner.user.email);
    for (const line of lines) {
      expect(after.text).toMatch(line);
      expect(mail!.text).toMatch(line);
    }
    const page = await createVisitor(service).open(link);
    expect(page.text).not.toContain('Choose a password');
  });

  it('has a confirmed address, whether invited or made one', async () => {
    const { user, visitor } = await signInOwner(service, database);
    await database.owner.raw('update logins set email_verified_at = null where email = ?', [
      user.email,
    ]);
    const email = `${newName()}@example.com`;
    await invite(email, 'owner');
    const page = await visitor.open(await invitationLink(email));
    expect(page.text).toContain('An owner needs a confirmed e-mail address.');
    // A form of another page may still be posted: the database refuses it.
    const form_token = page.document.querySelector('[name=form_token]')!.getAttribute('value')!;
    const token = new URL(page.path, service.origin).searchParams.get('token')!;
    const body = new URLSearchParams({ form_token, token });
    const response = await visitor.request('/dashboard/invitation', { method: 'POST', body });
    expect([response.status, await ownersOf()]).toEqual([422, [owner.user.email]]);
  });
});

async function post(
  visitor: Visitor,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<number> {
  const page = await visitor.open('/team');
  const form_token = page.document.querySelector('[name=form_token]')!.getAttribute('value')!;
  const body = new URLSearchParams({ form_token, ...fields });
  const response = await visitor.request(`/dashboard${path}`, { method: 'POST', body });
  await response.arrayBuffer();
  return response.status;
}

describe('a colleague', () => {
  it('leaves', async () => {
    const { email, visitor } = await join();
    await visitor.open('/team');
    const page = await visitor.submit('/team/leave');
    expect(page.text).toContain(`You have left the account ${owner.user.username}.`);
    expect((await owner.visitor.open('/team')).document.querySelector('table')!.text).not.toContain(
      email,
    );
  });
});

describe('the log of activities', () => {
  it('tells the owner what everybody did, the newest first', async () => {
    const { email, visitor } = await join('viewer');
    await post(visitor, '/security/password', { old_password: 'wrong password', password: 'x' });
    await actOn(email, '/team/role');
    const page = await owner.visitor.open('/activity');
    const rows = page.document.querySelectorAll('tbody tr').map((row) => row.text);
    expect(rows[0]).toContain('Changed a role');
    expect(rows[0]).toContain(owner.user.email);
    expect(rows[0]).toContain(email);
    expect(rows[0]).toContain('Done');
    expect(rows[0]).toContain('127.0.0.1');
    expect(rows[1]).toContain('Changed the password');
    expect(rows[1]).toContain('Refused');
    expect(rows[2]).toContain('Accepted an invitation');
    expect(rows[3]).toContain('Invited a member');
  });

  it('tells nothing of a form that came back to be corrected, and links to what was made', async () => {
    const count = async () =>
      (await owner.visitor.open('/activity')).document.querySelectorAll('tbody tr').length;
    const before = await count();
    await owner.visitor.open('/links/new');
    const wrong = await owner.visitor.submit('/links', { amount: '', currency: 'XOF' });
    expect(wrong.status).toBe(422);
    expect(await count()).toBe(before);
    await owner.visitor.open('/keys/new');
    await owner.visitor.submit('/keys/new', { name: 'Till' });
    const page = await owner.visitor.open('/activity');
    const [latest] = page.document.querySelectorAll('tbody tr');
    expect(latest!.text).toMatch(/Created an API key.*Done/s);
    expect(latest!.querySelector('a')?.getAttribute('href')).toBe('/dashboard/keys');
  });

  it('tells others their own only', async () => {
    const { email, visitor } = await join('viewer');
    const page = await visitor.open('/activity');
    expect(page.text).toContain(email);
    expect(page.text).not.toContain(owner.user.email);
  });
});
