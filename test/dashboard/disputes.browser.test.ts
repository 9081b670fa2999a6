// A disputed payment: the customer's bank takes it back at the simulator, and the merchant and the operator see it.

import { noteDisputeNotice } from '../../db/disputes/disputes';
import { startTestApi, type TestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { waitFor } from '../support/wait';
import { describeInBrowser, expectReadable, keepScreenshot, openPage } from '../pages/browser';
import type { Page } from 'playwright-core';
import { signInOwner } from './accounts';
import { signInOperator } from './operators';
import type { Visitor } from './visitor';

let api: TestApi;

const PHONE = { locale: 'fr-FR', viewport: { width: 390, height: 844 } };

async function signedIn(visitor: Visitor, page: Page): Promise<void> {
  const cookies = [...visitor.cookies];
  const url = api.service.origin;
  await page.context().addCookies(cookies.map(([name, value]) => ({ name, value, url })));
}

describeInBrowser('a disputed payment', () => {
  beforeAll(async () => {
    api = await startTestApi();
  });

  afterEach(async () => {
    await expectBooksHold(api.database.db);
  });

  it('is shown to its merchant until it is lost, and to operators', async () => {
    const { visitor, user } = await signInOwner(api.service, api.database);
    const { page, problems } = await openPage(PHONE);
    await signedIn(visitor, page);
    const { origin } = api.service;
    const main = page.getByRole('main');

    await page.goto(`${origin}/dashboard/disputes`);
    await main.getByText('Aucun paiement n’est contesté.').waitFor();
    await page.goto(`${origin}/dashboard/links/new`);
    await page.fill('[name=amount]', '5 000');
    await main.getByRole('button', { name: 'Créer le lien', exact: true }).click();
    const pay_url = (await page.locator('.copyable code').first().innerText()).trim();
    const link_url = page.url();

    const { page: bank } = await openPage(PHONE);
    await bank.goto(pay_url);
    await bank.click('form button');
    const checkout = await bank.waitForURL('**/checkout/**').then(() => bank.url());
    await bank.locator('button.pay').click();
    await page.getByText('Mise à jour automatique.').waitFor();
    const refund = main.getByRole('link', { name: 'Rembourser' });
    await refund.waitFor();
    await bank.goto(checkout);
    await keepScreenshot(bank, 'dispute-bank');
    await bank.getByRole('button', { name: 'Contester ce paiement' }).click();

    // It appears by itself.
    await main.getByText('La marchandise n’est pas arrivée').waitFor();
    expect(await refund.count()).toBe(0);
    await expectReadable(page, 'dispute-open');
    await page.setViewportSize(PHONE.viewport);
    await main.getByRole('heading', { name: 'Litiges' }).scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'dispute-section');
    await page.goto(`${origin}/dashboard/`);
    const attention = main.locator('.attention');
    await attention.getByText('1 paiement est contesté.').waitFor();
    await attention.getByRole('link', { name: 'Litiges' }).click();
    await main.getByText('En cours').waitFor();
    await expectReadable(page, 'dispute-list');

    await bank.getByRole('button', { name: 'Trancher pour le client' }).click();
    await waitFor(async () => {
      await page.goto(link_url);
      return (await main.innerText()).includes('Perdu');
    });
    expect(await main.innerText()).toMatch(/Reste dû.*10\s000\sFCFA/);
    expect(await main.innerText()).toMatch(/Le litige de 5\s000\sFCFA est perdu/);
    await main.getByText('Perdu', { exact: true }).scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'dispute-lost');

    const { page: english } = await openPage();
    await signedIn(visitor, english);
    await english.goto(`${origin}/dashboard/transactions?lang=en`);
    await english.getByText('The goods did not arrive').waitFor();
    await keepScreenshot(english, 'dispute-history');
    await english.goto(`${link_url}?lang=en`);
    await english.getByText('10,000 FCFA still owed').waitFor();
    await expectReadable(english, 'dispute-english');

    await noteDisputeNotice(api.database.db, 'sandbox', {
      environment: 'sandbox',
      dispute_id: 'dp_nobody',
    });
    const operator = await signInOperator(api.service, api.database);
    const { page: desk, problems: faults } = await openPage();
    await signedIn(operator.visitor, desk);
    await waitFor(async () => {
      await desk.goto(`${origin}/dashboard/operators/disputes`);
      return (await desk.getByRole('main').innerText()).includes('dp_nobody');
    });
    const row = desk.locator('tbody tr', { hasText: user.username });
    expect(await row.innerText()).toMatch(/Lost[^]*still owed/);
    await expectReadable(desk, 'dispute-operators');
    // The simulator knows none of that id, which may pass: only what was answered is an operator's to settle.
    const button = desk.getByRole('button', { name: 'It is settled' });
    expect(await button.count()).toBe(0);
    await api.database.owner('dispute_notices').where({ dispute_id: 'dp_nobody' }).update({
      problem: 'unknown_payment',
      next_try_at: 'infinity',
      // An answer that is under way is out of date.
      asks: 100,
    });
    await desk.reload();
    await desk.getByLabel('What was done').fill('Not one of ours');
    await button.click();
    await desk.getByText('The dispute is off the list.').waitFor();
    expect(await desk.getByRole('main').innerText()).not.toContain('dp_nobody');
    expect([problems, faults]).toEqual([[], []]);
  });
});
