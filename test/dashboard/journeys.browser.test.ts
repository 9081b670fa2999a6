// A second factor in a real browser.

import type { Page } from 'playwright-core';
import { Secret, TOTP } from 'otpauth';
import { startTestApi, type TestApi } from '../support/api';
import { buildUser, type TestUser } from '../support/users';
import { describeInBrowser, openPage } from '../pages/browser';
import { PASSWORD } from './accounts';

let api: TestApi;

const open = (page: Page, path: string) => page.goto(`${api.service.origin}/dashboard${path}`);
const press = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).click();
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

async function fillSignIn(page: Page, { username }: TestUser, password = PASSWORD): Promise<void> {
  await open(page, '/sign-in');
  await page.fill('[name=username]', username);
  await page.fill('[name=password]', password);
  await press(page, 'Sign in');
}

function buildPerson(): Promise<TestUser> {
  return buildUser(api.database.db, { password: PASSWORD });
}

describeInBrowser('in a browser', () => {
  beforeAll(async () => {
    api = await startTestApi();
  });

  it('a second factor is set up with an app, asked for, and replaced by a recovery code', async () => {
    const person = await buildPerson();
    const { page } = await openPage();
    await fillSignIn(page, person);
    await heading(page, 'Overview');
    await open(page, '/security');
    await press(page, 'Set up an authenticator app');
    await page.locator('svg.qr').waitFor();
    const secret = (await page.locator('.copyable code').innerText()).trim();
    const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    await page.fill('[name=code]', code());
    await press(page, 'Switch on');
    const [recovery] = (await page.locator('.notice .copyable code').innerText())
      .trim()
      .split('\n');
    await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click();

    await fillSignIn(page, person);
    await heading(page, 'Enter your code');
    // Nothing else is open before the code.
    await open(page, '/wallets');
    await heading(page, 'Enter your code');
    await page.fill('[name=code]', '000000');
    await press(page, 'Sign in');
    await page.locator('.fault').waitFor();
    await page.fill('[name=code]', recovery!);
    await press(page, 'Sign in');
    await heading(page, 'Overview');
  });
});
