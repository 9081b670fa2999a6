// People's other days in a real browser: a forgotten password, a second factor, a colleague who may not,
// and an operator at work.

import type { Page } from 'playwright-core';
import { Secret, TOTP } from 'otpauth';
import { startTestApi, type TestApi } from '../support/api';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { describeInBrowser, openPage } from '../pages/browser';
import { PASSWORD } from './accounts';
import { linkIn, mailsTo } from './mails';

const NEW_PASSWORD = 'another four quiet words';

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

  it('a forgotten password is replaced by the link in a mail', async () => {
    const person = await buildPerson();
    const { page } = await openPage();
    await open(page, '/sign-in');
    await page.getByRole('link', { name: 'Forgotten your password?' }).click();
    await page.fill('[name=email]', person.email);
    await press(page, 'Send the link');
    const mail = await waitFor(async () => (await mailsTo(api.database, person.email))[0]);
    await page.goto(api.service.origin + linkIn(mail!));
    await page.fill('[name=password]', NEW_PASSWORD);
    await press(page, 'Set the password');
    await heading(page, 'Sign in');
    await fillSignIn(page, person);
    await page.getByText('These do not belong together.').waitFor();
    await fillSignIn(page, person, NEW_PASSWORD);
    await heading(page, 'Overview');
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

  it('a colleague sees what the owner sees, without what only the owner may do', async () => {
    const owner = await buildPerson();
    const { page } = await openPage();
    await fillSignIn(page, owner);
    await heading(page, 'Overview');
    await open(page, '/team');
    const address = `colleague-of-${owner.username}@example.com`;
    await page.fill('[name=email]', address);
    await page.selectOption('[name=role]', 'viewer');
    await page.getByRole('main').locator('form[action$="/team/invite"] button').click();
    await page.getByText(address).first().waitFor();

    const { page: theirs } = await openPage();
    const mail = await waitFor(async () => (await mailsTo(api.database, address))[0]);
    await theirs.goto(api.service.origin + linkIn(mail!));
    await theirs.fill('[name=password]', NEW_PASSWORD);
    await theirs.getByRole('main').locator('form.card button, form button').last().click();
    await open(theirs, '/wallets');
    await heading(theirs, 'Wallets');
    expect(await theirs.getByRole('link', { name: 'Send money' }).count()).toBe(0);
    const refused = await open(theirs, '/keys/new');
    expect(refused!.status()).toBe(403);
    await heading(theirs, 'Not allowed');
  });

  it('an operator finds an account, freezes it, and reads in the audit log that it was done', async () => {
    const [operator, merchant] = [await buildPerson(), await buildPerson()];
    await api.database.owner.raw('update logins set is_operator = true where email = ?', [
      operator.email,
    ]);
    const { page } = await openPage();
    await fillSignIn(page, operator);
    await open(page, '/operators/accounts');
    await page.fill('[name=search]', merchant.username);
    await press(page, 'Find');
    await page.getByRole('main').getByRole('link', { name: merchant.username }).first().click();
    await page.fill('[name=reason]', 'reported as stolen');
    await press(page, 'Freeze');
    await page.getByText('reported as stolen').first().waitFor();
    await open(page, '/operators/audit');
    const row = page.getByRole('row').filter({ hasText: merchant.username }).first();
    expect(await row.innerText()).toContain('users.freeze');

    const { page: theirs } = await openPage();
    await fillSignIn(theirs, merchant);
    await theirs.getByText('This account is frozen').waitFor();
  });
});
