// Visitors and the pages that they get: every route and every kind of visitor. Each route's access is listed here once
// more, so that a new route with the wrong access is seen.

import type { Access, DashboardRoute } from '../../dashboard/context';
import { ROUTES } from '../../dashboard/routes';
import { mayDo, type MemberRole, type Permission } from '../../domain/members';
import type { Environment } from '../../domain/environment';
import { listHistory } from '../../db/ledger/history';
import { findLogin } from '../../db/people/logins';
import { payoutReference } from '../../secrets/hash';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { orderedPayout } from '../support/payouts';
import { postOne } from '../support/postings';
import { buildUser, setKyc } from '../support/users';
import { PASSWORD, signInAs, signInColleague, signInOwner, type Member } from './accounts';
import { buildDeveloperParams } from './developer-examples';
import { buildCheckedBatch } from './batches';
import { buildPayoutBatch } from './payout-batches';
import { buildLink, buildReusableLink } from './payment-links';
import { createVisitor, type Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;
let owner: Member;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owner = await signInOwner(service, database, { funds: { sandbox: { XOF: 1_000n } } });
});

/** Tells who may send each form. The longest entry with which a path begins decides. */
const FORMS: Readonly<Record<string, Access>> = {
  '/sign-in': 'anyone',
  '/sign-out': 'anyone',
  '/sign-up': 'anyone',
  '/email/confirm': 'anyone',
  '/password/forgotten': 'anyone',
  '/password/reset': 'anyone',
  // Looks itself at who is signed in.
  '/sign-in/code': 'anyone',
  '/invitation': 'anyone',
  '/security': 'signed_in',
  '/accounts': 'signed_in',
  '/environment': 'signed_in',
  '/team': 'team',
  '/team/leave': 'read',
  '/profile': 'profile',
  // A person's own.
  '/profile/mails': 'read',
  '/transfers': 'money',
  '/payouts': 'money',
  '/payouts/:reference/cancel': 'cancel',
  '/payouts/:reference/reject': 'cancel',
  '/payouts/settings': 'profile',
  '/payout-batches': 'money',
  '/payout-batches/:id/cancel': 'cancel',
  '/payout-batches/:id/reject': 'cancel',
  '/batches': 'money',
  '/batches/:id/cancel': 'cancel',
  '/links': 'links',
  '/links/:id/refund': 'money',
  '/links/:id/cancel': 'cancel',
  '/reusable-links': 'links',
  '/keys': 'keys',
  '/rehearse': 'keys',
  '/webhooks': 'webhooks',
  '/deliveries': 'webhooks',
  '/operators': 'operator',
};

/** Pages for those who are not signed in. */
const OPEN_PAGES = [
  '/sign-in',
  '/sign-in/code',
  '/sign-up',
  '/sign-up/sent',
  '/email/confirm',
  '/password/forgotten',
  '/password/reset',
  '/invitation',
  // Only where no mail leaves: see mails.test.ts.
  '/mails',
];

function declared({ path }: DashboardRoute): Access | undefined {
  const names = Object.keys(FORMS).filter((name) => path === name || path.startsWith(`${name}/`));
  const longest = names.sort((one, other) => other.length - one.length)[0];
  return longest === undefined ? undefined : FORMS[longest];
}

const ID = '0190a7c0-0000-7000-8000-000000000000';
const urlOf = (route: DashboardRoute, id = ID): string =>
  `/dashboard${route.path === '/' ? '' : route.path.replace(/:\w+/g, id)}${draftOf(route)}`;
/** A page of an order leads to itself with a draft. */
const draftOf = ({ method, operation }: DashboardRoute): string =>
  method === 'GET' && operation ? `?draft=${ID}` : '';
const nameOf = ({ method, path }: DashboardRoute): string => `${method} ${path}`;

const PERMISSIONS: readonly string[] = [
  'read',
  'export',
  'keys',
  'webhooks',
  'links',
  'money',
  'cancel',
  'team',
  'profile',
];
const needsCheck = (access: Access): boolean => access === 'money' || access === 'links';
const isPermission = (access: Access): access is Permission => PERMISSIONS.includes(access);

