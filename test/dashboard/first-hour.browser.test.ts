// A merchant's first hour in a real browser, from signing up to a live key that is revoked again, as the
// README tells it. With and without scripts.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { startTestApi, type TestApi } from '../support/api';
import { insist } from '../support/http';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { expectGenuine, startReceiver, type TestReceiver } from '../support/webhooks';
import { callApi } from '../api/support/contract';
import { describeInBrowser, openPage } from '../pages/browser';
import { newName, PASSWORD } from './accounts';
import { linkIn, mailsTo } from './mails';

const run = promisify(execFile);

let api: TestApi;
let receiver: TestReceiver;

describeInBrowser('the first hour', () => {
  beforeAll(async () => {
    api = await startTestApi({ webhooks: true });
    receiver = await startReceiver();
  });

  it.each([
    ['with a script', true],
    ['without one', false],
  ])(
    'leads from signing up to a payment, a webhook and a live key, %s',
    async (_, javaScriptEnabled) => {
      const { page, problems } = await openPage({ javaScriptEnabled });
      const username = newName();
      const test_key = await signUp(page, username);
      await makeFirstCall(page, test_key);
      const secret = await addEndpoint(page);
      await takePayment(page);
      await seeWebhook(page, secret);
      await passIdentityCheck(page, username);
      await tryLiveKeys(page);
      // Refusals of the API are what the page shows; of scripts and styles nothing may be refused.
      expect(problems.filter((problem) => !problem.includes('status of 4'))).toEqual([]);
    },
  );
});

const pathOf = (page: Page): string => new URL(page.url()).pathname;
const open = (page: Page, path: string) => page.goto(`${api.service.origin}/dashboard${path}`);
const press = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).click();
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();
const shownSecret = async (page: Page): Promise<string> =>
  (await page.locator('.notice .copyable code').innerText()).trim();

async function signUp(page: Page, username: string): Promise<string> {
  await open(page, '/sign-up');
  await page.fill('[name=email]', `${username}@example.com`);
  await page.fill('[name=username]', username);
  await page.fill('[name=password]', PASSWORD);
  await page.fill('[name=first_name]', 'Awa');
  await page.fill('[name=last_name]', 'Diop');
  await press(page, 'Create an account');
  await heading(page, 'Check your e-mails');
  const [mail] = await mailsTo(api.database, `${username}@example.com`);
  await page.goto(api.service.origin + linkIn(mail!));
  await press(page, 'Confirm and sign in');
  await heading(page, 'Overview');
  await page.getByText('For developers').click();
  await press(page, 'Create a test key');
  return shownSecret(page);
}

/** The page's own command, pasted. After it the page is an overview. */
async function makeFirstCall(page: Page, test_key: string): Promise<void> {
  const command = await page.locator('.snippet code').first().innerText();
  expect(command).toContain(test_key);
  const answer = await waitFor(async () => {
    const json = JSON.parse((await run('sh', ['-c', command])).stdout);
    return json.error?.retryable !== true && json;
  });
  expect(answer).toMatchObject({ ok: true });
  const other = await buildUser(api.database.db);
  const body = { to_username: other.username, currency: 'XOF', amount: 5000 };
  const options = { key: test_key, idempotency_key: randomUUID(), body };
  const sent = await insist(() => callApi(api.service, 'POST', '/transfers', options));
  expect(sent.json).toMatchObject({ ok: true, simulated: true });
  // The row of the call follows it within a second.
  await waitFor(async () => {
    await open(page, '');
    return (await page.locator('.snippet').count()) === 0;
  });
  await open(page, '/transactions');
  await page.getByText(other.username).first().waitFor();
}

async function addEndpoint(page: Page): Promise<string> {
  await open(page, '/webhooks/new');
  await page.fill('[name=url]', receiver.url);
  await press(page, 'Add an endpoint');
  return shownSecret(page);
}

async function takePayment(page: Page): Promise<void> {
  await open(page, '/links/new');
  await page.fill('[name=amount]', '49.90');
  await page.selectOption('[name=currency]', 'EUR');
  await page.fill('[name=description]', 'Two books');
  await press(page, 'Create the link');
  const link = pathOf(page);
  await page.locator('.qr').waitFor();
  const pay_url = (await page.locator('.copyable code').first().innerText()).trim();
  await page.goto(pay_url);
  await page.click('form button');
  await page.locator('button.pay').click();
  await page.waitForURL(`${pay_url}**`);
  await waitFor(async () => {
    await page.goto(api.service.origin + link);
    return (await page.getByRole('main').innerText()).includes('Paid');
  });
}

async function seeWebhook(page: Page, secret: string): Promise<void> {
  await waitFor(() => receiver.received.some((webhook) => isGenuine(webhook, secret)));
  await open(page, '/webhooks');
  await page.getByRole('main').getByRole('link', { name: receiver.url }).first().click();
  await waitFor(async () => {
    await page.reload();
    return (await page.getByRole('main').innerText()).includes('payment.succeeded');
  });
}

function isGenuine(webhook: Parameters<typeof expectGenuine>[0], secret: string): boolean {
  try {
    expectGenuine(webhook, secret);
    return true;
  } catch {
    // Another merchant's.
    return false;
  }
}

async function passIdentityCheck(page: Page, username: string): Promise<void> {
  await page
    .getByRole('group', { name: 'Environment' })
    .getByRole('button', { name: 'Live' })
    .click();
  await open(page, '/keys');
  await page.getByRole('main').getByRole('link', { name: 'To the identity check' }).click();
  await heading(page, /Profile|Identity/);
  await page.fill('[name=legal_name]', 'Awa Diop');
  await page.fill('[name=birth_date]', '1990-01-31');
  await page.fill('[name=address]', '12 rue Carnot, Dakar');
  await page.fill('[name=document_number]', 'SN1234567');
  await press(page, 'Send for checking');
  await page.getByText('Waiting').first().waitFor();

  const { page: desk } = await openPage();
  await signInOperator(desk);
  await open(desk, '/operators/identity-checks');
  const waiting = desk.getByRole('row').filter({ hasText: username });
  await waiting.getByRole('link', { name: 'Decide' }).click();
  await press(desk, 'Approve');
  await desk
    .getByRole('main')
    .getByText(/approved/i)
    .first()
    .waitFor();
}

async function signInOperator(page: Page): Promise<void> {
  const { username } = await buildUser(api.database.db, { password: PASSWORD });
  await api.database.owner.raw(
    `update logins set is_operator = true where lower(email) = ?`,
    `${username}@example.com`,
  );
  await open(page, '/sign-in');
  await page.fill('[name=username]', username);
  await page.fill('[name=password]', PASSWORD);
  await press(page, 'Sign in');
  await heading(page, 'Overview');
}

async function tryLiveKeys(page: Page): Promise<void> {
  await open(page, '/keys/new');
  await page.fill('[name=name]', 'shop server');
  await press(page, 'Create a key');
  const first = await shownSecret(page);
  const call = async (key: string) => (await callApi(api.service, 'GET', '/me', { key })).status;
  expect(await call(first)).toBe(200);

  await page.getByRole('main').getByRole('link', { name: 'Rotate', exact: true }).first().click();
  await press(page, 'Rotate now');
  const second = await shownSecret(page);
  expect([await call(first), await call(second)]).toEqual([401, 200]);

  await page.getByRole('main').getByRole('link', { name: 'Revoke', exact: true }).first().click();
  await press(page, 'Revoke now');
  expect(await call(second)).toBe(401);
}
