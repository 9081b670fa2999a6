// Visitors and the pages that they get: every route and every kind of visitor. Each route's access is listed here once
// more, so that a new route with the wrong access is seen.

import type { Access, DashboardRoute } from '../../dashboard/context';
import { ROUTES } from '../../dashboard/routes';
import { mayDo, PERMISSIONS, type MemberRole, type Permission } from '../../domain/members';
import { findLogin } from '../../db/people/logins';
import { payIntent } from '../support/refunds';
import { setKyc } from '../support/users';
import { buildParams, signInHalf } from './examples';
import { createVisitor, type Visitor } from './visitor';
import { useWorld } from './world';

const w = useWorld({ funds: { sandbox: { XOF: 100_000_000n } } });

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
  '/team/leave': 'sales',
  '/profile': 'profile',
  // A person's own.
  '/profile/mails': 'sales',
  '/identity': 'profile',
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

const needsCheck = (access: Access): boolean => access === 'money' || access === 'links';
const isPermission = (access: Access): access is Permission =>
  (PERMISSIONS as readonly string[]).includes(access);

/** Sends the route's request with a form that is right but for its fields. */
async function ask(visitor: Visitor, route: DashboardRoute): Promise<string> {
  if (route.method === 'POST') {
    const { status, to } = await visitor.post(urlOf(route), { draft: ID });
    return to === null ? String(status) : `${status} ${to.replace(/\?.*/, '')}`;
  }
  const { status, headers, body } = await visitor.request(urlOf(route));
  await body?.cancel();
  const to = headers.get('Location');
  return to === null ? String(status) : `${status} ${to.replace(/\?.*/, '')}`;
}

async function outcomes(
  visitor: Visitor,
  routes: readonly DashboardRoute[],
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const route of routes) answers[nameOf(route)] = await ask(visitor, route);
  return answers;
}

/** Nothing that is refused stands in the log of activities. */
async function expectRefused(
  visitor: Visitor,
  routes: readonly DashboardRoute[],
  outcome: string,
): Promise<void> {
  const before = await w.count('activities');
  const expected = Object.fromEntries(routes.map((route) => [nameOf(route), outcome]));
  expect(await outcomes(visitor, routes)).toEqual(expected);
  expect(await w.count('activities')).toBe(before);
}

const CLOSED = ROUTES.filter(({ access }) => access !== 'anyone');

/** The rights of each role beyond payment links and their payments, with live money and in the sandbox. */
const ROLES = {
  owner: ['read', 'export', 'keys', 'webhooks', 'links', 'money', 'cancel', 'team', 'profile'],
  cashier: ['links'],
  accountant: ['read', 'export'],
  viewer: ['read'],
} as const;

it.each(Object.entries(ROLES))('a %s sees sales and has %j', (role, permissions) => {
  for (const environment of ['live', 'sandbox'] as const) {
    const may = PERMISSIONS.filter((one) => mayDo(role as MemberRole, one, environment));
    expect(may).toEqual(['sales', ...permissions]);
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
    const visitor = createVisitor(w.service);
    await visitor.open('/sign-in');
    await expectRefused(visitor, CLOSED, '303 /dashboard/sign-in');
  });

  it('is sent to the code by every other route while it is awaited', async () => {
    const visitor = await signInHalf(w.service, w.database);
    expect(visitor.page.heading).toBe('Enter your code');
    await expectRefused(visitor, CLOSED, '303 /dashboard/sign-in/code');
  });
});

