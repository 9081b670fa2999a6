// Payouts in a browser: what is seen before the button, and a page that becomes its result by itself.

import type { Page } from 'playwright-core';
import { describeInBrowser, expectReadable, keepScreenshot, openPage } from '../pages/browser';
import type { TestApi } from '../support/api';
import { insist } from '../support/http';
import { signInColleague, signInOwner, type Member } from './accounts';
import { startPayoutApi } from './payouts';
import type { Visitor } from './visitor';

describeInBrowser('payouts in a browser', () => {
  let api: TestApi;
  let owner: Member;

  beforeAll(async () => {
    api = await startPayoutApi();
    owner = await signInOwner(api.service, api.database, {
      funds: { sandbox: { XOF: 100_000_000n } },
    });
  });

  async function openAs(
    { cookies }: Visitor,
    path: string,
    options: Parameters<typeof openPage>[0] = {},
  ): Promise<Page> {
    const { page } = await openPage(options);
    const url = api.service.origin;
    await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url })));
    await page.goto(`${url}/dashboard${path}`);
    return page;
  }

  /** Presses Continue, and again while the operator does not answer in time, which the form then says. */
  async function goOn(page: Page, name = 'Continue'): Promise<void> {
    await insist(async () => {
      const [answer] = await Promise.all([
        page.waitForResponse('**/payouts/check?*'),
        page.getByRole('button', { name }).click(),
      ]);
      return { status: answer.status() };
    });
  }

  it('is checked, sent with two presses of the button, and says by itself that it was paid', async () => {
    const page = await openAs(owner.visitor, '/payouts/new');
    await page.getByLabel('Phone number').fill('+221 77 123 45 67');
    await page.getByLabel('Recipient’s name').fill('Awa Diop');
    await page.getByLabel('Amount').fill('25 000');
    await goOn(page);
    await page.getByRole('heading', { name: 'Check and send' }).waitFor();
    await expectReadable(page, 'payouts-check');
    await page.getByRole('button', { name: /^Send 25,000/ }).dblclick();
    await page.getByText('The payout is ordered.').waitFor();
    await page.getByText('The recipient has the money.').first().waitFor();
    expect(await page.getByRole('link', { name: 'Cancel it' }).count()).toBe(0);
    await expectReadable(page, 'payouts-paid');
    await page.goto(`${api.service.origin}/dashboard/payouts`);
    expect(await page.locator('tbody tr').count()).toBe(1);
  });

  it('shows another name and a fault beside its field, readable for everyone', async () => {
    const page = await openAs(owner.visitor, '/payouts/new');
    await page.getByLabel('Phone number').fill('+221 77 000 00 04');
    await page.getByLabel('Recipient’s name').fill('Awa Diop');
    await page.getByLabel('Amount').fill('25 000');
    await goOn(page);
    await page.getByText('another name than the one').waitFor();
    await expectReadable(page, 'payouts-other-name');
    await page.getByRole('link', { name: 'Change' }).click();
    await page.getByLabel('Phone number').fill('77 000');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.fault').waitFor();
    await expectReadable(page, 'payouts-fault');
  });

  it('waits for a second owner, on a phone in French', async () => {
    const second = await signInColleague(api.service, api.database, owner.user, 'owner');
    await owner.visitor.open('/payouts/settings');
    await owner.visitor.submit('/payouts/settings', { approval_above: '10 000' });
    const french = { locale: 'fr-FR', viewport: { width: 390, height: 844 } };
    const page = await openAs(owner.visitor, '/payouts/new', french);
    await page.getByLabel('Numéro de téléphone').fill('00221 78 765 43 21');
    await page.getByLabel('Montant').fill('15.000 F');
    await keepScreenshot(page, 'payouts-form-fr');
    await goOn(page, 'Continuer');
    await page.getByRole('button', { name: /^Demander l’approbation/ }).click();
    await page.getByText('Vous avez demandé ce versement').waitFor();
    await keepScreenshot(page, 'payouts-waiting-fr');
    const other = await openAs(second, '', french);
    await other.getByRole('link', { name: 'Versements à approuver' }).click();
    await keepScreenshot(other, 'payouts-list-fr');
    await other.locator('tbody a').click();
    await other.getByRole('link', { name: 'Approuver' }).click();
    await keepScreenshot(other, 'payouts-approve-fr');
    await other.getByRole('button', { name: /^Approuver 15/ }).click();
    await other.getByText('Vous avez approuvé ce versement.').waitFor();
    // The page of the person who ordered it says so, without being loaded again.
    await page.getByText('Le bénéficiaire a reçu l’argent.').first().waitFor();
    await keepScreenshot(page, 'payouts-paid-fr');
  });
});
