// A file of payouts in a real browser: uploaded, its names looked at, confirmed without some, and paid.

import { describeInBrowser, openPage } from '../pages/browser';
import { startTestApi } from '../support/api';
import { balanceOf } from '../support/balances';
import { waitFor } from '../support/wait';
import { signInOwner } from './accounts';

const FILE = `téléphone;nom;devise;montant;motif
221770000100;Awa Diop;XOF;5 000;Salaire
+221 77 000 00 04;Awa Diop;XOF;7 000;
+221 77 000 00 06;Awa Diop;XOF;1 000;
`;

describeInBrowser('a file of payouts', () => {
  it('shows whose names were found, and pays those that were not left out', async () => {
    const api = await startTestApi();
    const { service, database } = api;
    const { user, visitor } = await signInOwner(service, database, {
      funds: { sandbox: { XOF: 10_000_000n } },
    });
    const { page, problems } = await openPage();
    const cookies = [...visitor.cookies].map(([name, value]) => ({
      name,
      value,
      url: service.origin,
    }));
    await page.context().addCookies(cookies);
    await page.goto(`${service.origin}/dashboard/payout-batches/new`);
    await page.setInputFiles('input[type=file]', {
      name: 'salaires.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(FILE),
    });
    await page.getByRole('button', { name: 'Check the file' }).click();
    // The page leads on by itself, or has the link when its check was quicker.
    const confirm = page.getByRole('button', { name: 'Confirm and pay' });
    await confirm.waitFor();
    const main = async (): Promise<string> =>
      (await page.locator('main').innerText()).replace(/\s+/g, ' ');
    expect(await main()).toContain('M*** S*** Another name');
    expect(await page.getByLabel('Another name (1)').isChecked()).toBe(true);
    await confirm.click();
    await page.getByText('Completed').waitFor();
    await page.getByText('Updates by itself.').waitFor({ state: 'detached' });
    // The page is loaded once more when all is over.
    await waitFor(async () => /Payouts 3 Paid 1 Failed 2/.test(await main()));
    expect(await balanceOf(database.db, user, 'XOF', 'sandbox')).toBe(9_500_000n);
    expect(problems).toEqual([]);
  });
});