it.each([
  ['viewer', 'live'],
  ['accountant', 'sandbox'],
  ['cashier', 'live'],
  ['developer', 'sandbox'],
  ['developer', 'live'],
] as const)('a %s in %s is refused by all that is of others', async (role, environment) => {
  const may = ({ access }: DashboardRoute) =>
    isPermission(access) && mayDo(role, access, environment);
  const visitor = await w.colleague(role);
  await w.show(environment, visitor);
  const refused = ROUTES.filter((route) => isPermission(route.access) && !may(route));
  await expectRefused(visitor, refused, '403');
  const pages = ROUTES.filter((route) => route.method === 'GET' && may(route));
  for (const [name, answer] of Object.entries(await outcomes(visitor, pages))) {
    const led = /^(200|404|303 \/dashboard\/(payouts|transfers|webhooks))/;
    expect([name, answer]).toEqual([name, expect.stringMatching(led)]);
  }
});

it.each(['sandbox', 'live'] as const)(
  'an owner needs an approved identity check for live money, and for nothing else: %s',
  async (environment) => {
    await w.show(environment);
    await setKyc(w.database.db, w.user.username, 'rejected');
    // A form without its fields is refused for itself in the sandbox.
    const about_money = ROUTES.filter(
      ({ access, method }) => needsCheck(access) && (environment === 'live' || method === 'GET'),
    );
    const answers = new Set(Object.values(await outcomes(w.visitor, about_money)));
    const others = ROUTES.filter(
      ({ access, method }) => !needsCheck(access) && isPermission(access) && method === 'GET',
    );
    const elsewhere = Object.values(await outcomes(w.visitor, others));
    await setKyc(w.database.db, w.user.username, 'approved');
    if (environment === 'live') expect([...answers]).toEqual(['403']);
    else expect([...answers]).not.toContain('403');
    expect(elsewhere).not.toContain('403');
  },
);

it("operators' pages are unknown to an owner", async () => {
  await w.show('live');
  const pages = ROUTES.filter(({ access }) => access === 'operator');
  await expectRefused(w.visitor, pages, '404');
});

it('a member who was removed gets nothing, also by the form of a page that was open', async () => {
  const visitor = await w.colleague('developer');
  await w.show('sandbox', visitor);
  await w.sql(`delete from memberships where role = 'developer' and user_id = ?`, [w.user.id]);
  const routes = ROUTES.filter(({ access }) => isPermission(access));
  await expectRefused(visitor, routes, '404');
});

