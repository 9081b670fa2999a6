// The whole way of a payment, as its three people see it: a merchant makes a link by the API, a
// customer opens it, pays at the gateway and is told so, and the merchant finds the money.

import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { startTestApi, type TestApi } from '../support/api';
import { waitFor } from '../support/wait';
import { describeInBrowser, openPage } from './browser';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

describeInBrowser('a payment', () => {
  it.each([
    ['with a script', true],
    ['without one', false],
  ])('goes from the link to the wallet, %s', async (_, javaScriptEnabled) => {
    const { database, merchant } = api;
    const before = await balanceOf(database.db, merchant, 'EUR', 'sandbox');
    const { json: intent } = await api.create({
      amount: 49.9,
      currency: 'EUR',
      description: 'Two books',
    });
    const { page, problems } = await openPage({ javaScriptEnabled });
    await page.goto(intent.pay_url);
    await page.getByText('Two books').waitFor();
    await page.click('form button');
    await page.waitForURL(intent.checkout_url);
    await page.locator('button.pay').click();
    await page.waitForURL(`${intent.pay_url}**`);
    // The customer presses nothing more.
    await page.getByRole('heading', { name: /paid|thank/i }).waitFor();
    expect(await page.locator('form button').count()).toBe(0);
    const shown = await waitFor(async () => {
      const { json } = await api.show(intent.id);
      return json.status === 'succeeded' && json;
    });
    expect(shown.transaction_id).not.toBeNull();
    expect(await balanceOf(database.db, merchant, 'EUR', 'sandbox')).toBe(before + 4_990n);
    await expectBooksHold(database.db);
    expect(problems).toEqual([]);
  });

  it.each([
    ['with a script', true],
    ['without one', false],
  ])('that goes well after a refusal is never called failed, %s', async (_, javaScriptEnabled) => {
    const { json: intent } = await api.create({ amount: 12, currency: 'EUR' });
    const { page, problems } = await openPage({ javaScriptEnabled });
    await page.goto(intent.pay_url);
    await page.click('form button');
    await page
      .getByRole('button', { name: /^Decline/ })
      .first()
      .click();
    await page.waitForURL(`${intent.pay_url}**`);
    await waitFor(async () => (await api.show(intent.id)).json.last_payment_error !== null);
    // A page without a script that came before the notification shows it when it is loaded again.
    if (!javaScriptEnabled) await page.reload();
    await page.getByText('did not go through').waitFor();
    await page.click('form button');
    await page.waitForURL(intent.checkout_url);
    await page.locator('button.pay').click();
    await page.waitForURL(`${intent.pay_url}**`);
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('is refused kindly at a link that was cancelled', async () => {
    const { json: intent } = await api.create();
    // A page with a script would hear of it before the click.
    const { page } = await openPage({ javaScriptEnabled: false });
    await page.goto(intent.pay_url);
    await api.cancel(intent.id);
    await page.click('form button');
    await page.getByRole('heading', { name: /cancel/i }).waitFor();
    expect(await page.locator('form button').count()).toBe(0);
  });
});
