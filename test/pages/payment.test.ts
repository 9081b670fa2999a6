// The whole way of a payment, as its three people see it: a merchant makes a link by the API, a customer opens it on a
// phone, pays at the gateway, keeps the receipt and is back at the shop, and the merchant finds the money.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withResolvers } from '../../domain/promises';
import { setLogo, setPublicProfile } from '../../db/accounts/public-profiles';
import { readLogo } from '../../use-cases/logos';
import { postRefund, untilRefund } from '../api/support/refunds';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { closeAfterFile } from '../support/cleanup';
import { startTestApi, type TestApi } from '../support/api';
import { buildPng } from '../support/pictures';
import { waitFor } from '../support/wait';
import {
  describeInBrowser,
  expectReadable,
  keepScreenshot,
  openPage,
  PHONE,
  WITH_AND_WITHOUT,
} from './browser';

let api: TestApi;
let shop: string;
/** In each test the shop answers only from then on: until then the page before it stays. */
let openShop: () => void;
let shop_is_open: Promise<void>;

beforeEach(() => {
  ({ promise: shop_is_open, resolve: openShop } = withResolvers());
});

beforeAll(async () => {
  api = await startTestApi();
  const head = '<link rel="icon" href="data:,"><title>Shop</title>';
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    const page = `<!doctype html><html lang="en">${head}<h1>The shop</h1></html>`;
    void shop_is_open.then(() => response.end(page));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

/** A link of the shop, opened in a browser that has gone as far as the gateway's page unless the path says otherwise. */
async function begin(options: Parameters<typeof openPage>[0] = {}, query = '') {
  const { status, json } = await api.create({
    description: 'Order 1042',
    return_url: `${shop}/thanks?order=1042#paid`,
    cancel_url: `${shop}/basket`,
  });
  expect(status).toBe(201);
  const opened = await openPage(options);
  await opened.page.goto(json.pay_url + query);
  return { ...opened, intent: json };
}

type Begun = Awaited<ReturnType<typeof begin>>;

async function toGateway({ page, intent }: Begun): Promise<void> {
  await page.click('form[action*="/pay"] button');
  await page.waitForURL(intent.checkout_url);
}

async function pay(begun: Begun): Promise<void> {
  await toGateway(begun);
  await begun.page.locator('button.pay').click();
  await begun.page.waitForURL(`${begun.intent.pay_url}**`);
}

describeInBrowser('a payment', () => {
  it.each(WITH_AND_WITHOUT)('goes from the link to the wallet, %s', async (how, script) => {
    const { db } = api.database;
    const balance = () => balanceOf(db, api.merchant, 'XOF', 'sandbox');
    const before = await balance();
    const begun = await begin({ ...PHONE, javaScriptEnabled: script });
    const { page, intent, problems } = begun;
    await page.getByRole('button', { name: /^Payer 5\s000\sFCFA$/ }).waitFor();
    await pay(begun);
    // The customer presses nothing more.
    await page.getByRole('heading', { name: 'Merci' }).waitFor();
    expect(await page.locator('form button').count()).toBe(0);
    await page.getByRole('link', { name: 'Reçu' }).click();
    await page.waitForURL(`${intent.pay_url}/receipt`);
    await page.getByText('Reçu délivré par').waitFor();
    const printing = page.getByRole('button', { name: 'Imprimer' });
    expect(await printing.count()).toBe(script ? 1 : 0);
    await keepScreenshot(page, `way-french-receipt-${how}`);
    await page.getByRole('link', { name: 'Revenir au paiement' }).click();
    await page.waitForURL(`${intent.pay_url}?stay=1`);
    openShop();
    await page.getByRole('link', { name: /^Revenir à/ }).click();
    await page.waitForURL(`${shop}/thanks?**`);
    const shown = await waitFor(async () => {
      const { json } = await api.show(intent.id);
      return json.status === 'succeeded' && json;
    });
    expect(shown.transaction_id).not.toBeNull();
    expect(await balance()).toBe(before + 500_000n);
    await expectBooksHold(db);
    expect(problems).toEqual([]);
  });

  it('says where the customer goes, who is back there by itself', async () => {
    const begun = await begin();
    const { page, intent, problems } = begun;
    const { host } = new URL(shop);
    await page.getByText(`After you have paid, you go back to ${host}.`).waitFor();
    await pay(begun);
    await page.getByText(`You go back to ${host} in a moment.`).waitFor();
    openShop();
    await page.waitForURL(
      `${shop}/thanks?order=1042&payment_intent=${intent.id}&reference=${intent.reference}&status=succeeded#paid`,
    );
    // The page is not in the way of who goes back from the shop.
    await page.goBack();
    await page.waitForURL(intent.checkout_url);
    expect(problems).toEqual([]);
  });

  it('leads nowhere by itself after choosing to stay, or to pay after all', async () => {
    const begun = await begin({}, '?gave_up=1');
    const { page, intent } = begun;
    await page.clock.install();
    await page.getByRole('link', { name: 'Pay after all' }).click();
    await pay(begun);
    await page.getByRole('link', { name: 'Stay on this page' }).click();
    await page.waitForURL(`${intent.pay_url}?stay=1`);
    await page.clock.runFor(600_000);
    expect(page.url()).toBe(`${intent.pay_url}?stay=1`);
    openShop();
    await page.getByRole('link', { name: /^Back to/ }).click();
    await page.waitForURL(`${shop}/thanks?**`);
  });

  it('tells the shop nothing of the link', async () => {
    const { page } = await begin();
    openShop();
    const asked = page.waitForRequest((request) => request.url().startsWith(shop));
    await page.getByRole('link', { name: /^Cancel, and go back/ }).click();
    expect((await asked).headers()['referer']).toBeUndefined();
  });

  it('has pages that everyone can read, whatever they see and use', async () => {
    const { db } = api.database;
    const contact = 'awa@example.com, +221 77 123 45 67';
    await setPublicProfile(db, api.merchant.id, { display_name: 'Atelier Awa', contact });
    const picture = buildPng(256, 96, (x) => [x, 107, 80, 255]);
    const logo = await readLogo('test', picture);
    await setLogo(db, api.merchant.id, logo.ok ? logo.image : null);
    const begun = await begin(PHONE);
    const { page, intent, problems } = begun;
    await page.clock.install();
    await page.reload();
    await expectReadable(page, 'way-back-open');
    const width = await page.evaluate<number>('document.querySelector("img.logo").naturalWidth');
    expect(width).toBe(256);
    await page.goto(`${intent.pay_url}?gave_up=1`);
    await expectReadable(page, 'way-back-gave-up');
    await page.goto(intent.checkout_url);
    await expectReadable(page, 'way-back-checkout');
    await page.locator('button.pay').click();
    await page.getByRole('heading', { name: 'Merci' }).waitFor();
    for (const amount of [2000, 500]) {
      await untilRefund(api, (await postRefund(api, intent.id, { amount })).json, 'succeeded');
    }
    await page.goto(intent.pay_url);
    await expectReadable(page, 'way-back-paid');
    await page.getByRole('link', { name: 'Reçu' }).click();
    await page.waitForURL(/receipt/);
    expect(await page.locator('time').first().textContent()).not.toBe('');
    await expectReadable(page, 'way-back-receipt');
    await page.emulateMedia({ media: 'print' });
    await keepScreenshot(page, 'way-back-receipt-print');
    expect(await page.getByRole('button').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
