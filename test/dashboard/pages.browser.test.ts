// Every page in a real browser, once: in French on a phone in the dark and wide in the light, by axe-core and by keyboard.
// A new page fails here until it has an example.

import type { Page } from 'playwright-core';
import { ROUTES } from '../../dashboard/routes';
import {
  describeInBrowser,
  expectReadable,
  fillIn,
  openAs,
  openPage,
  PHONE,
} from '../pages/browser';
import { openSession } from '../support/database';
import { payIntent } from '../support/refunds';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { buildExamples, type Examples } from './examples';
import { checkPayout } from './payouts';
import type { Visitor } from './visitor';
import { PAYS_AT_ONCE, useWorld } from './world';

const purse = { XOF: 10_000_000n };
const w = useWorld({ gateway: PAYS_AT_ONCE, funds: { live: purse, sandbox: purse } });
let examples: Examples;

const PAGES = ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path);

/** Leads to pages that only a form leads to. */
const CHECKED: Readonly<Record<string, (visitor: Visitor) => Promise<unknown>>> = {
  'a payout that is checked': (visitor) => checkPayout(visitor, { name: 'Awa Diop' }),
  'a payout to another name': (visitor) =>
    checkPayout(visitor, { phone: '+221 77 000 00 04', name: 'Awa Diop' }),
  'a transfer that is checked': async (visitor) => {
    const fields = { to_username: (await buildUser(w.database.db)).username, amount: '1 000' };
    await visitor.fill('/transfers/new', fields, '/transfers/preview');
  },
  'a refund that is checked': async (visitor) => {
    const { id } = await payIntent(w.database.db, w.user);
    await visitor.fill(`/links/${id}/refund`, { amount: '1 000' });
  },
};

describeInBrowser('every page of the dashboard', () => {
  beforeAll(async () => {
    examples = await buildExamples(w.service, w.database);
  });

  async function expectPageReadable(page: Page, name: string): Promise<void> {
    await expectReadable(page, name.replace(/[^a-z]+/gi, '-'));
    expect(await page.locator('h1').count()).toBe(1);
    // A part that updates by itself would lose what a person types there.
    const fields = ':is(input:not([type=hidden]), select, textarea)';
    const typed = page.locator(`main:has([data-live]) [data-live-part] ${fields}`);
    expect(await typed.count()).toBe(0);
  }

  it.each(PAGES)(
    '%s is readable for everyone, in light and dark, wide and narrow',
    async (path) => {
      const example = examples.find(path);
      if (example === 'no page') return;
      const { page, problems } = await openAs(w.service, example.visitor!, example.path, PHONE);
      expect(await page.getAttribute('html', 'lang')).toBe('fr');
      await expectPageReadable(page, path);
      expect(problems).toEqual([]);
    },
  );

  it.each(Object.keys(CHECKED))('%s is readable for everyone, too', async (name) => {
    await CHECKED[name]!(w.visitor);
    const path = w.visitor.page.path.replace('/dashboard', '');
    const { page, problems } = await openAs(w.service, w.visitor, path, PHONE);
    await page.locator('main form[method=post] button').waitFor();
    await expectPageReadable(page, name);
    expect(problems).toEqual([]);
  });

  it('a fault beside its field and an unknown outcome are readable for everyone', async () => {
    // A transfer of the sandbox moves nothing, and waits for no wallet.
    await w.show('live');
    const { page } = await openAs(w.service, w.visitor, '/transfers/new', PHONE);
    await fillIn(page, { to_username: 'nobody-at-all', amount: 'much' });
    const go = () => page.locator('main form[method=post] button[type=submit]').click();
    await go();
    await page.locator('.fault').first().waitFor();
    await expectPageReadable(page, 'fault');
    const { username } = await buildUser(w.database.db);
    await fillIn(page, { to_username: username, amount: '1 000' });
    await go();
    await page.waitForURL(/preview/);
    const session = await openSession(w.database.owner_url);
    await session.query('begin');
    await session.query('select 1 from ledger_accounts where user_id = $1 for update', [w.user.id]);
    await go();
    await waitFor(async () => (await page.locator('.notice.warn').count()) > 0);
    await session.query('rollback');
    await expectPageReadable(page, 'unknown');
    await w.show('sandbox');
  });

  it('typed payouts with their faults are readable for everyone', async () => {
    const { page } = await openAs(w.service, w.visitor, '/payout-batches/new', PHONE);
    await page.fill('#name-0', 'Awa Diop');
    await page.fill('#phone-0', '77 12');
    await page.fill('#amount-1', 'beaucoup');
    await page.locator('main form[method=post] button:not([name=more])').click();
    await page.locator('#fault-1').waitFor();
    await expectPageReadable(page, 'typed-faults');
  });

  it('is reached and left by keyboard alone: the first stop skips the navigation', async () => {
    const { page } = await openPage();
    const { cookies } = examples.owner.visitor;
    const { origin: url } = w.service;
    const kept = [...cookies].map(([name, value]) => ({ name, value, url }));
    await page.context().addCookies(kept);
    await page.goto(`${url}/dashboard`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('content');
    // Every link and button can be reached, and shows that it has the focus.
    const count = await page.locator('a:visible, button:visible, input:visible').count();
    const seen = new Set<string>();
    for (let step = 0; step < count + 5; step += 1) {
      await page.keyboard.press('Tab');
      const { key, outline, html } = await page.evaluate<Record<string, string>>(
        `(() => { const e = document.activeElement; const all = [...document.querySelectorAll('*')];
          const outside = e === document.body;
          return { key: String(all.indexOf(e)), html: e.outerHTML.slice(0, 200),
            outline: outside ? 'outside' : getComputedStyle(e).outlineStyle }; })()`,
      );
      expect([html, outline]).not.toEqual([html, 'none']);
      seen.add(key!);
    }
    expect(seen.size).toBeGreaterThanOrEqual(count);
  });
});
