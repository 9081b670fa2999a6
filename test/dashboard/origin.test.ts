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
import { createVisitor } from './visitor';

let database: TestDatabase;
/** `http://127.0.0.1:<port>` and `http://localhost:<port>`. */
let [api, dashboard] = ['', ''];

beforeAll(async () => {
  database = await createTestDatabase();
  const port = await pickTestPort();
  [api, dashboard] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  await startTestService({
    database,
    overrides: {
      port,
      public_url: api,
      pay_url_base: api,
      ...dashboardAddress(dashboard, api),
    },
  });
});

async function signIn(): Promise<Member> {
  const user = await buildUser(database.db, { password: PASSWORD });
  const visitor = createVisitor({ origin: dashboard });
  await visitor.open('/sign-in');
  const page = await visitor.submit('/sign-in', {
    username: user.username,
    password: PASSWORD,
  });
  expect([page.status, page.heading]).toEqual([200, 'Overview']);
  return { user, visitor };
}

/** Redirects are not followed. */
async function ask(
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; location: string | null; text: string; headers: Headers }> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const { status, headers } = response;
  return { status, headers, location: headers.get('Location'), text: await response.text() };
}

describe('at the dashboard’s origin', () => {
  it('somebody signs in and works, and the first call is shown with the API’s address', async () => {
    const { visitor } = await signIn();
    expect(visitor.page.text).toContain(`curl -s '${api}${PREFIX}/wallets'`);
    const made = await visitor.open('/keys');
    expect(made.status).toBe(200);
    const script = made.document.querySelector('script[src]')!.getAttribute('src')!;
    expect((await ask(dashboard + script)).status).toBe(200);
  });

  it('the beginning leads to it', async () => {
    expect(await ask(`${dashboard}/`)).toMatchObject({
      status: 303,
      location: `${dashboard}/dashboard`,
    });
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
    const { status, text } = await ask(dashboard + path, {
      headers: { Authorization: 'Bearer pay_test_whatever' },
    });
    expect([status, JSON.parse(text)]).toMatchObject([
      404,
      {
        error: { code: 'not_found', message: `Only the dashboard is here. The API is at ${api}.` },
      },
    ]);
  });

  it('there is no pay page, and its link leads to the other origin', async () => {
    const { user, visitor } = await signIn();
    const { id, short_code } = await buildLink(database.db, user);
    expect((await visitor.open(`/links/${id}`)).html).toContain(`${api}/p/${short_code}`);
    expect((await ask(`${dashboard}/p/${short_code}`)).status).toBe(404);
    expect((await ask(`${api}/p/${short_code}`)).status).toBe(200);
  });

  it('is its name in capitals too', async () => {
    const { port } = new URL(dashboard);
    expect((await ask(`http://LOCALHOST:${port}/dashboard/sign-in`)).status).toBe(200);
  });
});

describe('at every other name', () => {
  it('a page is a redirect with its path and query', async () => {
    const path = '/dashboard/transactions?type=payment&lang=fr';
    expect(await ask(api + path)).toMatchObject({ status: 303, location: dashboard + path });
  });

  it('a form is not carried out, and its fields are not sent on', async () => {
    const username = newName();
    const visitor = createVisitor({ origin: dashboard });
    await visitor.open('/sign-up');
    const fields = {
      username,
      email: `${username}@example.com`,
      password: PASSWORD,
      country: 'SN',
      first_name: 'Awa',
      last_name: 'Diop',
    };
    const token = visitor.page.document.querySelector('[name=form_token]')!.getAttribute('value')!;
    const { status, location } = await ask(`${api}/dashboard/sign-up`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      body: new URLSearchParams({ ...fields, form_token: token }),
    });
    expect([status, location]).toEqual([303, `${dashboard}/dashboard`]);
    expect(await database.db('users').where({ username })).toEqual([]);
  });

  it('the cookies of who had signed in there end', async () => {
    const { headers } = await ask(`${api}/dashboard`, {
      headers: { Cookie: 'payments_session=abc; payments_device=def; other=x' },
    });
    const ended = headers.getSetCookie().map((line) => line.split('=')[0]);
    expect(ended).toEqual(['payments_session', 'payments_device']);
    for (const line of headers.getSetCookie()) expect(line).toMatch(/expires=Thu, 01 Jan 1970/i);
  });

  it('a session is worth nothing', async () => {
    const { visitor } = await signIn();
    const Cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    expect((await ask(`${api}/dashboard/keys`, { headers: { Cookie } })).status).toBe(303);
    expect((await ask(`${dashboard}/dashboard/keys`, { headers: { Cookie } })).status).toBe(200);
  });
});

it('a form of another origin is refused, whatever it carries', async () => {
  const { visitor } = await signIn();
  await visitor.open('/security');
  const form_token = visitor.page.document
    .querySelector('[name=form_token]')!
    .getAttribute('value')!;
  const send = async (origin: string): Promise<number> => {
    const response = await visitor.request('/dashboard/sign-out', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin },
      body: new URLSearchParams({ form_token }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  expect(await send(api)).toBe(403);
  expect((await visitor.open('/keys')).heading).toBe('API keys');
  expect(await send(dashboard)).toBe(303);
});

it('mails lead to the dashboard’s origin', async () => {
  const { email } = await buildUser(database.db, { password: PASSWORD });
  const visitor = createVisitor({ origin: dashboard });
  await visitor.open('/password/forgotten');
  await visitor.submit('/password/forgotten', { email });
  // It is written after the answer.
  const mail = await waitFor(async () => (await mailsTo(database, email))[0]);
  expect(mail.text).toContain(`${dashboard}/dashboard/password/reset?token=`);
  expect((await visitor.open(linkIn(mail))).status).toBe(200);
});
