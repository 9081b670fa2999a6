// A customer pays by phone, in a real browser against the simulated operators: each of the four steps, with a script
// and without one, and what is left when it fails.

import type { Locator, Page } from 'playwright-core';
import { startTestApi, type TestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { waitFor } from '../support/wait';
import {
  describeInBrowser,
  expectReadable,
  openPage,
  PHONE,
  plain,
  sidewaysScroll,
} from './browser';

/** On these the customer presses the phone's buttons. */
const PHONES = {
  prompt: '+221760000013',
  dial: '+2250100000013',
  otp: '+221770000013',
  redirect: '+221770010013',
} as const;
type Step = keyof typeof PHONES;

const HEADINGS: Readonly<Record<Step, string>> = {
  prompt: 'Confirm on your phone',
  dial: 'Dial this code',
  otp: 'Get your one-time code',
  redirect: 'Continue with your operator',
};

/** The heading, what to do, and with what. */
const FRENCH: Readonly<Record<Step, readonly string[]>> = {
  prompt: [
    'Confirmez sur votre téléphone',
    'Une demande de paiement Mixx by Yas arrive sur votre téléphone.',
  ],
  dial: ['Composez ce code', 'Composez *155# sur votre téléphone.', '*155#'],
  otp: ['Obtenez votre code à usage unique', 'Saisissez ce code.', '#144*391#'],
  redirect: [
    'Continuez chez votre opérateur',
    'Continuez sur la page de Wave pour payer.',
    'Continuer avec Wave',
  ],
};

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

/** The simulated gateway is in the place of a live one as well. */
async function openLink(page: Page, key = api.live_key): Promise<void> {
  const { json } = await api.create({ description: 'Order 1042' }, { key });
  await page.goto(json.pay_url);
  // A gateway that is slow to name its operators leaves the form out.
  await waitFor(async () => {
    const has_form = (await page.locator('[name=phone]').count()) > 0;
    if (!has_form) await page.reload();
    return has_form;
  });
}

/** The number as people write it at home. */
const local = (step: Step): string => PHONES[step].replace('+221', '').replace('+225', '+225 ');

async function begin(page: Page, step: Step): Promise<void> {
  await page.getByLabel('Phone number').fill(local(step));
  if (step === 'redirect') await page.getByLabel('Wave', { exact: true }).first().check();
  await page.getByRole('button', { name: /^Pay .*FCFA$/ }).click();
  await page.getByRole('heading', { name: HEADINGS[step] }).waitFor();
}

/** Another visitor who has the link, with a phone in French. */
async function expectFrench(step: Step, url: string, javaScriptEnabled: boolean): Promise<void> {
  const { page, problems } = await openPage({ ...PHONE, javaScriptEnabled });
  await page.goto(url);
  for (const text of FRENCH[step]) await page.getByText(text, { exact: true }).waitFor();
  expect(await page.locator('h1').innerText()).toBe(FRENCH[step][0]);
  expect(await sidewaysScroll(page)).toBe(0);
  if (javaScriptEnabled) await expectReadable(page, `phones-${step}`);
  expect(problems).toEqual([]);
  await page.close();
}

async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('One-time code').fill(code);
  await page.getByRole('button', { name: 'Confirm the payment' }).click();
}

async function confirm(page: Page, step: Step): Promise<void> {
  if (step === 'redirect') {
    await page.getByRole('link', { name: 'Continue with Wave' }).click();
    await page.getByRole('button', { name: /^Pay/ }).click();
    return;
  }
  if (step === 'otp') {
    await typeCode(page, '123 456');
    await page.getByRole('heading', { name: HEADINGS.otp }).waitFor({ state: 'detached' });
  }
  const phone = await page.context().newPage();
  await phone.goto(`${api.gateway.url}/phones/${PHONES[step]}`);
  await phone.getByRole('button', { name: 'Confirm with the PIN' }).click();
  await phone.getByRole('button', { name: 'Confirm with the PIN' }).waitFor({ state: 'detached' });
}