/** Sends the route's request with a form that is right but for its fields. */
async function ask(visitor: Visitor, route: DashboardRoute): Promise<string> {
  const response = await visitor.request(
    urlOf(route),
    route.method === 'POST' ? { method: 'POST', body: new URLSearchParams(fieldsOf(visitor)) } : {},
  );
  const to = response.headers.get('Location');
  await response.arrayBuffer();
  return to === null ? String(response.status) : `${response.status} ${to.replace(/\?.*/, '')}`;
}

function fieldsOf({ page }: Visitor): Record<string, string> {
  const value = (name: string): string =>
    page.document.querySelector(`[name=${name}]`)?.getAttribute('value') ?? '';
  return { form_token: value('form_token'), shown: value('shown'), draft: ID };
}

async function outcomes(
  visitor: Visitor,
  routes: readonly DashboardRoute[],
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const route of routes) answers[nameOf(route)] = await ask(visitor, route);
  return answers;
}

function allWith(routes: readonly DashboardRoute[], outcome: string): Record<string, string> {
  return Object.fromEntries(routes.map((route) => [nameOf(route), outcome]));
}

/** Counts what forms have done, for all accounts together. */
async function countActivities(): Promise<number> {
  const { rows } = await database.owner.raw('select count(*)::integer as count from activities');
  return (rows as { count: number }[])[0]!.count;
}

const CLOSED = ROUTES.filter(({ access }) => access !== 'anyone');

/** The rights of each role beyond looking, with live money and in the sandbox. */
const ROLES = {
  owner: ['export', 'keys', 'webhooks', 'links', 'money', 'cancel', 'team', 'profile'],
  cashier: ['links'],
  accountant: ['export'],
  viewer: [],
} as const;

it.each(Object.entries(ROLES))('a %s may look and %j', (role, permissions) => {
  for (const environment of ['live', 'sandbox'] as const) {
    const may = PERMISSIONS.filter((one) =>
      mayDo(role as MemberRole, one as Permission, environment),
    );
    expect(may).toEqual(['read', ...permissions]);
  }
});

describe('the routes', () => {
  it('declare for each form who may send it', () => {
    const forms = ROUTES.filter(({ method }) => method === 'POST');
    expect(Object.fromEntries(forms.map((route) => [nameOf(route), route.access]))).toEqual(
      Object.fromEntries(forms.map((route) => [nameOf(route), declared(route)])),
    );
  });

  it('declare as open the pages for those who are not signed in, and no others', () => {
    const open = ROUTES.filter(({ method, access }) => method === 'GET' && access === 'anyone');
    expect(open.map(({ path }) => path).sort()).toEqual([...OPEN_PAGES].sort());
  });

  it("declare operators' pages for operators", () => {
    const pages = ROUTES.filter(({ path }) => /^\/operators(\/|$)/.test(path));
    expect(pages.filter(({ access }) => access !== 'operator')).toEqual([]);
  });

  it('name each form that changes an account or a login in the log of activities', () => {
    const unnamed = ROUTES.filter(
      ({ method, access, action }) => method === 'POST' && access !== 'anyone' && action === null,
    );
    const paths = unnamed.map(({ path }) => path).filter((path) => !path.startsWith('/operators'));
    // They change what this browser shows, and nothing else.
    expect(paths.sort()).toEqual([
      '/accounts',
      '/environment',
      '/links/:id/refund/check',
      '/payouts/check',
      '/transfers/:reference/reversal/check',
      '/transfers/preview',
    ]);
  });
});

describe('whoever is not signed in', () => {
  it('is sent to the sign-in by every other route', async () => {
    const visitor = createVisitor(service);
    await visitor.open('/sign-in');
    const before = await countActivities();
    expect(await outcomes(visitor, CLOSED)).toEqual(allWith(CLOSED, '303 /dashboard/sign-in'));
    expect(await countActivities()).toBe(before);
  });

  it('is sent to the code by every other route while it is awaited', async () => {
    const { username, email } = await buildUser(database.db, { password: PASSWORD });
    await database.owner.raw(
      `update logins set sealed_totp_secret = 'none', totp_confirmed_at = now() where email = ?`,
      [email],
    );
    const visitor = await signInAs(service, username);
    expect(visitor.page.heading).toBe('Enter your code');
    const before = await countActivities();
    const code = '303 /dashboard/sign-in/code';
    expect(await outcomes(visitor, CLOSED)).toEqual(allWith(CLOSED, code));
    expect(await countActivities()).toBe(before);
  });
});

