// Every page in a real browser: in light and dark, on a desktop and on a phone, by axe-core and by
// keyboard. A new page fails here until it has an example.

import type { BrowserContext, Page } from 'playwright-core';
import { ROUTES } from '../../dashboard/routes';
import { describeInBrowser, expectReadable, openPage } from '../pages/browser';
import { createTestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildExamples, type Examples } from './examples';

let service: TestService;
let examples: Examples;

async function useCookies(page: Page, cookies: ReadonlyMap<string, string>): Promise<void> {
  const context: BrowserContext = page.context();
  await context.addCookies(
    [...cookies].map(([name, value]) => ({ name, value, url: service.origin })),
  );
}

const PAGES = ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path);

describeInBrowser('every page of the dashboard', () => {
  beforeAll(async () => {
    const database = await createTestDatabase();
    service = await startTestService({ database });
    examples = await buildExamples(service, database);
  });

  it.each(PAGES)(
    '%s is readable for everyone, in light and dark, wide and narrow',
    async (path) => {
      const example = examples.find(path);
      if (example === 'no page') return;
      const { page, problems } = await openPage();
      if (example.visitor) await useCookies(page, example.visitor.cookies);
      const response = await page.goto(`${service.origin}/dashboard${example.path}`);
      expect([path, response!.status()]).toEqual([path, example.status ?? 200]);
      await expectReadable(page, path.slice(1).replace(/[/:.]+/g, '-') || 'overview');
      expect(await page.locator('h1').count()).toBe(1);
      // A part that updates by itself would lose what a person types there.
      const fields = ':is(input:not([type=hidden]), select, textarea)';
      const typed = page.locator(`main:has([data-live]) [data-live-part] ${fields}`);
      expect(await typed.count()).toBe(0);
      expect(problems).toEqual([]);
    },
  );

  it('is reached and left by keyboard alone: the first stop skips the navigation', async () => {
    const { page } = await openPage();
    const { visitor } = examples.owner;
    await useCookies(page, visitor.cookies);
    await page.goto(`${service.origin}/dashboard`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('content');
    // Every link and button can be reached, and shows that it has the focus.
    const count = await page.locator('a:visible, button:visible, input:visible').count();
    const seen = new Set<string>();
    for (let step = 0; step < count + 5; step += 1) {
      await page.keyboard.press('Tab');
      const { key, outline } = await page.evaluate<{ key: string; outline: string }>(
        `(() => { const e = document.activeElement; const all = [...document.querySelectorAll('*')];
          const outside = e === document.body;
          return { key: String(all.indexOf(e)), outline: outside ? 'outside' : getComputedStyle(e).outlineStyle }; })()`,
      );
      if (outline === 'none') {
        const html = await page.evaluate<string>('document.activeElement.outerHTML.slice(0, 200)');
        expect(['no focus shown', html]).toEqual(['focus shown', html]);
      }
      seen.add(key);
    }
    expect(seen.size).toBeGreaterThanOrEqual(count);
  });
});
