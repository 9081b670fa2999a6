// Money that is sent in a real browser: one press more or going Back sends nothing and shows what was sent, and a session
// that ended in between. Refunds and batches go by the same draft (drafts.test.ts).

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

/** Fills in the form of a payout, and goes on to the page with the button that sends. */
async function checkedPayout(options: BrowserContextOptions) {
  const { page } = await openAs(w.service, w.visitor, '/payouts/new', options);
  await page.selectOption('[name=operator]', 'orange_sn');
  await fillIn(page, { phone: '77 123 45 67', amount: '1 500' });
  // The operator may not answer in time, which the form then says.
  await insist(async () => {
    const [answer] = await Promise.all([
      page.waitForResponse('**/payouts/check?*'),
      buttonOf(page, '/payouts/check').click(),
    ]);
    return { status: answer.status() };
  });
  return { page, action: '/payouts', table: 'payouts' };
}

describeInBrowser('after money was sent', () => {
  it.each(WITH_AND_WITHOUT)(
    '%s: two presses, Back, a reload and another tab',
    async (how, script) => {
      const { page, action, table } = await checkedPayout({ ...PHONE, javaScriptEnabled: script });
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
      await keepScreenshot(page, `back-payout-sent-${how}`);
      await page.reload();
      expect(page.url()).toBe(made);
      await buttonOf(other, action).click();
      await other.getByText(SENT).waitFor();
      expect([other.url(), await w.count(table)]).toEqual([made, before + 1]);
    },
  );

  it('a session that ended leads to the same payout, which is sent by the next press', async () => {
    const { page, action, table } = await checkedPayout(PHONE);
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
  });
});
