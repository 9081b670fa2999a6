// The page of a reusable link, as a customer at a counter uses it.

import { randomUUID } from 'node:crypto';
import { startTestApi, type TestApi } from '../support/api';
import { request } from '../support/http';
import { waitForStatus } from '../api/support/intents';
import {
  describeInBrowser,
  expectReadable,
  keepScreenshot,
  openPage,
  sidewaysScroll,
} from './browser';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

async function makeLink(body: object) {
  const { json } = await request(api.service, 'POST', '/payment-links', {
    key: api.test_key,
    idempotency_key: randomUUID(),
    body,
  });
  return json;
}

const COLLECT = [
  { key: 'table', label: 'Numéro de table', required: true },
  { key: 'note', label: 'Une remarque' },
];

describeInBrowser('a reusable link', () => {
  it.each([
    ['with a script', true],
    ['without one', false],
  ])('is paid, %s: what is wrong is said first', async (_, javaScriptEnabled) => {
    const link = await makeLink({
      title: 'Café Touba',
      currency: 'XOF',
      amount: 500,
      quantity: { minimum: 1, maximum: 10 },
      collect: COLLECT,
    });
    const { page, problems } = await openPage({ javaScriptEnabled });
    await page.goto(link.url);
    await page.getByLabel('Quantity').fill('3');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Fill in this field.').waitFor();
    // Nothing has to be typed twice.
    expect(await page.getByLabel('Quantity').inputValue()).toBe('3');
    await page.getByLabel('Numéro de table').fill('12');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: '1,500' }).waitFor();
    await page.getByText('3 × Café Touba').waitFor();
    await page.getByRole('button', { name: /^Pay .*FCFA$/ }).click();
    await page.locator('button.pay').click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    const path = `/payment-links/${link.id}/payments`;
    const { json } = await request(api.service, 'GET', path, { key: api.test_key });
    const [paid] = json.payment_intents;
    await waitForStatus(api, paid, 'succeeded');
    expect(paid).toMatchObject({ quantity: 3, collected: { table: '12', note: null } });
    // The 422 of the first try is in the console.
    expect(problems.filter((problem) => !problem.includes('422'))).toEqual([]);
  });

  it.each([
    ['priced', { title: 'Café Touba', currency: 'XOF', amount: 500, description: 'Servi chaud' }],
    [
      'open',
      {
        title: 'Pourboire de l’équipe',
        currency: 'XOF',
        open_amount: { minimum: 200, maximum: 50_000, suggestions: [500, 1_000, 2_000, 5_000] },
        quantity: undefined,
        collect: COLLECT,
      },
    ],
    ['closed', { title: 'Concert du 3 décembre', currency: 'EUR', amount: 12.5, max_payments: 1 }],
  ])('%s is readable for everyone, in French on a phone too', async (name, body) => {
    const link = await makeLink(body);
    if (name === 'closed') {
      const path = `/payment-links/${link.id}`;
      await request(api.service, 'PATCH', path, { key: api.test_key, body: { active: false } });
    }
    const { page } = await openPage();
    await page.goto(link.url);
    await expectReadable(page, `link-${name}`);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await sidewaysScroll(page)).toBe(0);
    const { page: french } = await openPage({
      locale: 'fr-SN',
      viewport: { width: 390, height: 844 },
    });
    await french.goto(link.url);
    if (name === 'open') {
      await french.getByRole('button', { name: 'Continuer' }).click();
      await french.getByText('Remplissez ce champ.').waitFor();
    }
    expect(await french.locator('h1').count()).toBe(1);
    await keepScreenshot(french, `link-${name}-french`);
    await expectReadable(french, `link-${name}-french-look`);
  });

  it.each([
    ['with a script', true],
    ['without one', false],
  ])('is paid once by a customer who goes back, %s, and again when asked', async (_, script) => {
    const link = await makeLink({ title: 'Café Touba', currency: 'XOF', amount: 500 });
    const { page } = await openPage({
      javaScriptEnabled: script,
      locale: 'fr-SN',
      viewport: { width: 390, height: 844 },
    });
    const made = async (): Promise<number> => {
      const path = `/payment-links/${link.id}/payments`;
      const { json } = await request(api.service, 'GET', path, { key: api.test_key });
      return json.payment_intents.length;
    };
    await page.goto(link.url);
    await page.getByRole('button', { name: 'Continuer' }).click();
    await page.getByRole('button', { name: /^Payer 500.FCFA$/ }).waitFor();
    const payment = page.url();
    await page.goBack();
    await page.getByRole('heading', { name: 'déjà commencé' }).waitFor();
    if (script) {
      await keepScreenshot(page, 'link-begun-french');
      await expectReadable(page, 'link-begun-french-look');
    }
    await page.getByRole('link', { name: 'Voir ce paiement' }).click();
    await page.getByRole('button', { name: /^Payer 500.FCFA$/ }).waitFor();
    expect([page.url(), await made()]).toEqual([payment, 1]);
    await page.goBack();
    await page.getByRole('button', { name: 'Faire un autre paiement' }).click();
    await page.getByRole('button', { name: 'Continuer' }).click();
    await page.getByRole('button', { name: /^Payer 500.FCFA$/ }).waitFor();
    expect([page.url() === payment, await made()]).toEqual([false, 2]);
  });

  it('keeps a suggestion that was chosen, and pays it', async () => {
    const open_amount = { suggestions: [500, 1_000] };
    const link = await makeLink({ title: 'Tip', currency: 'XOF', open_amount });
    const { page, problems } = await openPage();
    await page.goto(`${link.url}?lang=fr`);
    await page.getByLabel('1 000').check();
    await page.getByRole('button', { name: 'Continuer' }).click();
    // The page of the payment keeps the language.
    await page.getByRole('button', { name: /^Payer 1.000.FCFA$/ }).waitFor();
    expect(problems).toEqual([]);
  });
});
