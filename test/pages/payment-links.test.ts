// The page of a reusable link, as a customer at a counter uses it.

import { randomUUID } from 'node:crypto';
import { startTestApi, type TestApi } from '../support/api';
import { request, type HttpResponse } from '../support/http';
import { waitForStatus } from '../api/support/intents';
import { describeInBrowser, expectReadable, openPage, PHONE, sidewaysScroll } from './browser';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

type Link = HttpResponse['json'];

async function makeLink(body: object): Promise<Link> {
  const options = { key: api.test_key, idempotency_key: randomUUID(), body };
  return (await request(api.service, 'POST', '/payment-links', options)).json;
}

async function paymentsOf({ id }: Link): Promise<Link[]> {
  const path = `/payment-links/${id}/payments`;
  return (await request(api.service, 'GET', path, { key: api.test_key })).json.payment_intents;
}

const COFFEE = { title: 'Café Touba', currency: 'XOF', amount: 500 };
const COLLECT = [
  { key: 'table', label: 'Numéro de table', required: true },
  { key: 'note', label: 'Une remarque' },
];

describeInBrowser('a reusable link', () => {
  it('is paid, without a script: what is wrong is said first', async () => {
    const quantity = { minimum: 1, maximum: 10 };
    const link = await makeLink({ ...COFFEE, quantity, collect: COLLECT });
    const { page, problems } = await openPage({ javaScriptEnabled: false });
    const go = () => page.getByRole('button', { name: 'Continue' }).click();
    await page.goto(link.url);
    await page.getByLabel('Quantity').fill('3');
    await go();
    await page.getByText('Fill in this field.').waitFor();
    // Nothing has to be typed twice.
    expect(await page.getByLabel('Quantity').inputValue()).toBe('3');
    await page.getByLabel('Numéro de table').fill('12');
    await go();
    await page.getByRole('heading', { name: '1,500' }).waitFor();
    await page.getByText('3 × Café Touba').waitFor();
    await page.getByRole('button', { name: 'Bank card' }).click();
    await page.locator('button.pay').click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    const [paid] = await paymentsOf(link);
    await waitForStatus(api, paid, 'succeeded');
    expect(paid).toMatchObject({ quantity: 3, collected: { table: '12', note: null } });
    // The 422 of the first try is in the console.
    expect(problems.filter((problem) => !problem.includes('422'))).toEqual([]);
  });

  const suggestions = [500, 1_000, 2_000, 5_000];
  const open_amount = { minimum: 200, maximum: 50_000, suggestions };

  it.each([
    ['priced', { ...COFFEE, description: 'Servi chaud' }],
    ['open', { title: 'Pourboire', currency: 'XOF', open_amount, collect: COLLECT }],
    ['closed', { title: 'Concert du 3 décembre', currency: 'EUR', amount: 12.5, max_payments: 1 }],
  ])('%s is readable for everyone, in French on a phone', async (name, body) => {
    const link = await makeLink(body);
    if (name === 'closed') {
      const options = { key: api.test_key, body: { active: false } };
      await request(api.service, 'PATCH', `/payment-links/${link.id}`, options);
    }
    const { page } = await openPage(PHONE);
    await page.goto(link.url);
    if (name === 'open') {
      await page.getByRole('button', { name: 'Continuer' }).click();
      await page.getByText('Remplissez ce champ.').waitFor();
    }
    expect(await page.locator('h1').count()).toBe(1);
    await expectReadable(page, `link-${name}`);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await sidewaysScroll(page)).toBe(0);
  });

  it('is paid once by a customer who goes back, and again when asked', async () => {
    const link = await makeLink(COFFEE);
    const { page } = await openPage(PHONE);
    await page.goto(link.url);
    const go = () => page.getByRole('button', { name: 'Continuer' }).click();
    const pays = () => page.getByRole('button', { name: /^Payer 500.FCFA$/ }).waitFor();
    await go();
    await pays();
    const payment = page.url();
    await page.goBack();
    await page.getByRole('heading', { name: 'déjà commencé' }).waitFor();
    await expectReadable(page, 'link-begun');
    await page.getByRole('link', { name: 'Voir ce paiement' }).click();
    await pays();
    expect([page.url(), (await paymentsOf(link)).length]).toEqual([payment, 1]);
    await page.goBack();
    await page.getByRole('button', { name: 'Faire un autre paiement' }).click();
    await go();
    await pays();
    expect([page.url() === payment, (await paymentsOf(link)).length]).toEqual([false, 2]);
  });
});
