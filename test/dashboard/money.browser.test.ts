// Money that is sent in a real browser: one press more or going Back sends nothing and shows what was sent, a session that
// ended in between, and a second owner who approves.

import type { BrowserContextOptions, Page } from 'playwright-core';
import {
  describeInBrowser,
  fillIn,
  keepScreenshot,
  openAs,
  PHONE,
  WITH_AND_WITHOUT,
} from '../pages/browser';
import { insist } from '../support/http';
import { payIntent } from '../support/refunds';
import { PASSWORD } from './accounts';
import { PAYS_AT_ONCE, useWorld } from './world';

const w = useWorld({
  gateway: PAYS_AT_ONCE,
  of_each: 'test',
  funds: { sandbox: { XOF: 100_000_000n } },
});

const SENT = /This form has been sent already|Ce formulaire a déjà été envoyé/;
const LATE = /Your session had ended|Votre session avait pris fin/;

const buttonOf = (page: Page, action: string) =>
  page.locator(`main form[action$="${action}"] button[type=submit]`);

/** Fills in a form, and goes on to the page with the button that sends. */
async function check(page: Page, action: string, fields: Record<string, string>): Promise<void> {
  await fillIn(page, fields);
  // The operator may not answer in time, which the form then says.
  await insist(async () => {
    const [answer] = await Promise.all([
      page.waitForResponse(`**${action}?*`),
      buttonOf(page, action).click(),
    ]);
    return { status: answer.status() };
  });
}

const WAYS = {
  payout: async (options: BrowserContextOptions) => {
    const { page } = await openAs(w.service, w.visitor, '/payouts/new', options);
    await page.selectOption('[name=operator]', 'orange_sn');
    await check(page, '/payouts/check', {
      phone: '77 123 45 67',
      amount: '1 500',
    });
    return { page, action: '/payouts', table: 'payouts' };
  },
  refund: async (options: BrowserContextOptions) => {
    const { id } = await payIntent(w.database.db, w.user);
    const { page } = await openAs(w.service, w.visitor, `/links/${id}/refund`, options);
    await check(page, '/refund/check', { amount: '2 000' });
    return { page, action: '/refund', table: 'refunds' };
  },
} as const;

describeInBrowser('after money was sent', () => {
  it.each([
    ['payout', true],
    ['refund', false],
  ] as const)(
    'a %s, with a script (%s): two presses, Back, a reload and another tab',
    async (what, script) => {
      const { page, action, table } = await WAYS[what]({ ...PHONE, javaScriptEnabled: script });
      const other = await page.context().newPage();
      await other.goto(page.url());
      const before = await w.count(table);
      // Without a script two presses are two requests, as of two tabs.
      await buttonOf(page, action).click({ clickCount: script ? 2 : 1 });
      await page.locator('main .notice').first().waitFor();
      const made = page.url();
      expect([made.includes('draft='), await w.count(table)]).toEqual([false, before + 1]);
      // Twice: the page that checks, and the form before it.
      for (const _ of ['check', 'form']) {
        await page.goBack();
        await page.getByText(SENT).waitFor();
        expect(page.url()).toBe(made);
      }
      await keepScreenshot(page, `back-${what}-sent`);
      await page.reload();
      expect(page.url()).toBe(made);
      await buttonOf(other, action).click();
      await other.getByText(SENT).waitFor();
      expect([other.url(), await w.count(table)]).toEqual([made, before + 1]);
    },
  );

  it('a batch that was uploaded is the one to which Back leads', async () => {
    const { page } = await openAs(w.service, w.visitor, '/payout-batches/file', PHONE);
    const before = await w.count('payout_batches');
    const text = 'téléphone;nom;devise;montant\n221770000100;Awa Diop;XOF;5 000\n';
    const file = { name: 'salaires.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.setInputFiles('input[type=file]', file);
    await page.locator('main form button[type=submit]').click();
    await page.waitForURL(/payout-batches\/[0-9a-f-]{36}$/);
    const made = page.url();
    await page.goBack();
    await page.getByText(SENT).waitFor();
    expect([page.url(), await w.count('payout_batches')]).toEqual([made, before + 1]);
  });

  it.each(WITH_AND_WITHOUT)(
    '%s, a session that ended leads to the same payout, which is sent by the next press',
    async (_, javaScriptEnabled) => {
      const { page, action, table } = await WAYS.payout({ ...PHONE, javaScriptEnabled });
      const before = await w.count(table);
      await w.sql('update sessions set expires_at = now()');
      await buttonOf(page, action).click();
      await fillIn(page, { username: w.user.username, password: PASSWORD });
      await page.locator('main form button[type=submit]').click();
      await page.getByText(LATE).waitFor();
      await page.getByText('77 123 45 67').first().waitFor();
      expect(await w.count(table)).toBe(before);
      await buttonOf(page, action).click();
      await page.waitForURL(/payouts\/PYT-/);
      await page.goBack();
      await page.getByText(SENT).waitFor();
      expect(await w.count(table)).toBe(before + 1);
    },
  );

  it('a payout waits for a second owner, on a phone in French, and says by itself that it was paid', async () => {
    const second = await w.colleague('owner');
    await w.visitor.fill('/payouts/settings', { approval_above: '10 000' });
    const { page } = await openAs(w.service, w.visitor, '/payouts/new', PHONE);
    await page.selectOption('[name=operator]', 'wave_sn');
    await check(page, '/payouts/check', {
      phone: '78 765 43 21',
      amount: '15.000 F',
    });
    await page.getByRole('button', { name: /^Demander l’approbation/ }).click();
    await page.getByText('Vous avez demandé cet envoi').waitFor();
    const { page: other } = await openAs(w.service, second, '', PHONE);
    await other.getByRole('link', { name: 'Envois à approuver' }).click();
    await other.locator('tbody a').click();
    await other.getByRole('link', { name: 'Approuver' }).click();
    await other.getByRole('button', { name: /^Approuver 15/ }).click();
    await other.getByText('Vous avez approuvé cet envoi.').waitFor();
    // The page of the person who ordered it says so, without being loaded again.
    await page.getByText('Le bénéficiaire a reçu l’argent.').first().waitFor();
    await keepScreenshot(page, 'payouts-paid-fr');
  });
});
