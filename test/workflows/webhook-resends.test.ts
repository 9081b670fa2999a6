// Resends of many endpoints: those of one account wait for each other, not those of others.

import { createResendActivities } from '../../activities/webhooks/resends';
import { beginResend, findResend } from '../../db/webhook-resends';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildUser } from '../support/users';
import { buildEndpointWithDeliveries, untilLocked } from '../support/webhooks';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

/** Of one delivery that has not arrived, to an endpoint of its own. */
async function begin(user_id: string): Promise<string> {
  const endpoint = await buildEndpointWithDeliveries(database, user_id, 1);
  const id = await beginResend(database.db, {
    ...{ user_id, environment: endpoint.environment, endpoint_id: endpoint.id },
    ...{ statuses: ['pending'], types: ['payment.succeeded'] },
    created_from: '2000-01-01T00:00:00Z',
    created_to: '2100-01-01T00:00:00Z',
  });
  return id!;
}

it('an account has one page at a time, while another account goes on', async () => {
  const [merchant, other] = [await buildUser(database.db), await buildUser(database.db)];
  const slow = await begin(merchant.id);
  const behind = await begin(merchant.id);
  const innocent = await begin(other.id);
  const activities = createResendActivities({
    ...{ db: database.db, log: () => undefined, waker: { wake: () => undefined } },
  });
  const holder = await database.owner.transaction();
  await holder.raw('select from webhook_resends where id = ? for update', [slow]);
  const first = activities.resendPage(slow);
  await untilLocked(database, 'resend_page');
  const second = activities.resendPage(behind);
  expect(await activities.resendPage(innocent)).toEqual({ is_done: true, queued: 1 });
  const { id: user_id } = merchant;
  expect(await findResend(database.db, user_id, 'sandbox', behind)).toMatchObject({
    ...{ status: 'running', queued: 0 },
  });
  await holder.rollback();
  expect(await Promise.all([first, second])).toEqual([
    { is_done: true, queued: 1 },
    { is_done: true, queued: 1 },
  ]);
});
