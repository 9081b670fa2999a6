// The whole way of a shop's customer: from the shop's basket over the payment link and the gateway back to
// the shop, paid or not.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestApi, type TestApi } from '../support/api';
import { withResolvers } from '../../domain/promises';
import { closeAfterFile } from '../support/cleanup';
import { buildPng } from '../support/pictures';
import { setLogo, setPublicProfile } from '../../db/accounts/public-profiles';
import { readLogo } from '../../use-cases/logos';
import { postRefund, untilRefund } from '../api/support/refunds';
import { describeInBrowser, expectReadable, keepScreenshot, openPage } from './browser';

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
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    const page =
      '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Shop</title><h1>The shop</h1></html>';
    void shop_is_open.then(() => response.end(page));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

async function makeLink(fields: Readonly<Record<string, unknown>> = {}) {
  const { status, json } = await api.create({
    return_url: `${shop}/thanks?order=1042#paid`,
    cancel_url: `${shop}/basket`,
    ...fields,
  });
  expect(status).toBe(201);
  return json;
}

const HOW = [
  ['with a script', true],
  ['without one', false],
] as const;

describeInBrowser('a customer of a shop', () => {
  it.each(HOW)(
    'pays, reads where they go, and is back there by itself, %s',
    async (_, javaScriptEnabled) => {
      const intent = await makeLink();
      const { page, problems } = await openPage({ javaScriptEnabled });
      await page.goto(intent.pay_url);
      const host = new URL(shop).host;
      await page.getByText(`After you have paid, you go back to ${host}.`).waitFor();
      await page.click('form button');
      await page.waitForURL(intent.checkout_url);
      await page.locator('button.pay').click();
      await page.waitForURL(`${intent.pay_url}**`);
      await page.getByText(`You go back to ${host} in a moment.`).waitFor();
      openShop();
      await page.waitForURL(
        `${shop}/thanks?order=1042&payment_intent=${intent.id}&reference=${intent.reference}&status=succeeded#paid`,
      );
      // The page is not in the way of who goes back from the shop.
      if (javaScriptEnabled) {
        await page.goBack();
        await page.waitForURL(intent.checkout_url);
      }
      expect(problems).toEqual([]);
    },
  );

  it.each(HOW)(
    'gives up at the gateway and is back at the basket, %s',
    async (_, javaScriptEnabled) => {
      const intent = await makeLink();
      const { page, problems } = await openPage({ javaScriptEnabled, locale: 'fr-SN' });
      await page.goto(intent.pay_url);
      await page.click('form button');
      await page.waitForURL(intent.checkout_url);
      await page.getByRole('button', { name: 'Revenir plus tard' }).click();
      await page.getByRole('heading', { name: 'Vous n’avez pas payé' }).waitFor();
      openShop();
      await page.waitForURL(
        `${shop}/basket?payment_intent=${intent.id}&reference=${intent.reference}&status=open`,
      );
      expect((await api.show(intent.id)).json.status).toBe('open');
      expect(problems).toEqual([]);
    },
  );

  it('goes nowhere by itself after choosing to stay, or to pay after all', async () => {
    const intent = await makeLink();
    const { page } = await openPage();
    await page.clock.install();
    await page.goto(`${intent.pay_url}?gave_up=1`);
    await page.getByRole('link', { name: 'Pay after all' }).click();
    await page.click('form button');
    await page.waitForURL(intent.checkout_url);
    await page.locator('button.pay').click();
    await page.waitForURL(`${intent.pay_url}**`);
    await page.getByRole('link', { name: 'Stay on this page' }).click();
    await page.waitForURL(`${intent.pay_url}?stay=1`);
    await page.clock.runFor(600_000);
    expect(page.url()).toBe(`${intent.pay_url}?stay=1`);
    openShop();
    await page.getByRole('link', { name: /^Back to/ }).click();
    await page.waitForURL(`${shop}/thanks?**`);
  });

  it.each(HOW)(
    'pays, keeps the receipt, and goes back to the shop, in French on a phone, %s',
    async (how, javaScriptEnabled) => {
      const intent = await makeLink({ description: 'Commande 1042' });
      const viewport = { width: 390, height: 844 };
      const { page, problems } = await openPage({ javaScriptEnabled, locale: 'fr-SN', viewport });
      await page.goto(intent.pay_url);
      await page.getByRole('button', { name: /^Payer 5\s000\sFCFA$/ }).click();
      await page.waitForURL(intent.checkout_url);
      await page.getByRole('heading', { name: /^5\s000\sFCFA$/ }).waitFor();
      await keepScreenshot(page, `way-french-checkout-${how}`);
      await page.locator('button.pay').click();
      await page.getByRole('heading', { name: 'Merci' }).waitFor();
      await page.getByRole('link', { name: 'Reçu' }).click();
      await page.waitForURL(`${intent.pay_url}/receipt`);
      await page.getByText('Reçu délivré par').waitFor();
      expect(await page.getByRole('button', { name: 'Imprimer' }).count()).toBe(
        javaScriptEnabled ? 1 : 0,
      );
      await keepScreenshot(page, `way-french-receipt-${how}`);
      await page.getByRole('link', { name: 'Revenir au paiement' }).click();
      await page.waitForURL(`${intent.pay_url}?stay=1`);
      openShop();
      await page.getByRole('link', { name: /^Revenir à/ }).click();
      await page.waitForURL(`${shop}/thanks?**`);
      expect(problems).toEqual([]);
    },
  );

  it('tells the shop nothing of the link', async () => {
    const intent = await makeLink();
    const { page } = await openPage();
    await page.goto(intent.pay_url);
    openShop();
    const asked = page.waitForRequest((request) => request.url().startsWith(shop));
    await page.getByRole('link', { name: /^Cancel, and go back/ }).click();
    expect((await asked).headers()['referer']).toBeUndefined();
  });

  it('can read every page of the way, whatever they see and use', async () => {
    const { db } = api.database;
    const contact = 'awa@example.com, +221 77 123 45 67';
    await setPublicProfile(db, api.merchant.id, { display_name: 'Atelier Awa', contact });
    const logo = await readLogo(
      'test',
      buildPng(256, 96, (x) => [x, 107, 80, 255]),
    );
    await setLogo(db, api.merchant.id, logo.ok ? logo.image : null);
    const intent = await makeLink({ description: 'Order 1042' });
    const { page, problems } = await openPage();
    await page.clock.install();
    for (const language of ['en', 'fr']) {
      await page.goto(`${intent.pay_url}?lang=${language}`);
      await expectReadable(page, `way-back-open-${language}`);
      const width = await page.evaluate<number>('document.querySelector("img.logo").naturalWidth');
      expect(width).toBe(256);
      await page.goto(`${intent.pay_url}?lang=${language}&gave_up=1`);
      await expectReadable(page, `way-back-gave-up-${language}`);
    }
    await page.goto(intent.checkout_url);
    await expectReadable(page, 'way-back-checkout');
    await page.locator('button.pay').click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    for (const amount of [2000, 500]) {
      await untilRefund(api, (await postRefund(api, intent.id, { amount })).json, 'succeeded');
    }
    for (const language of ['en', 'fr']) {
      await page.goto(`${intent.pay_url}?lang=${language}`);
      await expectReadable(page, `way-back-paid-${language}`);
      await page.getByRole('link', { name: language === 'en' ? 'Receipt' : 'Reçu' }).click();
      await page.waitForURL(/receipt/);
      expect(await page.locator('time').first().textContent()).not.toBe('');
      await expectReadable(page, `way-back-receipt-${language}`);
      await page.emulateMedia({ media: 'print' });
      await keepScreenshot(page, `way-back-receipt-${language}-print`);
      expect(await page.getByRole('button').count()).toBe(0);
      await page.emulateMedia({ media: 'screen' });
    }
    expect(problems).toEqual([]);
  });
});
