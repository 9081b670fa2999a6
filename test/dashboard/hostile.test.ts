// Hostile browsers' requests: forms that are no forms, requests without end, other people's addresses.

import { randomUUID } from 'node:crypto';
import { parse } from 'node-html-parser';
import { ROUTES } from '../../dashboard/routes';
import { insist } from '../support/http';
import { waitFor } from '../support/wait';
import { openConnection, requestHead } from '../api/support/raw';
import { newName, PASSWORD, setUpTotp, signInAs } from './accounts';
import { buildDeveloperParams } from './developer-examples';
import { mailsTo } from './mails';
import { buildLink } from './payment-links';
import { createVisitor, expectPage, type Visitor } from './visitor';
import { useWorld } from './world';

const w = useWorld();

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** Faults of ours: what was no answer that we meant to give. */
const faults = (): readonly unknown[] =>
  w.service.log.filter((entry) => 'error' in entry && 'request_id' in entry);

/** Sends a body as it is. */
async function postRaw(visitor: Visitor, path: string, body: string, type = FORM['Content-Type']) {
  const init = { method: 'POST', headers: { 'Content-Type': type }, body };
  const response = await visitor.request(`/dashboard${path}`, init);
  await response.arrayBuffer();
  return response;
}

const ANSWERED = [303, 401, 404, 413, 422];

describe('text that is no text', () => {
  it.each([
    ['a NUL', 'a%00b'],
    ['half a character', '%ED%A0%80'],
    ['2,500 characters', 'x'.repeat(2_500)],
  ])('%s in a form is answered, and is no fault', async (_what, text) => {
    const names = ['name', 'email', 'username', 'password', 'to_username', 'url', 'id', 'login_id'];
    const fields = [...names, 'user_id', 'cursor', 'description', 'customer_email', 'metadata'];
    const pairs = [...fields, 'status', 'code'].map((name) => `${name}=${text}`);
    const rest = [`draft=${randomUUID()}`, 'amount=10', 'currency=EUR', ...pairs].join('&');
    const paths = ['/keys/new', '/links', '/transfers/preview', '/transfers', '/accounts'];
    const security = ['/security/password', '/security/codes', '/security/sessions/end'];
    const inside = [...paths, ...security, '/webhooks/new', '/team/invite', '/environment'];
    const outside = ['/sign-in', '/sign-up', '/password/forgotten', '/password/reset'];
    const before = faults().length;
    for (const [visitor, first, all] of [
      [w.visitor, '/', inside],
      [createVisitor(w.service), '/sign-in', outside],
    ] as const) {
      const token = (await visitor.open(first)).value('form_token')!;
      for (const path of all) {
        const { status } = await postRaw(visitor, path, `form_token=${token}&${rest}`);
        expect([path, status, ANSWERED.includes(status)]).toEqual([path, status, true]);
      }
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
        const { status, body } = await w.visitor.request(`/dashboard${path}`);
        await body?.cancel();
        expect([path, status, status < 500]).toEqual([path, status, true]);
      }
      expect(faults().slice(before)).toEqual([]);
    },
  );
});

describe('a form that is no form', () => {
  it('because it broke off is no fault of ours', async () => {
    const before = faults().length;
    const connection = await openConnection(w.service);
    const headers = [`Content-Type: ${FORM['Content-Type']}`, 'Content-Length: 100'];
    connection.write(`${requestHead(w.service, 'POST /dashboard/sign-in', headers)}username=awa`);
    connection.socket.end();
    // Nothing is answered to a browser that is gone, or that it is no form.
    const status = await connection.response().then(
      (response) => response.status,
      () => 0,
    );
    expect(status).toBeLessThan(500);
    expect(faults().slice(before)).toEqual([]);
  });

  const PART = '--x\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n';

  it.each([
    ['JSON', 'application/json', (token: string) => JSON.stringify({ form_token: token })],
    ['plain text', 'text/plain', (token: string) => `form_token=${token}`],
    [
      'several parts',
      'multipart/form-data; boundary=x',
      (token: string) => `${PART}${token}\r\n--x--\r\n`,
    ],
  ])('of %s changes nothing', async (_what, type, bodyOf) => {
    const token = (await w.visitor.open('/')).value('form_token')!;
    const answer = await postRaw(w.visitor, '/sign-out', bodyOf(token), type);
    expect([answer.status, (await w.visitor.open('/')).heading]).toEqual([403, 'Overview']);
  });

  it('is refused with the token of the time before the sign-in, and of another session', async () => {
    const visitor = createVisitor(w.service);
    const early = (await visitor.open('/sign-in')).value('form_token')!;
    await visitor.submit('/sign-in', { username: w.user.username, password: PASSWORD });
    const other = (await signInAs(w.service, w.user.username)).page.value('form_token')!;
    for (const form_token of [early, other]) {
      expect((await visitor.post('/sign-out', { form_token })).status).toBe(403);
    }
    expect((await visitor.open('/')).heading).toBe('Overview');
  });
});

const MARKUP = `"'></pre></script></textarea><evil-tag onevil="1">`;
const QUERY =
  'next name token cursor reference customer_email key request_id status to_username amount currency ' +
  'description metadata from type search lang';

