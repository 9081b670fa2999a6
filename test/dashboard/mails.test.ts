// The page that shows mails where none can be sent.

import { request } from 'node:http';
import { createSealer } from '../../secrets/seal';
import { queueMail } from '../../use-cases/mails';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { startTestService } from '../support/service';
import { createVisitor, expectPage } from './visitor';
import { mailsTo } from './mails';

let database: TestDatabase;
const LINK = 'https://payments.example/x?token=abc';
const MAIL = {
  to: 'awa@example.com',
  subject: 'Hello',
  text: `Open ${LINK} to go on.\n<b>not bold</b>`,
};

beforeAll(async () => {
  database = await createTestDatabase();
  await queueMail({ db: database.db, sealer: createSealer([TEST_SECRETS_KEY]) }, MAIL);
});

it('shows mails with their links to whoever tries the service', async () => {
  const visitor = createVisitor(await startTestService({ database }));
  for (const [language, text] of [
    ['fr', 'Lisez ici les messages que ce service aurait envoyés.'],
    ['en', 'Read here the mails that this service would have sent.'],
  ]) {
    const signIn = await visitor.open(`/sign-in?lang=${language}`);
    expect(signIn.link(text!)).toBe('/dashboard/mails');
  }
  const page = await visitor.open('/mails');
  expectPage(page, 200, MAIL.to, MAIL.subject, '<b>not bold</b>');
  expect(page.document.querySelector(`a[href="${LINK}"]`)).not.toBeNull();
  expect((await visitor.open('/mails?to=AWA@example.com')).text).toContain(MAIL.subject);
  const others = await visitor.open('/mails?to=kofi@example.com');
  expect(others.text).not.toContain(MAIL.subject);
  expect(others.text).toContain('No mail was written yet.');
  expect(await mailsTo(database, MAIL.to)).toEqual([{ subject: MAIL.subject, text: MAIL.text }]);
});

// A page of any site can ask by a name of its own that resolves to this machine.
it('shows nothing to a page that was opened by a name that is not the service’s', async () => {
  const overrides = { public_url: 'https://payments.test' };
  const { config, origin } = await startTestService({ database, overrides });
  const ask = (host: string) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sent = request(`${origin}/dashboard/mails`, { headers: { host } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.once('end', () => resolve({ status: response.statusCode, text }));
      });
      sent.once('error', reject).end();
    });
  for (const host of ['evil.test', `evil.test:${config.port}`, '127.0.0.1.evil.test']) {
    const { status, text } = await ask(host);
    expect([host, status, text.includes(MAIL.to)]).toEqual([host, 421, false]);
    expect(text).toContain(`This page is at ${config.dashboard_url}/mails`);
  }
  for (const host of ['localhost:1', '127.0.0.1', 'payments.test', 'PAYMENTS.test:443']) {
    const { status, text } = await ask(host);
    expect([host, status, text.includes(MAIL.to)]).toEqual([host, 200, true]);
  }
});

const smtp = { url: 'smtp://127.0.0.1:1', from: 'a@example.com', require_tls: false };

it.each([
  ['in production', { production: true, trusted_proxies: ['loopback'] }],
  ['where mails are sent', { smtp }],
])('does not exist %s', async (_case, overrides) => {
  const service = await startTestService({ database, overrides });
  const visitor = createVisitor(service);
  const headers = { 'X-Forwarded-Proto': 'https' };
  expect((await visitor.open('/mails', headers)).status).toBe(404);
  const { document } = await visitor.open('/sign-in', headers);
  expect(document.querySelector('a[href="/dashboard/mails"]')).toBeNull();
  const said = JSON.stringify(service.log).includes('no mail can be sent');
  expect(said).toBe('production' in overrides);
});
