// Sending money in a browser: the pages that only a form leads to, and a button that is pressed twice.

import type { Page } from 'playwright-core';
import { describeInBrowser, expectReadable, openPage } from '../pages/browser';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { signInOwner, type Member } from './accounts';

let database: TestDatabase;
let service: TestService;
let owner: Member;
let recipient: TestUser;

const openPreview = async (
  options: { readonly javaScriptEnabled?: boolean } = {},
): Promise<Page> => {
  const { page } = await openPage(options);
  await page
    .context()
    .addCookies(
      [...owner.visitor.cookies].map(([name, value]) => ({ name, value, url: service.origin })),
    );
  await page.goto(`${service.origin}/dashboard/transfers/new`);
  await page.getByLabel('Recipient’s username').fill(recipient.username);
  await page.getByLabel('Amount').fill('1 000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Check and send' }).waitFor();
  return page;
};

const countTransfers = async (): Promise<number> => {
  const { rows } = (await database.owner.raw('select count(*)::int as count from transfers')) as {
    rows: [{ count: number }];
  };
  return rows[0].count;
};

describeInBrowser('sending money in a browser', () => {
  beforeAll(async () => {
    database = await createTestDatabase();
    service = await startTestService({ database });
    owner = await signInOwner(service, database, { funds: { live: { XOF: 5_000_000n } } });
    recipient = await buildUser(database.db);
    await owner.visitor.submit('/environment', { environment: 'live' });
  });

  it.each([
    ['with', true],
    ['without', false],
  ])('%s a script, two presses of the button send once', async (_how, javaScriptEnabled) => {
    const before = await countTransfers();
    const page = await openPreview({ javaScriptEnabled });
    await page.getByRole('button', { name: /^Send 1,000/ }).dblclick();
    const sent = page.getByText('The transfer was carried out.');
    const again = page.getByRole('button', { name: 'Ask again' });
    // On a busy machine it may not be known yet.
    await waitFor(async () => {
      await sent.or(again).waitFor();
      if (await again.isVisible()) await again.click();
      return sent.isVisible();
    });
    // A reload loads the transfer's page.
    await page.reload();
    await page.getByRole('heading', { name: 'Transfer', exact: true }).waitFor();
    expect(await countTransfers()).toBe(before + 1);
  });

  it('the preview, a fault beside its field and an unknown outcome are readable for everyone', async () => {
    const page = await openPreview();
    await expectReadable(page, 'transfers-preview');
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query('select 1 from ledger_accounts where user_id = $1 for update', [
      owner.user.id,
    ]);
    await page.getByRole('button', { name: /^Send 1,000/ }).click();
    await page.getByRole('heading', { name: 'It is not known yet' }).waitFor();
    await session.query('rollback');
    await expectReadable(page, 'transfers-unknown');
    await page.goto(`${service.origin}/dashboard/transfers/new`);
    await page.getByLabel('Recipient’s username').fill('nobody-at-all');
    await page.getByLabel('Amount').fill('much');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Write an amount such as').waitFor();
    await expectReadable(page, 'transfers-fault');
  });
});