describe('markup in a text', () => {
  it('stays text on every page: in its query, its path, and what was written before', async () => {
    const { user } = await w.signIn();
    const named = 'update users set first_name = ?, last_name = ? where id = ?';
    await w.sql(named, [MARKUP, '<b>', user.id]);
    const visitor = await signInAs(w.service, user.username);
    const agent = { 'User-Agent': MARKUP };
    await visitor.open('/keys/new', agent);
    await visitor.submit('/keys/new', { name: MARKUP });
    const url = `https://shop.example.com/${encodeURI(MARKUP)}`;
    await visitor.fill('/webhooks/new', { url, description: MARKUP });
    const params = await buildDeveloperParams(w.database, user);
    const link = await buildLink(w.database.db, user, {
      description: MARKUP,
      customer_email: 'a@example.com',
      metadata: { [MARKUP]: MARKUP },
    });
    const query = new URLSearchParams(QUERY.split(' ').map((name) => [name, MARKUP]));
    const pages = ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path);
    const filled = pages.map((path) =>
      path.replace(/:\w+/g, (name) => params[`${path} ${name}`] ?? link.id),
    );
    const hostile = pages.map((path) => path.replace(/:\w+/g, encodeURIComponent(MARKUP)));
    for (const path of [...filled.map((one) => `${one}?${query}`), ...filled, ...hostile]) {
      const at = `/dashboard${path.replace(/^\/(?=\?|$)/, '')}`;
      const response = await visitor.request(at, { headers: agent });
      const html = await response.text();
      const isHtml = response.headers.get('Content-Type')?.startsWith('text/html') === true;
      const found = isHtml ? parse(html).querySelectorAll('evil-tag, [onevil]').length : 0;
      expect([path, found, response.status < 500]).toEqual([path, 0, true]);
      expectHeaders(path, response);
    }
    // The written texts are there, so that they were looked at.
    for (const path of ['/keys', `/links/${link.id}`, '/profile']) {
      expectPage(await visitor.open(path), 200, MARKUP);
    }
  });

  it('meets the same headers in answers that are no pages', async () => {
    for (const [path, init] of [
      ['/dashboard/nowhere', {}],
      ['/dashboard/sign-out', { method: 'POST', body: 'x' }],
      ['/dashboard/keys/new', { method: 'POST', headers: FORM, body: 'x'.repeat(100_000) }],
      ['/dashboard/keys', { method: 'DELETE' }],
      ['/dashboard/assets/dashboard.js', {}],
    ] as const) {
      const response = await w.visitor.request(path, init);
      await response.arrayBuffer();
      expectHeaders(path, response);
    }
  });
});

function expectHeaders(path: string, { headers }: Response): void {
  const policy = headers.get('Content-Security-Policy') ?? 'none';
  expect([path, policy]).toEqual([path, expect.stringContaining("script-src 'self'")]);
  expect([path, policy.includes('unsafe')]).toEqual([path, false]);
  const isKept = path.includes('/assets/');
  const names = ['X-Content-Type-Options', 'Referrer-Policy', 'Cache-Control'];
  expect([path, ...names.map((name) => headers.get(name))]).toEqual([
    path,
    'nosniff',
    'same-origin',
    isKept ? 'no-cache' : 'no-store',
  ]);
}

it.each(['the password is changed', 'a second factor is switched on'])(
  'a stolen session that was copied ends when %s in the browser it was copied from',
  async (what) => {
    const member = await w.signIn();
    const { visitor } = member;
    await w.show('live', visitor);
    const thief = createVisitor(w.service);
    for (const [name, value] of visitor.cookies)
      (thief.cookies as Map<string, string>).set(name, value);
    const fields = { old_password: PASSWORD, password: 'other quiet words there' };
    if (what === 'the password is changed') {
      const changed = await visitor.fill('/security', fields, '/security/password');
      expectPage(changed, 200, 'Your password is changed');
    } else await setUpTotp(member);
    expect((await thief.open('/')).heading).toBe('Sign in');
    // The page goes on showing what it showed.
    expectPage(await visitor.open('/'), 200, 'Overview', 'Live: real money');
  },
);

describe('one person', () => {
  it('sends 120 forms a minute, and has a session left to end the one that sends them', async () => {
    const { user, visitor } = await w.signIn();
    const other = await signInAs(w.service, user.username);
    const fields = { environment: 'sandbox' };
    const statuses: number[] = [];
    // It is some more where a minute ends on the way.
    while (statuses.length < 500 && statuses.at(-1) !== 429) {
      statuses.push((await insist(() => visitor.post('/environment', fields))).status);
    }
    expect(statuses.length).toBeGreaterThan(115);
    expect([statuses.pop(), ...new Set(statuses)]).toEqual([429, 303]);
    // The owner ends a stolen session so.
    const out = await other.fill('/security', {}, '/security/sign-out-everywhere');
    expect([out.heading, (await visitor.open('/')).heading]).toEqual(['Sign in', 'Sign in']);
  });

  it('who signed up with the address of somebody else has 20 notices an hour sent there', async () => {
    const { user, visitor } = await w.signIn();
    const fields = { old_password: PASSWORD, password: PASSWORD };
    for (let count = 0; count < 23; count += 1) {
      expect((await visitor.fill('/security', fields, '/security/password')).status).toBe(200);
    }
    expect(await mailsTo(w.database, user.email)).toHaveLength(20);
  });

  it('is sent a new password also after others have signed up with the address too often', async () => {
    const { email } = (await w.signIn()).user;
    for (let count = 0; count < 6; count += 1) {
      const fields = { username: newName(), email, password: PASSWORD };
      await createVisitor(w.service).fill('/sign-up', fields);
    }
    await createVisitor(w.service).fill('/password/forgotten', { email });
    const [latest] = await waitFor(async () => {
      const mails = await mailsTo(w.database, email);
      return mails.length > 5 && mails;
    });
    expect(latest!.subject).toBe('Choose a new password');
  });
});
