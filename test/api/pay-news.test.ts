// Coming back from the gateway: the page waits a moment for what the gateway is about to tell.

import { createPayDependencies } from '../../api/payment-intents/pay';
import type { ApiDependencies } from '../../api/context';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { buildLink } from '../dashboard/payment-links';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

const dependencies = () =>
  createPayDependencies({
    db: database.db,
    gateways: { live: undefined, sandbox: undefined },
  } as unknown as ApiDependencies);

it('what changes meanwhile is shown, to all who wait for it', async () => {
  const { short_code } = await buildLink(database.db, await buildUser(database.db));
  const { findPayable, awaitNews } = dependencies();
  // On a busy machine the moment may be over before the change.
  const news = await waitFor(async () => {
    const view = (await findPayable(short_code))!;
    const waiting = [awaitNews(view), awaitNews(view)];
    await database.owner.raw(
      'update payment_intents set updated_at = clock_timestamp() where short_code = ?',
      [short_code],
    );
    const [one, other] = await Promise.all(waiting);
    expect(other).toEqual(one);
    return one!.updated_at !== view.updated_at && one!;
  });
  expect(news.short_code).toBe(short_code);
});

it('without news the page is as it was', async () => {
  const { short_code } = await buildLink(database.db, await buildUser(database.db));
  const { findPayable, awaitNews } = dependencies();
  const view = (await findPayable(short_code))!;
  expect(await awaitNews(view)).toEqual(view);
});