describe('what an account has in the sandbox', () => {
  /** Keyed by route and parameter; the first value of a list is good for each of its forms. */
  let params: Readonly<Record<string, string>>;
  const idOf = (path: string): string => {
    const [own] = Object.keys(params).filter((name) => name.startsWith(`${path} `));
    const list = `/${path.split('/')[1]!}/`;
    return params[own ?? Object.keys(params).find((name) => name.startsWith(list))!]!;
  };

  beforeAll(async () => {
    params = {
      ...(await buildParams(w.user, w.database)),
      // No bank takes this payment back.
      '/links/paid :id': (await payIntent(w.database.db, w.user)).id,
    };
  });

  /** A page, what is offered there, and to whom. */
  const OFFERED: readonly (readonly [string, string, readonly MemberRole[]])[] = [
    ['/links', 'a[href$="/links/new"]', ['owner', 'developer', 'cashier']],
    ['/links/:id/cancel', 'a[href$="/cancel"]', ['owner', 'developer']],
    ['/links/paid', 'a[href$="/refund"]', ['owner', 'developer']],
    ['/reusable-links', 'a[href$="/new"]', ['owner', 'developer', 'cashier']],
    ['/reusable-links/:id', 'form[action$="/active"]', ['owner', 'developer', 'cashier']],
    ['/reusable-links/:id', 'a[href*=".csv"]', ['owner', 'developer', 'accountant']],
    ['/transactions', 'a[href*=".csv"]', ['owner', 'developer', 'accountant']],
    ['/transfers/:reference', 'a[href$="/reversal"]', ['owner', 'developer']],
    ['/payouts', 'a[href$="/payouts/new"]', ['owner', 'developer']],
    ['/payouts', 'a[href$="/payouts/settings"]', ['owner']],
    ['/payouts/:reference/confirm', 'a[href$="/confirm"]', ['owner', 'developer']],
    ['/payouts/:reference/confirm', 'a[href$="/cancel"]', ['owner', 'developer']],
    ['/keys', 'a[href$="/keys/new"]', ['owner', 'developer']],
    ['/keys', 'a[href$="/revoke"]', ['owner', 'developer']],
    ['/webhooks', 'a[href$="/webhooks/new"]', ['owner', 'developer']],
    ['/webhooks/:id', 'form[action$="/status"]', ['owner', 'developer']],
    ['/deliveries/:id', 'form[action$="/resend"]', ['owner', 'developer']],
    ['/rehearse', 'form[action*="/rehearse"]', ['owner', 'developer']],
    ['/profile', 'form[action$="/profile/public"]', ['owner']],
    ['/team', 'form[action$="/team/invite"]', ['owner']],
  ];

  it.each(['owner', 'developer', 'cashier', 'accountant', 'viewer'] as const)(
    'offers a %s what the role may do, and no more',
    async (role) => {
      const visitor = await w.colleague(role);
      for (const [path, selector, roles] of OFFERED) {
        const [, list, named] = path.split('/');
        const at = named === undefined ? path : `/${list}/${idOf(path)}`;
        const { document } = await visitor.open(at);
        const is_offered = document.querySelector(`main ${selector}`) !== null;
        expect([path, selector, is_offered]).toEqual([path, selector, roles.includes(role)]);
      }
    },
  );

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
    draft: ID,
  };

  /** Every account has statements, by the same names, and an invoice is made by an operator. */
  const NAMED = ROUTES.filter(
    ({ path }) => path.includes(':') && !/^\/(operators|statements|fees)\//.test(path),
  );

  async function expectUnknown(visitor: Visitor): Promise<void> {
    expect(NAMED.length).toBeGreaterThan(15);
    for (const route of NAMED) {
      const path = urlOf(route, idOf(route.path));
      const { status } =
        route.method === 'POST' ? await visitor.post(path, FIELDS) : await visitor.request(path);
      expect([nameOf(route), status]).toEqual([nameOf(route), 404]);
    }
  }

  it('is unknown to the owner of another account, by each path that has an id', async () => {
    await expectUnknown((await w.signIn()).visitor);
  });

  it('is unknown in live', async () => {
    await w.show('live');
    await expectUnknown(w.visitor);
  });

  it('is found by its owner, so that the paths were right, and is shown without empty lines', async () => {
    await w.show('sandbox');
    for (const { path } of NAMED.filter(({ method }) => method === 'GET')) {
      const filled = path.replace(/:\w+/, idOf(path));
      const { status, document } = await w.visitor.open(filled);
      const empty = document.querySelectorAll('dd').filter((one) => one.textContent.trim() === '');
      expect([path, status, empty.map((one) => one.outerHTML)]).toEqual([path, 200, []]);
    }
  });

  it('is not reached by an id in a field: accounts, sessions, members, invitations', async () => {
    const { visitor } = await w.signIn();
    const login_id = (await findLogin(w.database.db, w.user.username))!.id;
    const [session] = await w.sql<{ id: string }>('select id from sessions where user_id = ?', [
      w.user.id,
    ]);
    const [invitation] = await w.sql<{ id: string }>(
      `insert into invitations (user_id, email, role, invited_by)
       values (?, 'someone@example.com', 'viewer', ?) returning id`,
      [w.user.id, login_id],
    );
    for (const [path, fields] of [
      ['/accounts', { user_id: w.user.id }],
      ['/security/sessions/end', session!],
      ['/team/role', { login_id, role: 'viewer' }],
      ['/team/remove', { login_id }],
      ['/team/invitations/resend', invitation!],
      ['/team/invitations/withdraw', invitation!],
    ] as const) {
      expect([path, (await visitor.post(path, fields)).status]).toEqual([path, 404]);
    }
    expect((await w.visitor.open('/team')).text).toContain('someone@example.com');
  });
});