describeInBrowser('a customer', () => {
  it.each([
    ['prompt', true],
    ['dial', false],
    ['otp', true],
    ['redirect', true],
  ] as const)(
    'pays by phone (%s, with a script: %s), and the page says so by itself',
    async (step, javaScriptEnabled) => {
      const { page, problems } = await openPage({ javaScriptEnabled });
      await openLink(page);
      await begin(page, step);
      await page.getByText(PHONES[step].slice(-2)).first().waitFor();
      // Others who have the link see the page, and learn no number from it.
      expect((await page.content()).includes(PHONES[step].slice(-6))).toBe(false);
      await expectFrench(step, page.url(), javaScriptEnabled);
      await confirm(page, step);
      await page.getByRole('heading', { name: 'Thank you' }).waitFor();
      expect(problems).toEqual([]);
      await expectBooksHold(api.database.db);
    },
  );

  it('is proposed the operator of the number until they choose one', async () => {
    const { page } = await openPage();
    await openLink(page);
    const phone = page.getByLabel('Phone number');
    const chosen = () =>
      page.evaluate<string>(`document.querySelector('[name=operator]:checked')?.value ?? ''`);
    await phone.pressSequentially('7');
    expect(await chosen()).toBe('');
    await phone.pressSequentially('0 ');
    expect(await chosen()).toBe('expresso_sn');
    await phone.fill('+225 05');
    expect(await chosen()).toBe('mtn_ci');
    expect(await page.locator('details').getAttribute('open')).not.toBeNull();
    await page.getByLabel('Wave', { exact: true }).first().check();
    await phone.fill('77');
    expect(await chosen()).toBe('wave_sn');
  });

  it('asks their operator with three taps: the tile, the number, the button', async () => {
    const { page } = await openPage({ ...PHONE, hasTouch: true });
    await openLink(page, api.test_key);
    const tiles = await page.locator('.operators > .choices label').allInnerTexts();
    expect(tiles.map(plain)).toEqual(['Wave', 'Orange Money', 'Mixx by Yas', 'Expresso']);
    await expectReadable(page, 'phones-form');
    let taps = 0;
    const tap = async (one: Locator): Promise<void> => {
      taps += 1;
      await one.tap();
    };
    await tap(page.getByLabel('Wave', { exact: true }).first());
    await tap(page.getByLabel('Numéro de téléphone'));
    await page.keyboard.type('77 002 00 13');
    await tap(page.getByRole('button', { name: /^Payer .*FCFA$/ }));
    await page.getByRole('heading', { name: 'Continuez chez votre opérateur' }).waitFor();
    expect(taps).toBe(3);
  });

  // A confirmation the old way as well: test/db/payment-attempts.test.ts.
  it('changes the way to pay, and pays the other one', async () => {
    const { page, problems } = await openPage(PHONE);
    await openLink(page, api.test_key);
    const begin = async (operator: string, phone: string): Promise<void> => {
      await page.getByLabel(operator, { exact: true }).first().check();
      await page.getByLabel('Numéro de téléphone').fill(phone);
      await page.getByRole('button', { name: /^Payer .*FCFA$/ }).click();
    };
    await begin('Mixx by Yas', '76 003 00 13');
    await page.getByRole('heading', { name: 'Confirmez sur votre téléphone' }).waitFor();
    await page.getByText('ne validez plus la demande de Mixx by Yas').waitFor();
    await expectReadable(page, 'phones-change');
    await page.getByRole('button', { name: 'Changer de moyen de paiement' }).click();
    await begin('Wave', '77 003 00 13');
    await page.getByRole('link', { name: 'Continuer avec Wave' }).click();
    await page.getByRole('button', { name: /^Payer/ }).click();
    await page.getByRole('heading', { name: 'Merci' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('uses it in French on a phone, with a keyboard alone', async () => {
    const { page } = await openPage(PHONE);
    await openLink(page, api.test_key);
    await page.getByLabel('Wave', { exact: true }).first().focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.value')).toBe('orange_sn');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('77 123 45 67');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Obtenez votre code à usage unique' }).waitFor();
  });
});
