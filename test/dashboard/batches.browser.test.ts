// A batch's page in a real browser: it becomes by itself what it is when it is loaded.

import { randomUUID } from 'node:crypto';
import { checkBatch, createBatch } from '../../db/transfer-batches/transfer-batches';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';
import { describeInBrowser, openPage } from '../pages/browser';
import { createTestDatabase } from '../support/database';
import { startTestService } from '../support/service';
import { buildUser } from '../support/users';
import { signInOwner } from './accounts';

describeInBrowser('a batch that is under way', () => {
  it('becomes its result by itself: first the button that sends it, then what was sent', async () => {
    const database = await createTestDatabase();
    const service = await startTestService({ database });
    const { user, visitor } = await signInOwner(service, database, {
      funds: { live: { XOF: 100_000_000n } },
    });
    await visitor.open('/');
    await visitor.submit('/environment', { environment: 'live' });
    const id = randomUUID();
    const items = await Promise.all(
      ['15000000', '12000000'].map(async (amount_minor) => {
        const { username } = await buildUser(database.db);
        return {
          to_username: username,
          currency: 'XOF' as const,
          amount_minor,
          idempotency_key: null,
        };
      }),
    );
    const { batch, items: stored } = prepareBatch({
      id,
      user_id: user.id,
      environment: 'live',
      mode: 'independent',
      dry_run: true,
      idempotency_key: randomUUID(),
      request_id: 'test',
      items,
    });
    // The batch has no workflow, and stays under way until the test checks it.
    await createBatch(database.db, batch, stored, 10);
    const { page, problems } = await openPage();
    const cookies = [...visitor.cookies].map(([name, value]) => ({
      name,
      value,
      url: service.origin,
    }));
    await page.context().addCookies(cookies);
    await page.goto(`${service.origin}/dashboard/batches/${id}`);
    await page.getByText('Updates by itself.').waitFor();
    expect(await page.getByRole('button', { name: /^Send / }).count()).toBe(0);
    await checkBatch(database.db, id);

    await page.getByRole('button', { name: 'Send 270,000 FCFA to 2 people' }).click();
    await page.getByRole('heading', { name: 'Batch of transfers' }).waitFor();
    await page.getByText('Completed').waitFor();
    await page.getByText('Updates by itself.').waitFor({ state: 'detached' });
    const main = (await page.locator('main').innerText()).replace(/\s+/g, ' ');
    expect(main).toContain('Refused 0 Not begun 0');
    expect(main).not.toMatch(/Under way|Stop what|Continue|2 of 2 2 of 2/);
    expect(problems).toEqual([]);
  });
});
