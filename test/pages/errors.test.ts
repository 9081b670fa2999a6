// The page of error codes in a real browser: readable on a phone, for everyone.

import { readFileSync } from 'node:fs';
import { createTestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { describeInBrowser, keepScreenshot, openPage, sidewaysScroll } from './browser';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

describeInBrowser('the page of error codes', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ database: await createTestDatabase() });
  });

  it('fits a phone, has a main landmark, and no fault by axe-core, in light and dark', async () => {
    const { page, problems } = await openPage();
    await page.goto(`${service.origin}/docs/errors#insufficient_funds`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [size, viewport] of Object.entries(SIZES)) {
        await page.setViewportSize(viewport);
        await keepScreenshot(page, `errors-${size}-${colorScheme}`);
        expect([size, await sidewaysScroll(page)]).toEqual([size, 0]);
        await page.evaluate(AXE);
        const violations = await page.evaluate<{ id: string }[]>(
          'axe.run(document).then(({ violations }) => violations)',
        );
        expect(violations.map(({ id }) => id)).toEqual([]);
      }
    }
    expect(await page.locator('main').count()).toBe(1);
    expect(problems).toEqual([]);
  });
});
