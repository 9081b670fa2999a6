// A reusable link at a counter: made on a phone, paid by a customer, and seen to be paid.

import { startTestApi, type TestApi } from '../support/api';
import { describeInBrowser, expectReadable, keepScreenshot, openPage } from '../pages/browser';
import { signInOwner } from './accounts';

let api: TestApi;

const PHONE = {
  locale: 'fr-FR',
  viewport: { width: 390, height: 844 },
  timezoneId: 'Europe/Paris',
};

describeInBrowser('a reusable link', () => {
  beforeAll(async () => {
    api = await startTestApi();
  });

  it('is made on a phone, and says by itself that a customer has paid', async () => {
    const { visitor } = await signInOwner(api.service, api.database);
    const { page, problems } = await openPage(PHONE);
    const { origin } = api.service;
    const cookies = [...visitor.cookies];
    await page.context().addCookies(cookies.map(([name, value]) => ({ name, value, url: origin })));
    const press = (name: string) =>
      page.getByRole('main').getByRole('button', { name, exact: true }).click();

    await page.goto(`${origin}/dashboard/reusable-links`);
    await keepScreenshot(page, 'reusable-none');
    await page.getByRole('link', { name: 'Nouveau lien réutilisable' }).click();
    await page.fill('[name=title]', 'Café Touba');
    await page.fill('[name=amount]', '1 500');
    await page.getByText('1 500 FCFA').waitFor();
    await keepScreenshot(page, 'reusable-first-screen');
    await page.getByText('Autres champs').click();
    await page.fill('[name=active_until]', '2099-07-01T12:00');
    await page.fill('[name=quantity_maximum]', '10');
    await page.fill('[name=question_1]', 'Numéro de table');
    await page.check('[name=question_1_required]');
    await expectReadable(page, 'reusable-form');
    await page.setViewportSize(PHONE.viewport);
    await press('Créer le lien');
    await page.getByRole('heading', { level: 1, name: 'Café Touba' }).waitFor();
    await page.getByText('Mise à jour automatique.').waitFor();
    // Typed in the time of Paris, and shown so.
    await page.getByText('1 juil. 2099, 12:00').waitFor();
    expect(await page.locator('time', { hasText: '2099' }).getAttribute('datetime')).toContain(
      'T10:00',
    );
    const url = (await page.locator('.copyable code').innerText()).trim();
    const sms = await page.getByRole('link', { name: 'SMS' }).getAttribute('href');
    expect(new URL(sms!).searchParams.get('body')!.replace(/\s/g, ' ')).toMatch(
      new RegExp(`payer 1 500 FCFA à .* \\(Café Touba\\) : ${url}$`),
    );

    const list = await page.context().newPage();
    await list.goto(`${origin}/dashboard/reusable-links`);
    await list.getByText('0 paiement', { exact: true }).waitFor();
    await list.getByText('Mise à jour automatique.').waitFor();
    const { page: customer } = await openPage(PHONE);
    await customer.goto(url);
    await customer.fill('[name=quantity]', '2');
    await customer.fill('[name=collect_numero_de_table]', '12');
    await customer.click('form.order button');
    await customer.waitForURL('**/p/**');
    await customer.click('form button');
    await customer.locator('button.pay').click();

    await page.getByText('1 paiement', { exact: true }).waitFor();
    await list.getByText('1 paiement', { exact: true }).waitFor();
    const row = page.locator('tbody tr', { hasText: 'Numéro de table : 12' });
    await row.getByText('Payé').waitFor();
    expect(await page.locator('[data-live-part=state]').innerText()).toMatch(/3\s000\sFCFA Actif/);
    await expectReadable(page, 'reusable-paid');
    await page.setViewportSize(PHONE.viewport);
    await row.scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'reusable-payments');
    await row.getByRole('link').click();
    await page.getByRole('link', { name: 'Café Touba' }).click();
    await page.getByText('Désactiver').waitFor();
    expect(problems).toEqual([]);
  });
});
