// Pages that update by themselves, in a real browser.

import type { Page } from 'playwright-core';
import { listDeliveries } from '../../db/webhooks/webhook-deliveries';
import { recordAttempts } from '../../db/webhooks/webhook-attempts';
import { describeInBrowser, openPage } from '../pages/browser';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import {
  addEvents,
  buildAttempt,
  createTestEndpoint,
  type TestEndpoint,
} from '../support/webhooks';
import { signInOwner, type Member } from './accounts';

describeInBrowser('a page that updates by itself', () => {
  let database: TestDatabase;
  let service: TestService;
  let owner: Member;
  let endpoint: TestEndpoint;
  let delivery_id: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await startTestService({ database });
    owner = await signInOwner(service, database);
  });

  beforeEach(async () => {
    const user_id = owner.user.id;
    endpoint = await createTestEndpoint(database, { user_id, url: 'https://shop.example/hooks' });
    await addEvents(database, [endpoint], 2);
    const [delivery] = await listDeliveries(database.db, {
      user_id,
      environment: 'sandbox',
      before: undefined,
      limit: 1,
      filters: { endpoint_id: endpoint.id },
    });
    delivery_id = delivery!.id;
  });

  async function openAsOwner(path: string): Promise<{ page: Page; problems: readonly string[] }> {
    const { page, problems } = await openPage();
    await page
      .context()
      .addCookies(
        [...owner.visitor.cookies].map(([name, value]) => ({ name, value, url: service.origin })),
      );
    await page.goto(`${service.origin}/dashboard${path}`);
    await page.getByText('Updates by itself.').waitFor();
    return { page, problems };
  }

  const attempt = (number: number, fields: object): Promise<unknown> =>
    recordAttempts(
      database.db,
      endpoint.id,
      [buildAttempt(delivery_id, { number, ...fields })],
      null,
    );

  /** Rows of the log of accesses: a stream's is written when it is over. */
  async function closedStreams(): Promise<number> {
    const { rows } = await database.owner.raw<{ rows: { count: bigint }[] }>(
      `select count(*) from access_entries where route like '%/webhooks/:id/live'`,
    );
    return Number(rows[0]!.count);
  }

  it('shows an endpoint’s delivery as it arrives, without being loaded again', async () => {
    const { page, problems } = await openAsOwner(`/webhooks/${endpoint.id}`);
    await page.evaluate('window.notReloaded = true');
    const link = page.locator(`a[href$="${delivery_id}"]`);
    await link.focus();
    await attempt(1, {});
    const row = page.locator('tr', { has: link });
    await row.getByText('Arrived').waitFor();
    await page.getByText('1 of 2 arrived in the last day').waitFor();
    // The keyboard is where it was.
    const focused = await page.evaluate<string>('document.activeElement.getAttribute("href")');
    expect(focused).toBe(`/dashboard/deliveries/${delivery_id}`);
    expect(await page.evaluate('window.notReloaded')).toBe(true);
    expect(problems).toEqual([]);
  });

  it('closes its stream while nobody sees it, and misses nothing', async () => {
    const { page } = await openAsOwner(`/webhooks/${endpoint.id}`);
    const before = await closedStreams();
    const see = (isSeen: boolean): Promise<unknown> =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${!isSeen}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await see(false);
    await waitFor(async () => (await closedStreams()) > before);
    await attempt(1, {});
    await see(true);
    await page.getByText('1 of 2 arrived in the last day').waitFor();
  });

  it('offers a link to load it again when it cannot be followed', async () => {
    const { page } = await openPage({ javaScriptEnabled: false });
    await page
      .context()
      .addCookies(
        [...owner.visitor.cookies].map(([name, value]) => ({ name, value, url: service.origin })),
      );
    await page.goto(`${service.origin}/dashboard/webhooks/${endpoint.id}`);
    await attempt(1, {});
    await page.getByRole('link', { name: 'Reload' }).click();
    await page.getByText('1 of 2 arrived in the last day').waitFor();
  });
});
