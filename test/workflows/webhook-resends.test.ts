// Resends of many endpoints: those of one account wait for each other, not those of others.

import { createResendActivities } from '../../activities/webhooks/resends';
import { findResend } from '../../db/webhooks/webhook-resends';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildUser } from '../support/users';
import { beginTestResend, buildEndpointWithDeliveries, untilLocked } from '../support/webhooks';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

/** Resends one delivery that has not arrived, to an endpoint of its own. */
async function begin(user_id: string): Promise<string> {
  const endpoint = await buildEndpointWithDeliveries(database, user_id, 1);
  return beginTestResend(database.db, endpoint, ['pending']);
}

it('an account has one page at a time, while another account goes on', async () => {
  const [merchant, other] = [await buildUser(database.db), await buildUser(database.db)];
  const slow = await begin(merchant.id);
  const behind = await begin(merchant.id);
  const innocent = await begin(other.id);
  const activities = createResendActivities({
    db: database.db,
    log: () => undefined,
    waker: { wake: () => undefined },
  });
  const holder = await database.owner.transaction();
  await holder.raw('select from webhook_resends where id = ? for update', [slow]);
  const first = activities.resendPage(slow);
  await untilLocked(database, 'resend_page');
  const second = activities.resendPage(behind);
  expect(await activities.resendPage(innocent)).toEqual({ is_done: true, queued: 1 });
  const { id: user_id } = merchant;
  expect(await findResend(database.db, user_id, 'sandbox', behind)).toMatchObject({
    status: 'running',
    queued: 0,
  });
  await holder.rollback();
  expect(await Promise.all([first, second])).toEqual([
    { is_done: true, queued: 1 },
    { is_done: true, queued: 1 },
  ]);
});
