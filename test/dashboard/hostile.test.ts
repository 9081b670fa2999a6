// Hostile browsers' requests: forms that are no forms, requests without end, other people's addresses.

import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { parse } from 'node-html-parser';
import { ROUTES } from '../../dashboard/routes';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { insist } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { openConnection, requestHead } from '../api/support/raw';
import { newName, PASSWORD, signInAs, signInOwner, type Member } from './accounts';
import { buildDeveloperParams } from './developer-examples';
import { mailsTo } from './mails';
import { buildLink } from './payment-links';
import { createVisitor, type Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;
let owner: Member;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owner = await signInOwner(service, database);
});

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

function tokenOf({ page }: Visitor): string {
  return page.document.querySelector('[name=form_token]')!.getAttribute('value')!;
}

async function post(
  visitor: Visitor,
  path: string,
  body: BodyInit,
  headers: Readonly<Record<string, string>> = FORM,
): Promise<Response> {
  const response = await visitor.request(`/dashboard${path}`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response;
}

/** Faults of ours: what was no answer that we meant to give. */
function faults(): readonly unknown[] {
  return service.log.filter((entry) => 'error' in entry && 'request_id' in entry);
}

describe('a form with text that is no text', () => {
  it.each([
    ['a NUL', 'a%00b'],
    ['half a character', '%ED%A0%80'],
    ['2,500 characters', 'x'.repeat(2_500)],
  ])('%s: is answered, and is no fault', async (_what, text) => {
    const { visitor } = owner;
    await visitor.open('/');
    const token = `form_token=${tokenOf(visitor)}`;
    const names = ['name', 'email', 'username', 'password', 'to_username', 'url', 'id', 'login_id'];
    const fields = [...names, 'user_id', 'cursor', 'description', 'customer_email', 'metadata'];
    const pairs = [...fields, 'status', 'code'].map((name) => `${name}=${text}`);
    const body = [token, `draft=${randomUUID()}`, 'amount=10', 'currency=EUR', ...pairs].join('&');
    const before = faults().length;
    const paths = ['/keys/new', '/links', '/transfers/preview', '/transfers', '/accounts'];
    const security = ['/security/password', '/security/codes', '/security/sessions/end'];
    for (const path of [...paths, ...security, '/webhooks/new', '/team/invite', '/environment']) {
      const { status } = await post(visitor, path, body);
      expect([path, [303, 401, 404, 422].includes(status) ? 'answered' : status]).toEqual([
        path,
        'answered',
      ]);
    }
    const outside = createVisitor(service);
    await outside.open('/sign-in');
    const own = [`form_token=${tokenOf(outside)}`, ...body.split('&').slice(1)].join('&');
    for (const path of ['/sign-in', '/sign-up', '/password/forgotten', '/password/reset']) {
      const { status } = await post(outside, path, own);
      expect([path, [303, 401, 404, 413, 422].includes(status) ? 'answered' : status]).toEqual([
        path,
        'answered',
      ]);
    }
    expect(faults().slice(before)).toEqual([]);
  });

  it.each(['%00', 'a%00b', '%ED%A0%80', '%FF', "'", '%2e%2e'])(
    '%s in a path or a query is answered, and is no fault',
    async (text) => {
      const before = faults().length;
      const names = [
        'cursor',
        'reference',
        'customer_email',
        'key',
        'request_id',
        'status',
        'from',
      ];
      const query = names.map((name) => `${name}=${text}`).join('&');
      const lists = ['/transactions', '/links', '/requests', '/keys', '/activity', '/webhooks'];
      const rows = ['/links', '/transactions', '/transfers', '/webhooks', '/deliveries'];
      for (const path of [
        ...lists.map((list) => `${list}?${query}`),
        ...rows.map((list) => `${list}/${text}`),
        `/transactions.csv?${query}`,
        `/sign-in?next=${text}`,
        `/password/reset?token=${text}`,
        `/invitation?token=${text}`,
      ]) {
        const response = await owner.visitor.request(`/dashboard${path}`);
        await response.arrayBuffer();
        expect([path, response.status < 500 ? 'answered' : response.status]).toEqual([
          path,
          'answered',
        ]);
      }
      expect(faults().slice(before)).toEqual([]);
    },
  );
});

describe('a form that is no form', () => {
  it.each([['broke off', 'Content-Length: 100', 'username=awa']])(
    'because it %s is no fault of ours',
    async (_what, header, body) => {
      const before = faults().length;
      const connection = await openConnection(service);
      const type = 'Content-Type: application/x-www-form-urlencoded';
      connection.write(requestHead(service, 'POST /dashboard/sign-in', [type, header]) + body);
      connection.socket.end();
      // Nothing is answered to a browser that is gone, or that it is no form.
      const status = await connection.response().then(
        (response) => response.status,
        () => 0,
      );
      expect(status).toBeLessThan(500);
      expect(faults().slice(before)).toEqual([]);
    },
  );

  it.each([
    ['JSON', 'application/json', (token: string) => JSON.stringify({ form_token: token })],
    ['plain text', 'text/plain', (token: string) => `form_token=${token}`],
    [
      'several parts',
      'multipart/form-data; boundary=x',
      (token: string) =>
        `--x\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n${token}\r\n--x--\r\n`,
    ],
  ])('of %s changes nothing', async (_what, type, bodyOf) => {
    const { visitor } = owner;
    await visitor.open('/');
    const answer = await post(visitor, '/sign-out', bodyOf(tokenOf(visitor)), {
      'Content-Type': type,
    });
    expect(answer.status).toBe(403);
    expect((await visitor.open('/')).heading).toBe('Overview');
  });

  it('is refused with the token of the time before the sign-in, and of another session', async () => {
    const visitor = createVisitor(service);
    await visitor.open('/sign-in');
    const early = tokenOf(visitor);
    await visitor.submit('/sign-in', { username: owner.user.username, password: PASSWORD });
    const other = await signInAs(service, owner.user.username);
    for (const form_token of [early, tokenOf(other)]) {
      const body = new URLSearchParams({ form_token });
      expect((await post(visitor, '/sign-out', body)).status).toBe(403);
    }
    expect((await visitor.open('/')).heading).toBe('Overview');
  });
});

const MARKUP = `"'></pre></script></textarea><evil-tag onevil="1">`;
const QUERY = [
  'next',
  'name',
  'token',
  'cursor',
  'reference',
  'customer_email',
  'key',
  'request_id',
  'status',
  'to_username',
  'amount',
  'currency',
  'description',
  'metadata',
  'from',
  'type',
  'search',
  'lang',
];

describe('markup in a text', () => {
  it('stays text on every page: in its query, its path, and what was written before', async () => {
    const { user } = await signInOwner(service, database);
    await database.owner.raw('update users set first_name = ?, last_name = ? where id = ?', [
      MARKUP,
      '<b>',
      user.id,
    ]);
    const visitor = await signInAs(service, user.username);
    const agent = { 'User-Agent': MARKUP };
    await visitor.open('/keys/new', agent);
    await visitor.submit('/keys/new', { name: MARKUP });
    await visitor.open('/webhooks/new');
    const url = `https://shop.example.com/${encodeURI(MARKUP)}`;
    await visitor.submit('/webhooks/new', { url, description: MARKUP });
    const params = await buildDeveloperParams(database, user);
    const link = await buildLink(database.db, user, {
      description: MARKUP,
      customer_email: 'a@example.com',
      metadata: { [MARKUP]: MARKUP },
    });
    const query = new URLSearchParams(QUERY.map((name) => [name, MARKUP]));
    const pages = ROUTES.filter(({ method }) => method === 'GET');
    const filled = pages.map(({ path }) =>
      path.replace(/:\w+/g, (name) => params[`${path} ${name}`] ?? link.id),
    );
    const hostile = pages.map(({ path }) => path.replace(/:\w+/g, encodeURIComponent(MARKUP)));
    for (const path of [...filled, ...filled.map((one) => `${one}?${query}`), ...hostile]) {
      const url_path = `/dashboard${path.replace(/^\/(?=\?|$)/, '')}`;
      const response = await visitor.request(url_path, { headers: agent });
      const html = await response.text();
      const isHtml = response.headers.get('Content-Type')?.startsWith('text/html') === true;
      const found = isHtml ? parse(html).querySelectorAll('evil-tag, [onevil]').length : 0;
      expect([path, found, response.status < 500]).toEqual([path, 0, true]);
      expectHeaders(path, response);
    }
    // The written texts are there, so that they were looked at.
    expect((await visitor.open('/keys')).text).toContain(MARKUP);
    expect((await visitor.open(`/links/${link.id}`)).text).toContain(MARKUP);
    expect((await visitor.open('/profile')).text).toContain(MARKUP);
  });

  it('meets the same headers in answers that are no pages', async () => {
    const { visitor } = owner;
    for (const [path, init] of [
      ['/dashboard/nowhere', {}],
      ['/dashboard/sign-out', { method: 'POST', body: 'x' }],
      ['/dashboard/keys/new', { method: 'POST', headers: FORM, body: 'x'.repeat(100_000) }],
      ['/dashboard/keys', { method: 'DELETE' }],
      ['/dashboard/assets/dashboard.js', {}],
    ] as const) {
      const response = await visitor.request(path, init);
      await response.arrayBuffer();
      expectHeaders(path, response);
    }
  });
});

function expectHeaders(path: string, { headers }: Response): void {
  const policy = headers.get('Content-Security-Policy') ?? 'none';
  expect([path, policy]).toEqual([path, expect.stringContaining("script-src 'self'")]);
  expect([path, policy]).not.toEqual([path, expect.stringContaining('unsafe')]);
  expect([path, headers.get('X-Content-Type-Options')]).toEqual([path, 'nosniff']);
  expect([path, headers.get('Referrer-Policy')]).toEqual([path, 'same-origin']);
  const isKept = path.includes('/assets/');
  expect([path, headers.get('Cache-Control')]).toEqual([path, isKept ? 'no-cache' : 'no-store']);
}

async function isSignedIn(cookies: ReadonlyMap<string, string>): Promise<boolean> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(`${service.origin}/dashboard`, {
    headers: { cookie },
    redirect: 'manual',
  });
  await response.arrayBuffer();
  return response.status === 200;
}

