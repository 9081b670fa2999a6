// The pages of batches in a real browser: they become by themselves what they are when they are loaded.

import type { Page } from 'playwright-core';
import { checkBatch } from '../../db/transfer-batches/transfer-batches';
import { describeInBrowser, keepScreenshot, openAs, PHONE, plain } from '../pages/browser';
import { waitFor } from '../support/wait';
import { buildBatch } from './batches';
import { useWorld } from './world';

const w = useWorld({
  gateway: {},
  funds: { live: { XOF: 100_000_000n }, sandbox: { XOF: 10_000_000n } },
});

const main = async (page: Page): Promise<string> =>
  plain(await page.locator('main').innerText()).replace(/ +/g, ' ');
const isOver = (page: Page): Promise<void> =>
  page.getByText('Updates by itself.').waitFor({ state: 'detached' });

describeInBrowser('a batch that is under way', () => {
  it('becomes its result by itself: first the button that sends it, then what was sent', async () => {
    await w.show('live');
    const id = await buildBatch(w.database.db, w.user, ['15000000', '12000000'], 'live');
    const { page, problems } = await openAs(w.service, w.visitor, `/batches/${id}`);
    await page.getByText('Updates by itself.').waitFor();
    expect(await page.getByRole('button', { name: /^Send / }).count()).toBe(0);
    await checkBatch(w.database.db, id);

    await page.getByRole('button', { name: 'Send 270,000 FCFA to 2 people' }).click();
    await page.getByRole('heading', { name: 'Batch of transfers' }).waitFor();
    await page.getByText('Completed').waitFor();
    await isOver(page);
    expect(await main(page)).toContain('Refused 0 Not begun 0');
    expect(await main(page)).not.toMatch(/Under way|Stop what|Continue|2 of 2 2 of 2/);
    expect(problems).toEqual([]);
  });
});

const FILE = `téléphone;nom;devise;montant;motif
221770000100;Awa Diop;XOF;5 000;Salaire
+221 77 000 00 04;Awa Diop;XOF;7 000;
+221 77 000 00 06;Awa Diop;XOF;1 000;
`;

describeInBrowser('a file of payouts', () => {
  it('shows whose names were found, and pays those that were not left out', async () => {
    await w.show('sandbox');
    const { page, problems } = await openAs(w.service, w.visitor, '/payout-batches/file');
    const [mimeType, buffer] = ['text/csv', Buffer.from(FILE)];
    await page.setInputFiles('input[type=file]', { name: 'salaires.csv', mimeType, buffer });
    await page.getByRole('button', { name: 'Check the file' }).click();
    // The page leads on by itself, or has the link when its check was quicker.
    const confirm = page.getByRole('button', { name: 'Pay 6,000 FCFA to 2 people' });
    await confirm.waitFor();
    expect(await main(page)).toContain('M*** S*** Another name');
    expect(await page.getByLabel('Another name (1)').isChecked()).toBe(true);
    await confirm.click();
    await page.getByText('Completed').waitFor();
    await isOver(page);
    // The page is loaded once more when all is over.
    await waitFor(async () => /Payouts 3 Paid 1 Failed 2/.test(await main(page)));
    expect(await w.balance()).toBe(9_500_000n);
    expect(problems).toEqual([]);
  });
});

describeInBrowser('ten wages that are typed on a phone', () => {
  it('need no script: rows, more rows, and a button that names the sum and the people', async () => {
    await w.show('sandbox');
    const look = { ...PHONE, javaScriptEnabled: false };
    const { page } = await openAs(w.service, w.visitor, '/payout-batches/new', look);
    await keepScreenshot(page, 'wages-empty');
    const type = async (from: number): Promise<void> => {
      for (let at = from; at < from + 5; at += 1) {
        await page.fill(`#name-${at}`, `Awa Diop ${'abcdefghij'[at]}`);
        await page.fill(`#phone-${at}`, `77 000 01 0${at}`);
        await page.fill(`#amount-${at}`, '5 000');
        await page.selectOption(`#operator-${at}`, at % 2 ? 'wave_sn' : 'orange_sn');
      }
    };
    await type(0);
    await page.getByRole('button', { name: 'Ajouter des personnes' }).click();
    await type(5);
    await page.selectOption('#operator-9', '');
    const check = page.getByRole('button', { name: 'Continuer' });
    await check.click();
    await page.getByText('1 personne est à corriger').waitFor();
    await page.locator('#name-9:focus').waitFor();
    await keepScreenshot(page, 'wages-wrong');
    await page.selectOption('#operator-9', 'wave_sn');
    await check.click();
    const pay = page.getByRole('button', { name: /^Payer 50.000.FCFA à 10 personnes$/ });
    await waitFor(async () => {
      await page.reload();
      return (await pay.count()) > 0;
    });
    expect(await main(page)).toContain('Votre solde après');
    await keepScreenshot(page, 'wages-ready');
  });
});
