// The dashboard at an origin of its own. Browsers tell hosts apart by name, so that the two names of this
// machine are two origins, and nothing has to be pretended.

import { PREFIX } from '../../http/prefix';
import { dashboardAddress } from '../../config/dashboard-address';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { pickTestPort } from '../support/ports';
import { startTestService } from '../support/service';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { newName, PASSWORD, type Member } from './accounts';
import { linkIn, mailsTo } from './mails';
import { buildLink } from './payment-links';
import { createVisitor, expectPage, type Visitor } from './visitor';

let database: TestDatabase;
/** `http://127.0.0.1:<port>` and `http://localhost:<port>`. */
let [api, dashboard] = ['', ''];

beforeAll(async () => {
  database = await createTestDatabase();
  const port = await pickTestPort();
  [api, dashboard] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  const addresses = { public_url: api, pay_url_base: api, ...dashboardAddress(dashboard, api) };
  await startTestService({ database, overrides: { port, ...addresses } });
});

const newVisitor = (): Visitor => createVisitor({ origin: dashboard });

async function signIn(): Promise<Member> {
  const user = await buildUser(database.db, { password: PASSWORD });
  const visitor = newVisitor();
  const page = await visitor.fill('/sign-in', { username: user.username, password: PASSWORD });
  expectPage(page, 200, 'Overview');
  return { user, visitor };
}

const cookieOf = ({ cookies }: Visitor): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** Redirects are not followed. */
async function ask(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const { status, headers } = response;
  return { status, headers, location: headers.get('Location'), text: await response.text() };
}

describe('at the dashboard’s origin', () => {
  it('somebody signs in and works, and the first call is shown with the API’s address', async () => {
    const { visitor } = await signIn();
    expectPage(await visitor.open('/guides'), 200, `curl -s '${api}${PREFIX}/wallets'`);
    const { document } = await visitor.open('/keys');
    const script = document.querySelector('script[src]')!.getAttribute('src')!;
    expect((await ask(dashboard + script)).status).toBe(200);
    const start = { status: 303, location: `${dashboard}/dashboard` };
    expect(await ask(`${dashboard}/`)).toMatchObject(start);
    // Its name in capitals is the same.
    const { port } = new URL(dashboard);
    expect((await ask(`http://LOCALHOST:${port}/dashboard/sign-in`)).status).toBe(200);
  });

  it.each([
    ['the API', `${PREFIX}/health`],
    ['the API with a key', `${PREFIX}/me`],
    ['its description', '/openapi.json'],
    ['the explanation of errors', '/docs/errors'],
    ['the simulator’s notifications', '/internal/gateway/notifications'],
    ['what only begins like its pages', '/dashboards'],
  ])('there is not %s', async (_what, path) => {
    expect((await ask(api + path)).text).not.toContain('Only the dashboard is here');
    const headers = { Authorization: 'Bearer pay_test_whatever' };
    const { status, text } = await ask(dashboard + path, { headers });
    const message = `Only the dashboard is here. The API is at ${api}.`;
    const error = { code: 'not_found', message };
    expect([status, JSON.parse(text)]).toMatchObject([404, { error }]);
  });

  it('there is no pay page, and its link leads to the other origin', async () => {
    const { user, visitor } = await signIn();
    const { id, short_code } = await buildLink(database.db, user);
    expect((await visitor.open(`/links/${id}`)).html).toContain(`${api}/p/${short_code}`);
    const statuses = [dashboard, api].map(
      async (at) => (await ask(`${at}/p/${short_code}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 200]);
  });
});

describe('at every other name', () => {
  it('a page is a redirect with its path and query', async () => {
    const path = '/dashboard/transactions?type=payment&lang=fr';
    expect(await ask(api + path)).toMatchObject({ status: 303, location: dashboard + path });
  });

  it('a form is not carried out, and its fields are not sent on', async () => {
    const username = newName();
    const visitor = newVisitor();
    const form_token = (await visitor.open('/sign-up')).value('form_token')!;
    const fields = { username, email: `${username}@example.com`, password: PASSWORD, form_token };
    const { status, location } = await ask(`${api}/dashboard/sign-up`, {
      method: 'POST',
      headers: { Cookie: cookieOf(visitor) },
      body: new URLSearchParams(fields),
    });
    expect([status, location]).toEqual([303, `${dashboard}/dashboard`]);
    expect(await database.db('users').where({ username })).toEqual([]);
  });

  it('the cookies of who had signed in there end', async () => {
    const Cookie = 'payments_session=abc; payments_device=def; other=x';
    const { headers } = await ask(`${api}/dashboard`, { headers: { Cookie } });
    const ended = headers.getSetCookie();
    const names = ended.map((line) => line.split('=')[0]);
    expect(names).toEqual(['payments_session', 'payments_device']);
    for (const line of ended) expect(line).toMatch(/expires=Thu, 01 Jan 1970/i);
  });

  it('a session is worth nothing', async () => {
    const headers = { Cookie: cookieOf((await signIn()).visitor) };
    expect((await ask(`${api}/dashboard/keys`, { headers })).status).toBe(303);
    expect((await ask(`${dashboard}/dashboard/keys`, { headers })).status).toBe(200);
  });
});

it('a form of another origin is refused, whatever it carries', async () => {
  const { visitor } = await signIn();
  const send = async (Origin: string): Promise<number> =>
    (await visitor.post('/sign-out', {}, { Origin })).status;
  expect(await send(api)).toBe(403);
  expect((await visitor.open('/keys')).heading).toBe('API keys');
  expect(await send(dashboard)).toBe(303);
});

it('mails lead to the dashboard’s origin', async () => {
  const { email } = await buildUser(database.db, { password: PASSWORD });
  const visitor = newVisitor();
  await visitor.fill('/password/forgotten', { email });
  // It is written after the answer.
  const mail = await waitFor(async () => (await mailsTo(database, email))[0]);
  expect(mail.text).toContain(`${dashboard}/dashboard/password/reset?token=`);
  expect((await visitor.open(linkIn(mail))).status).toBe(200);
});