describe('a stolen session', () => {
  it('that was copied ends when the password is changed in the browser it was copied from', async () => {
    const { visitor } = await signInOwner(service, database);
    await visitor.open('/');
    await visitor.submit('/environment', { environment: 'live' });
    const copied = new Map(visitor.cookies);
    await visitor.open('/security');
    const fields = { old_password: PASSWORD, password: 'other quiet words there' };
    const changed = await visitor.submit('/security/password', fields);
    expect(changed.text).toContain('Your password is changed');
    expect(await isSignedIn(copied)).toBe(false);
    // The page goes on showing what it showed.
    expect((await visitor.open('/')).text).toContain('Live: real money');
  });

  it('that was copied ends when a second factor is switched on in that browser', async () => {
    const { visitor } = await signInOwner(service, database);
    const copied = new Map(visitor.cookies);
    await visitor.open('/security');
    const page = await visitor.submit('/security/totp');
    const secret = page.document.querySelector('.copyable code')!.textContent;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    await visitor.submit('/security/totp/confirm', { code });
    expect(await isSignedIn(copied)).toBe(false);
    expect((await visitor.open('/')).heading).toBe('Overview');
  });
});

describe('one person', () => {
  it('sends 120 forms a minute, and has a session left to end the one that sends them', async () => {
    const { user, visitor } = await signInOwner(service, database);
    const other = await signInAs(service, user.username);
    await visitor.open('/');
    const body = new URLSearchParams({ form_token: tokenOf(visitor), environment: 'sandbox' });
    const statuses: number[] = [];
    // It is some more where a minute ends on the way.
    while (statuses.length < 500 && statuses.at(-1) !== 429) {
      statuses.push((await insist(() => post(visitor, '/environment', body))).status);
    }
    expect(statuses.length).toBeGreaterThan(115);
    expect(statuses.pop()).toBe(429);
    expect(new Set(statuses)).toEqual(new Set([303]));
    // The owner ends a stolen session so.
    await other.open('/security');
    const out = await other.submit('/security/sign-out-everywhere');
    expect(out.heading).toBe('Sign in');
    expect((await visitor.open('/')).heading).toBe('Sign in');
  });

  it('who signed up with the address of somebody else has 20 notices an hour sent there', async () => {
    const { user, visitor } = await signInOwner(service, database);
    for (let count = 0; count < 23; count += 1) {
      await visitor.open('/security');
      const fields = { old_password: PASSWORD, password: PASSWORD };
      expect((await visitor.submit('/security/password', fields)).status).toBe(200);
    }
    expect(await mailsTo(database, user.email)).toHaveLength(20);
  });

  it('is sent a new password also after others have signed up with the address too often', async () => {
    const { user } = await signInOwner(service, database);
    for (let count = 0; count < 6; count += 1) {
      const stranger = createVisitor(service);
      await stranger.open('/sign-up');
      const username = newName();
      await stranger.submit('/sign-up', { username, email: user.email, password: PASSWORD });
    }
    const visitor = createVisitor(service);
    await visitor.open('/password/forgotten');
    await visitor.submit('/password/forgotten', { email: user.email });
    const subjects = await waitFor(async () => {
      const mails = await mailsTo(database, user.email);
      return mails.length > 5 && mails.map(({ subject }) => subject);
    });
    expect(subjects[0]).toBe('Choose a new password');
  });
});