describe.each(['sandbox', 'live'] as const)('in %s', (environment) => {
  const may = (role: MemberRole) => (route: DashboardRoute) =>
    isPermission(route.access) && mayDo(role, route.access, environment);
  const mayNot = (role: MemberRole) => (route: DashboardRoute) =>
    isPermission(route.access) && !mayDo(role, route.access, environment);

  it.each(['viewer', 'accountant', 'cashier', 'developer'] as const)(
    'a %s is refused by all that is of others',
    async (role) => {
      const visitor = await signInColleague(service, database, owner.user, role);
      await show(visitor, environment);
      const refused = ROUTES.filter(mayNot(role));
      const before = await countActivities();
      expect(await outcomes(visitor, refused)).toEqual(allWith(refused, '403'));
      expect(await countActivities()).toBe(before);
      const pages = ROUTES.filter(({ method }) => method === 'GET').filter(may(role));
      for (const [name, answer] of Object.entries(await outcomes(visitor, pages))) {
        expect([name, answer]).toEqual([
          name,
          expect.stringMatching(/^(200|404|303 \/dashboard\/(payouts|transfers|webhooks))/),
        ]);
      }
    },
  );

  it('an owner needs an approved identity check for live money, and for nothing else', async () => {
    await show(owner.visitor, environment);
    await setKyc(database.db, owner.user.username, 'rejected');
    // A form without its fields is refused for itself in the sandbox.
    const about_money = ROUTES.filter(
      ({ access, method }) => needsCheck(access) && (environment === 'live' || method === 'GET'),
    );
    const answers = await outcomes(owner.visitor, about_money);
    const others = ROUTES.filter(
      ({ access, method }) => !needsCheck(access) && isPermission(access) && method === 'GET',
    );
    const elsewhere = Object.values(await outcomes(owner.visitor, others));
    await setKyc(database.db, owner.user.username, 'approved');
    if (environment === 'live') expect(answers).toEqual(allWith(about_money, '403'));
    else expect(Object.values(answers)).not.toContain('403');
    expect(elsewhere).not.toContain('403');
  });

  it("operators' pages are unknown to an owner", async () => {
    await show(owner.visitor, environment);
    const pages = ROUTES.filter(({ access }) => access === 'operator');
    expect(await outcomes(owner.visitor, pages)).toEqual(allWith(pages, '404'));
  });

  it('a member who was removed gets nothing, also by the form of a page that was open', async () => {
    const visitor = await signInColleague(service, database, owner.user, 'developer');
    await show(visitor, environment);
    await database.owner.raw(`delete from memberships where role = 'developer' and user_id = ?`, [
      owner.user.id,
    ]);
    const routes = ROUTES.filter(({ access }) => isPermission(access));
    const before = await countActivities();
    expect(await outcomes(visitor, routes)).toEqual(allWith(routes, '404'));
    expect(await countActivities()).toBe(before);
  });
});

