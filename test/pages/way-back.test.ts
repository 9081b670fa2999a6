// The whole way of a shop's customer: from the shop's basket over the payment link and the gateway back to
// the shop, paid or not.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestApi, type TestApi } from '../support/api';
import { closeAfterFile } from '../support/cleanup';
import { describeInBrowser, expectReadable, openPage } from './browser';

let api: TestApi;
let shop: string;

beforeAll(async () => {
  api = await startTestApi();
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(
      '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Shop</title><h1>The shop</h1></html>',
    );
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
    await page.getByRole('link', { name: /^Back to/ }).click();
    await page.waitForURL(`${shop}/thanks?**`);
  });

  it('tells the shop nothing of the link', async () => {
    const intent = await makeLink();
    const { page } = await openPage();
    await page.goto(intent.pay_url);
    const asked = page.waitForRequest((request) => request.url().startsWith(shop));
    await page.getByRole('link', { name: /^Cancel, and go back/ }).click();
    expect((await asked).headers()['referer']).toBeUndefined();
  });

  it('can read every page of the way, whatever they see and use', async () => {
    const intent = await makeLink({ description: 'Order 1042' });
    const { page } = await openPage();
    await page.clock.install();
    for (const language of ['en', 'fr']) {
      await page.goto(`${intent.pay_url}?lang=${language}`);
      await expectReadable(page, `way-back-open-${language}`);
      await page.goto(`${intent.pay_url}?lang=${language}&gave_up=1`);
      await expectReadable(page, `way-back-gave-up-${language}`);
    }
    await page.goto(intent.checkout_url);
    await expectReadable(page, 'way-back-checkout');
    await page.locator('button.pay').click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    for (const language of ['en', 'fr']) {
      await page.goto(`${intent.pay_url}?lang=${language}`);
      await expectReadable(page, `way-back-paid-${language}`);
    }
  });
});
