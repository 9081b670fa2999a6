// The reference in a real browser: for everyone, from this origin alone, and able to try calls.

import type { Page } from 'playwright-core';
import { createTestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildApiKey, buildUser } from '../support/users';
import { describeInBrowser, expectReadable, keepScreenshot, openPage } from './browser';

let service: TestService;
const keys = { live: '', sandbox: '' };

async function openReference() {
  const opened = await openPage();
  const hosts = new Set<string>();
  opened.page.on('request', (request) => hosts.add(new URL(request.url()).origin));
  await opened.page.goto(`${service.origin}/docs`);
  await opened.page.getByLabel('Search').waitFor();
  return { ...opened, hosts };
}

const open = (page: Page, operation: string, part: string) =>
  page.locator(`#${operation} summary`, { hasText: part }).click();

/** The answer as the page shows it. */
async function tryWallets(page: Page): Promise<string> {
  await open(page, 'listWallets', 'Try it');
  await page.locator('#listWallets form button').click();
  const answer = page.locator('#listWallets .try pre');
  await answer.getByText(/^\d{3}\n/).waitFor();
  return answer.innerText();
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
    for (const part of ['Body', 'Answer', 'curl', 'Try it'])
      await open(page, 'createTransfer', part);
    await open(page, 'paymentSucceeded', 'Body');
    await expectReadable(page, 'reference');
    await page.locator('#createTransfer').scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'reference-call');
    expect(await page.locator('h1').count()).toBe(1);
    expect([...hosts]).toEqual([service.origin]);
    expect(problems).toEqual([]);
  });

  it('finds calls by the words of their texts, at the side, too', async () => {
    const { page, problems } = await openReference();
    const shown = () => page.locator('article.call:visible').count();
    const all = await shown();
    await page.getByLabel('Search').fill('Wage');
    await page.locator('#listWallets').waitFor({ state: 'hidden' });
    expect(await shown()).toBeLessThan(all);
    for (const id of ['createPayout', 'createPayoutBatch']) {
      expect(await page.locator(`#${id}`).isVisible()).toBe(true);
      expect(await page.locator(`.contents a[href="#${id}"]`).isVisible()).toBe(true);
    }
    // Its answer names a key with the word, and that is not what it is about.
    expect(await page.locator('#getIdempotencyKey').isVisible()).toBe(false);
    await page.getByLabel('Search').fill('nothing has these words');
    await page.getByText(/^0 of \d+ calls/).waitFor();
    await page.getByLabel('Search').fill('');
    await page.locator('#listWallets').waitFor();
    expect(await shown()).toBe(all);
    expect(problems).toEqual([]);
  });

  it('is read without a script, with a list at the side', async () => {
    const { page } = await openPage({ javaScriptEnabled: false });
    await page.goto(`${service.origin}/docs`);
    await page.locator('.contents a', { hasText: 'Pay a phone or a bank account' }).click();
    expect(page.url()).toMatch(/#createPayout$/);
    await page.locator('#createPayout summary', { hasText: 'Python' }).click();
    await page.locator('#createPayout pre:visible', { hasText: 'payouts.create' }).waitFor();
    expect(await page.getByLabel('Search').isVisible()).toBe(false);
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
    await page.getByLabel('Test key').fill(keys.sandbox);
    expect(await tryWallets(page)).toMatch(/^200\n.*"balance":1234.00\b/);
    await expectReadable(page, 'reference-answer', '#listWallets');
    expect(problems).toEqual([]);
  });

  it('has a program for each call, with its own address and the test key that it was given', async () => {
    const { page, problems } = await openReference();
    await open(page, 'listWallets', 'Python');
    const program = page.locator('#listWallets .sample pre:visible');
    expect(await program.innerText()).toContain('PaymentsClient("pay_test_..."');
    await page.getByLabel('Test key').fill(keys.sandbox);
    await program.getByText(keys.sandbox).waitFor();
    expect(await program.innerText()).toContain(`base_url="${service.config.public_url}`);
    await expectReadable(page, 'reference-samples', '#listWallets');
    expect(problems).toEqual([]);
  });

  it('takes no live key, and says why', async () => {
    const { page } = await openReference();
    await page.getByLabel('Test key').fill(keys.live);
    await page.getByText('test keys only').waitFor();
    await expectReadable(page, 'reference-live-key', 'header');
    const sent: (string | undefined)[] = [];
    page.on('request', (request) => sent.push(request.headers()['authorization']));
    expect(await tryWallets(page)).toContain('unauthorized');
    expect(sent).toEqual([undefined]);
  });
});