describe('what an account has in the sandbox', () => {
  let ids: Readonly<Record<string, string>>;
  let sessions: readonly string[];

  beforeAll(async () => {
    const params = await buildDeveloperParams(database, owner.user);
    const link = await buildLink(database.db, owner.user, {});
    const transfer = await postOne(database.db, {
      from: owner.user,
      to: await buildUser(database.db),
      amount: 100n,
      environment: 'sandbox',
    });
    const rows = await listHistory(database.db, {
      user_id: owner.user.id,
      environment: 'sandbox',
      before: undefined,
      limit: 1,
      filters: {},
    });
    ids = {
      keys: params['/keys/:id/rotate :id']!,
      webhooks: params['/webhooks/:id :id']!,
      deliveries: params['/deliveries/:id :id']!,
      requests: params['/requests/:place :place']!,
      links: link.id,
      'reusable-links': (await buildReusableLink(database.db, owner.user)).id,
      transactions: rows[0]!.id,
      payouts: payoutReference(
        await orderedPayout(database.db, owner.user, { amount_minor: '100' }),
      ),
      transfers: transfer.reference!,
      batches: await buildCheckedBatch(database.db, owner.user),
      'payout-batches': await buildPayoutBatch(database.db, owner.user),
    };
    const found = await database.owner.raw('select id from sessions where user_id = ?', [
      owner.user.id,
    ]);
    sessions = (found.rows as { id: string }[]).map(({ id }) => id);
  });

  // Each form takes these fields for right.
  const FIELDS = {
    status: 'disabled',
    overlap: '0',
    event_type: 'payment.succeeded',
    statuses: 'failed',
    types: 'payment.succeeded',
    url: 'https://shop.example.com/other',
    description: 'taken',
    title: 'taken',
  };

  async function askAll(visitor: Visitor): Promise<Record<string, number>> {
    const statuses: Record<string, number> = {};
    const routes = ROUTES.filter(
      // Every account has statements, by the same names.
      ({ path }) => path.includes(':') && !/^\/(operators|statements)\//.test(path),
    );
    for (const route of routes) {
      const id = ids[route.path.split('/')[1]!];
      if (id === undefined) throw new Error(`${route.path} has no example.`);
      const path = urlOf(route, id);
      const body = new URLSearchParams({ ...fieldsOf(visitor), ...FIELDS });
      const init = route.method === 'POST' ? { method: 'POST', body } : {};
      const response = await visitor.request(path, init);
      await response.body?.cancel();
      statuses[nameOf(route)] = response.status;
    }
    return statuses;
  }

  const isUnknownEverywhere = (statuses: Record<string, number>) =>
    expect(statuses).toEqual(Object.fromEntries(Object.keys(statuses).map((name) => [name, 404])));

  it('is unknown to the owner of another account, by each path that has an id', async () => {
    const { visitor } = await signInOwner(service, database);
    await visitor.open('/');
    const statuses = await askAll(visitor);
    expect(Object.keys(statuses).length).toBeGreaterThan(15);
    isUnknownEverywhere(statuses);
  });

  it('is unknown in live', async () => {
    await show(owner.visitor, 'live');
    isUnknownEverywhere(await askAll(owner.visitor));
  });

  it('is found by its owner, so that the paths were right', async () => {
    await show(owner.visitor, 'sandbox');
    const pages = ROUTES.filter(({ method, path }) => method === 'GET' && path.includes(':'));
    for (const { path } of pages.filter(
      (one) => !/^\/(operators|statements)|\/live$/.test(one.path),
    )) {
      const filled = path.replace(/:\w+/, ids[path.split('/')[1]!]!);
      expect([path, (await owner.visitor.open(filled)).status]).toEqual([path, 200]);
    }
  });

  it('is not reached by an id in a field: accounts, sessions, members, invitations', async () => {
    const { visitor } = await signInOwner(service, database);
    await visitor.open('/');
    const login_id = (await findLogin(database.db, owner.user.username))!.id;
    const { rows } = await database.owner.raw(
      `insert into invitations (user_id, email, role, invited_by)
       values (?, 'someone@example.com', 'viewer', ?) returning id`,
      [owner.user.id, login_id],
    );
    const invitation = (rows as { id: string }[])[0]!.id;
    for (const [path, fields] of [
      ['/accounts', { user_id: owner.user.id }],
      ['/security/sessions/end', { id: sessions[0]! }],
      ['/team/role', { login_id, role: 'viewer' }],
      ['/team/remove', { login_id }],
      ['/team/invitations/resend', { id: invitation }],
      ['/team/invitations/withdraw', { id: invitation }],
    ] as const) {
      const body = new URLSearchParams({ ...fieldsOf(visitor), ...fields });
      const response = await visitor.request(`/dashboard${path}`, { method: 'POST', body });
      await response.arrayBuffer();
      expect([path, response.status]).toEqual([path, 404]);
    }
    expect((await owner.visitor.open('/team')).text).toContain('someone@example.com');
  });
});

async function show(visitor: Visitor, environment: Environment): Promise<void> {
  await visitor.open('/');
  await visitor.submit('/environment', { environment });
}
