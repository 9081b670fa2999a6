// Going Back after money was sent, in a real browser: one press more sends nothing, and shows what was sent. And a session
// that ended in between.

import type { Page } from 'playwright-core';
import { describeInBrowser, expectReadable, keepScreenshot, openPage } from '../pages/browser';
import type { TestApi } from '../support/api';
import { insist } from '../support/http';
import { payIntent } from '../support/refunds';
import { buildUser } from '../support/users';
import { PASSWORD, signInOwner, type Member } from './accounts';
import { startPayoutApi } from './payouts';

const KOFI = { locale: 'en-GB', viewport: { width: 1280, height: 900 } };
const FATOU = { locale: 'fr-FR', viewport: { width: 390, height: 844 } };
const SENT = /This form has been sent already|Ce formulaire a déjà été envoyé/;
const LATE = /Your session had ended|Votre session avait pris fin/;

describeInBrowser('after money was sent', () => {
  let api: TestApi;
  let owner: Member;

  beforeAll(async () => {
    api = await startPayoutApi();
    owner = await signInOwner(api.service, api.database, {
      funds: { sandbox: { XOF: 100_000_000n } },
    });
  });

  async function openAs(path: string, options: Parameters<typeof openPage>[0]): Promise<Page> {
    const { page } = await openPage(options);
    const url = api.service.origin;
    const { cookies } = owner.visitor;
    await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url })));
    await page.goto(`${url}/dashboard${path}`);
    return page;
  }

  const count = async (table: string): Promise<number> => {
    const [row] = (await api.database.owner(table).count('* as count')) as [{ count: string }];
    return Number(row.count);
  };

  const buttonOf = (page: Page, action: string) =>
    page.locator(`main form[action$="${action}"] button[type=submit]`);

  /** Fills in what `fields` says, and goes on to the page with the button that sends. */
  async function fillIn(page: Page, action: string, fields: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(fields)) await page.fill(`#${name}`, value);
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
    transfer: async (options: Parameters<typeof openPage>[0]) => {
      const page = await openAs('/transfers/new', options);
      const { username } = await buildUser(api.database.db);
      await fillIn(page, '/transfers/preview', { to_username: username, amount: '1 000' });
      return { page, action: '/transfers', table: 'transfers' };
    },
    payout: async (options: Parameters<typeof openPage>[0]) => {
      const page = await openAs('/payouts/new', options);
      await fillIn(page, '/payouts/check', { phone: '+221 77 123 45 67', amount: '1 500' });
      return { page, action: '/payouts', table: 'payouts' };
    },
    refund: async (options: Parameters<typeof openPage>[0]) => {
      const { id } = await payIntent(api.database.db, owner.user);
      const page = await openAs(`/links/${id}/refund`, options);
      await fillIn(page, '/refund/check', { amount: '2 000' });
      return { page, action: '/refund', table: 'refunds' };
    },
  } as const;

  it.each([
    ['transfer', 'with', KOFI],
    ['transfer', 'without', FATOU],
    ['payout', 'with', FATOU],
    ['payout', 'without', KOFI],
    ['refund', 'with', FATOU],
    ['refund', 'without', KOFI],
  ] as const)('a %s, %s a script: Back, a reload and another tab', async (what, how, options) => {
    const look = { ...options, javaScriptEnabled: how === 'with' };
    const { page, action, table } = await WAYS[what](look);
    await keepScreenshot(page, `back-${what}-check-${options.locale}`);
    const other = await page.context().newPage();
    await other.goto(page.url());
    const before = await count(table);
    await buttonOf(page, action).click();
    await page.locator('main .notice').first().waitFor();
    const made = page.url();
    expect([made, await count(table)]).toEqual([expect.not.stringContaining('draft='), before + 1]);
    // Twice: the page that checks, and the form before it.
    for (const _ of ['check', 'form']) {
      await page.goBack();
      await page.getByText(SENT).waitFor();
      expect(page.url()).toBe(made);
    }
    await keepScreenshot(page, `back-${what}-sent-${options.locale}`);
    await page.reload();
    expect(page.url()).toBe(made);
    await buttonOf(other, action).click();
    await other.getByText(SENT).waitFor();
    expect([other.url(), await count(table)]).toEqual([made, before + 1]);
  });

  it('a batch that was uploaded is the one to which Back leads', async () => {
    const page = await openAs('/payout-batches/new', FATOU);
    const before = await count('payout_batches');
    await page.setInputFiles('input[type=file]', {
      name: 'salaires.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('téléphone;nom;devise;montant\n221770000100;Awa Diop;XOF;5 000\n'),
    });
    await page.locator('main form button[type=submit]').click();
    await page.waitForURL(/payout-batches\/[0-9a-f-]{36}$/);
    const made = page.url();
    await page.goBack();
    await page.getByText(SENT).waitFor();
    expect([page.url(), await count('payout_batches')]).toEqual([made, before + 1]);
  });

  it.each([
    ['with', KOFI],
    ['without', FATOU],
  ] as const)(
    '%s a script, a session that ended leads to the same payout, which is sent by the next press',
    async (how, options) => {
      const { page, action, table } = await WAYS.payout({
        ...options,
        javaScriptEnabled: how === 'with',
      });
      const before = await count(table);
      const sessions = api.database.owner('sessions');
      await sessions.update({ expires_at: api.database.owner.fn.now() });
      await buttonOf(page, action).click();
      await page.fill('#username', owner.user.username);
      await page.fill('#password', PASSWORD);
      await page.locator('main form button[type=submit]').click();
      await page.getByText(LATE).waitFor();
      await page.getByText('+221771234567').waitFor();
      if (how === 'with') await expectReadable(page, 'back-late');
      else await keepScreenshot(page, 'back-late-fr');
      expect(await count(table)).toBe(before);
      await buttonOf(page, action).click();
      await page.waitForURL(/payouts\/PYT-/);
      await page.goBack();
      await page.getByText(SENT).waitFor();
      expect(await count(table)).toBe(before + 1);
      await signInAgain();
    },
  );

  const signInAgain = async (): Promise<void> => {
    await owner.visitor.open('/sign-in');
    await owner.visitor.submit('/sign-in', { username: owner.user.username, password: PASSWORD });
  };
});
