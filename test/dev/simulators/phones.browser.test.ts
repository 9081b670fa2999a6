// The simulated phone and the operator's page, as a person sees and presses them.

import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { ChargeOrder, PhonePayments } from '../../../gateway/port';
import {
  describeInBrowser,
  keepScreenshot,
  violationsOf,
  openPage,
  sidewaysScroll,
} from '../../pages/browser';
import { setUp } from '../../support/database';
import { closeAfterFile } from '../../support/cleanup';
import { startNotificationReceiver, startTestGateway } from '../../support/sandbox-gateway';
import { chargeOrder, phonesOf } from '../../support/sandbox-phones';

const running = setUp(async () =>
  startTestGateway({ notification_url: (await startNotificationReceiver()).url }),
);
let phones: PhonePayments;
let return_url: string;

beforeAll(async () => {
  phones = phonesOf(running, 'sandbox');
  const shop = createServer((_request, response) => {
    response
      .setHeader('Content-Type', 'text/html')
      .end('<link rel="icon" href="data:,"><h1>Shop</h1>');
  });
  shop.listen({ host: '127.0.0.1', port: 0 });
  await once(shop, 'listening');
  closeAfterFile(() => {
    shop.closeAllConnections();
    shop.close();
  });
  return_url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/back`;
});

const ask = async (overrides: Partial<ChargeOrder>): Promise<ChargeOrder> => {
  const order = chargeOrder({ merchant_name: 'Atelier Awa & <Fils>', return_url, ...overrides });
  await phones.charge(order);
  return order;
};

const pageOf = async (order: ChargeOrder): Promise<string> => {
  const state = await phones.findCharge(order.id);
  if (state === 'never_seen' || state.status !== 'waiting') throw new Error('It does not wait.');
  return state.next_step!.url!;
};

describeInBrowser('a phone', () => {
  it('asks in French on a phone: declined, expired, and paid too late', async () => {
    const { page, problems } = await openPage({
      viewport: { width: 390, height: 844 },
      locale: 'fr-SN',
    });
    const number = '+2250100000013';
    const first = await ask({ operator: 'moov_ci', phone: number });
    await page.goto(`${running.url}/phones/${number}`);
    await page.getByRole('heading', { name: /^Payer 5\s000\sFCFA$/ }).waitFor();
    // Anybody may open it who knows the number.
    expect(await page.content()).not.toMatch(/Atelier|charges\//);
    await page.getByText('Le client a composé *155# et voit ceci.').waitFor();
    expect([await sidewaysScroll(page), await violationsOf(page)]).toEqual([0, []]);
    await keepScreenshot(page, 'simulated-phone-fr');
    await page.getByRole('button', { name: 'Refuser' }).click();
    await page.getByText('Non payé (NOT_APPROVED)').waitFor();
    expect(await phones.findCharge(first.id)).toMatchObject({ failure: { code: 'not_approved' } });

    const late = await ask({ operator: 'moov_ci', phone: number });
    await page.reload();
    await page.getByRole('button', { name: 'Laisser expirer' }).click();
    await page.getByText('Non payé (EXPIRED)').waitFor();
    expect([await sidewaysScroll(page), await violationsOf(page)]).toEqual([0, []]);
    await keepScreenshot(page, 'simulated-phone-late-fr');
    await page.getByRole('button', { name: 'Saisir quand même le code secret' }).click();
    await page.getByText('Payé', { exact: true }).waitFor();
    expect(await phones.findCharge(late.id)).toMatchObject({ status: 'paid' });
    expect(problems).toEqual([]);
  });

  it('makes a one-time code, and confirms', async () => {
    const { page, problems } = await openPage({ viewport: { width: 1280, height: 800 } });
    const phone = '+221770000013';
    await page.goto(`${running.url}/phones/${phone}`);
    await page.getByRole('heading', { name: 'Nothing waits on this phone.' }).waitFor();
    await page.getByRole('button', { name: 'Dial #144*391#' }).click();
    const made = /Your code\s*(\d{6})/.exec(await page.getByRole('status').innerText())!;
    const order = await ask({ operator: 'orange_sn', phone, otp: made[1]! });
    await page.goto(`${running.url}/phones/${phone}`);
    await keepScreenshot(page, 'simulated-phone-en');
    await page.getByRole('button', { name: 'Confirm with the PIN' }).click();
    await page.getByText('Paid', { exact: true }).waitFor();
    expect(await phones.findCharge(order.id)).toMatchObject({ status: 'paid' });
    expect([await sidewaysScroll(page), await violationsOf(page), problems]).toEqual([0, [], []]);
  });
});

describeInBrowser('the operator’s page', () => {
  it.each([
    ['Pay 5,000 FCFA', 'paid'],
    ['Give up', 'failed'],
  ])('leads back after "%s"', async (button, status) => {
    const { page, problems } = await openPage({ viewport: { width: 1280, height: 800 } });
    const order = await ask({ operator: 'wave_sn', phone: '+221770000013' });
    const url = await pageOf(order);
    await page.goto(url);
    await page.getByText('Pay with Wave').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await keepScreenshot(page, 'operator-page-en');
    await page.getByRole('button', { name: button }).click();
    await page.waitForURL(return_url);
    expect(await phones.findCharge(order.id)).toMatchObject({ status });
    await page.goto(url);
    await page.getByRole('link', { name: 'Go back' }).click();
    await page.waitForURL(return_url);
    expect(problems).toEqual([]);
  });
});

it('answers what is not there, or does not fit, with a page that says so', async () => {
  const press = (path: string, form: Record<string, string>): Promise<Response> =>
    fetch(running.url + path, { method: 'POST', body: new URLSearchParams(form) });
  const order = await ask({ phone: '+221760000013' });
  const other = await ask({ operator: 'wave_sn', phone: '+221770000013' });
  const { pathname } = new URL(await pageOf(other));
  const id = pathname.split('/')[2]!;
  const statuses = [
    await fetch(`${running.url}/phones/77`),
    await fetch(`${running.url}/charges/ch_unknown/page`),
    await press('/charges/ch_unknown/page', { press: 'confirm' }),
    await press(pathname, { press: 'dance' }),
    // The charge of another phone.
    await press(`/phones/${order.phone}`, { press: 'confirm', charge: id }),
    await press(`/phones/${order.phone}`, { press: 'confirm', charge: 'ch_unknown' }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([404, 404, 404, 422, 422, 422]);
  expect(await phones.findCharge(other.id)).toMatchObject({ status: 'waiting' });
  await press(pathname, { press: 'decline' });
  expect((await press(pathname, { press: 'confirm' })).status).toBe(409);
  expect((await press(`/phones/${other.phone}`, { press: 'confirm', charge: id })).status).toBe(
    409,
  );
});
