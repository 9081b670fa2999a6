// The reference in a real browser: for everyone, from this origin alone, and able to try calls.

import type { Page } from 'playwright-core';
import { createTestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildApiKey, buildUser } from '../support/users';
import { describeInBrowser, expectReadable, openPage } from './browser';

let service: TestService;
const keys = { live: '', sandbox: '' };

async function openReference() {
  const opened = await openPage();
  const hosts = new Set<string>();
  opened.page.on('request', (request) => {
    if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin);
  });
  await opened.page.goto(`${service.origin}/docs`);
  await opened.page.locator(WALLETS).waitFor();
  return { ...opened, hosts };
}

const WALLETS = '#operations-Account-listWallets';

const open = (page: Page, operation: string) =>
  page.locator(`#operations-${operation} button.opblock-summary-control`).first().click();

async function authorize(page: Page, key: string): Promise<void> {
  await page.locator('button.authorize').first().click();
  await page.locator('.modal-ux input').fill(key);
  await page.locator('.modal-ux button.authorize').click();
}

/** The answer as the page shows it. */
async function tryWallets(page: Page): Promise<string> {
  await page.locator('.modal-ux button.btn-done').click();
  await open(page, 'Account-listWallets');
  const block = page.locator(WALLETS);
  await block.locator('button.try-out__btn').click();
  await block.locator('button.execute').click();
  return block.locator('.live-responses-table').innerText();
}

describeInBrowser('the reference', () => {
  beforeAll(async () => {
    const database = await createTestDatabase();
    service = await startTestService({ database });
    const user = await buildUser(database.db, { funds: { sandbox: { XOF: 123_400n } } });
    keys.live = (await buildApiKey(database.db, { user })).key;
    keys.sandbox = (await buildApiKey(database.db, { user, environment: 'sandbox' })).key;
  });

  it('is readable for everyone with a call and a webhook opened, and asks no other host', async () => {
    const { page, problems, hosts } = await openReference();
    await open(page, 'Transfers-createTransfer');
    await open(page, 'webhooks-paymentSucceeded');
    await page.locator('#operations-webhooks-paymentSucceeded .opblock-body').waitFor();
    await expectReadable(page, 'reference');
    // The viewer's title is one too, and is told to be of the second level.
    expect(await page.locator('h1:not([aria-level="2"])').count()).toBe(1);
    expect([...hosts]).toEqual([service.origin]);
    expect(problems).toEqual([]);
  });

  it('finds calls by their words, and says so by name', async () => {
    const { page, problems } = await openReference();
    const shown = () => page.locator('.opblock[id^="operations-"]:not([id*="-webhooks-"])').count();
    const all = await shown();
    await page.getByLabel('Search').fill('Send money back');
    await page.locator(WALLETS).waitFor({ state: 'detached' });
    expect(await shown()).toBeLessThan(all);
    await page.getByLabel('Search').fill('/wallets');
    await page.locator(WALLETS).waitFor();
    expect(await shown()).toBe(1);
    await expectReadable(page, 'reference-search');
    expect(problems).toEqual([]);
  });

  it('has its error codes on a page that is readable for everyone', async () => {
    const { page, problems } = await openPage();
    await page.goto(`${service.origin}/docs/errors#insufficient_funds`);
    await expectReadable(page, 'errors');
    expect(await page.locator('main').count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it('tries a call with a test key', async () => {
    const { page, problems } = await openReference();
    await authorize(page, keys.sandbox);
    expect(await tryWallets(page)).toMatch(/"balance": 1234\b/);
    await expectReadable(page, 'reference-answer', WALLETS);
    expect(problems).toEqual([]);
  });

  it('has a program for each call, with its own address and the test key that it was given', async () => {
    const { page, problems } = await openReference();
    await open(page, 'Account-listWallets');
    const samples = page.locator(`${WALLETS} .samples`);
    await samples.getByRole('button', { name: 'Python' }).click();
    const program = samples.locator('pre');
    expect(await program.innerText()).toContain('PaymentsClient("pay_test_..."');
    await authorize(page, keys.sandbox);
    await page.locator('.modal-ux button.btn-done').click();
    await program.getByText(keys.sandbox).waitFor();
    expect(await program.innerText()).toContain(`base_url="${service.base_url}"`);
    await samples.scrollIntoViewIfNeeded();
    await expectReadable(page, 'reference-samples', WALLETS);
    // The language is chosen for the calls that are opened next, too.
    await open(page, 'Payment_links-createPaymentIntent');
    const next = page.locator('#operations-Payment_links-createPaymentIntent .samples');
    expect(await next.locator('pre').innerText()).toContain('"Two books"');
    expect(problems).toEqual([]);
  });

  it('takes no live key, and says why', async () => {
    const { page } = await openReference();
    await authorize(page, keys.live);
    expect(await page.locator('.modal-ux .errors').innerText()).toContain('test keys only');
    await expectReadable(page, 'reference-live-key', '.modal-ux');
    const sent: (string | undefined)[] = [];
    page.on('request', (request) => sent.push(request.headers()['authorization']));
    expect(await tryWallets(page)).toContain('unauthorized');
    expect(sent).toEqual([undefined]);
  });
});
