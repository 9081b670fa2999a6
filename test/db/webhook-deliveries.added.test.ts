// Deliveries that are added while others are, and while their endpoint changes.

import { randomUUID } from 'node:crypto';
import { addTestEvent } from '../../db/webhooks/events';
import { beginDeliveryRun } from '../../db/webhooks/webhook-delivery-runs';
import { updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import {
  connectAgain,
  createTestDatabase,
  openSession,
  setUp,
  untilLocked,
} from '../support/database';
import { countTableReads } from '../support/plans';
import { buildUser } from '../support/users';
import { addEvents, createTestEndpoint, type TestEndpoint } from '../support/webhooks';
import { statusesAt } from '../webhooks/deliveries';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

function createEndpoint(user_id = merchant.id): Promise<TestEndpoint> {
  return createTestEndpoint(database, { user_id, url: 'https://shop.example/hooks' });
}

describe('deliveries', () => {
  it('have unique times when many are added at the same moment', async () => {
    const other = await buildUser(database.db);
    const endpoints = await Promise.all(
      [merchant.id, merchant.id, merchant.id, other.id, other.id].map(createEndpoint),
    );
    const pool = connectAgain(database, 10);
    await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        addTestEvent(pool, ...newEvent(endpoints[n % endpoints.length]!)),
      ),
    );
    const { rows } = (await database.owner.raw(
      `select user_id, count(*)::integer as count, count(distinct created_at)::integer as times
         from webhook_deliveries where endpoint_id = any (?::uuid[]) group by 1`,
      [endpoints.map(({ id }) => id)],
    )) as { rows: { user_id: string; count: number; times: number }[] };
    const counts = new Map(rows.map(({ user_id, ...row }) => [user_id, row]));
    expect(counts.get(merchant.id)).toEqual({ count: 120, times: 120 });
    expect(counts.get(other.id)).toEqual({ count: 80, times: 80 });
  });

  it('of one account are added one after the other, without waiting for another account or environment', async () => {
    const { id: stranger } = await buildUser(database.db);
    const [mine, theirs] = [await createEndpoint(), await createEndpoint(stranger)];
    const live = await createTestEndpoint(database, {
      user_id: merchant.id,
      url: 'https://shop.example/hooks',
      environment: 'live',
    });
    const session = await leaveOpen('add_test_event($1, $2, $3, $4)', newEvent(mine));
    let is_added = false;
    const adding = addTestEvent(database.db, ...newEvent(mine)).then(() => (is_added = true));
    await untilLocked(database, 'add_test_event');
    for (const other of [theirs, live]) await addTestEvent(database.db, ...newEvent(other));
    expect(is_added).toBe(false);
    await session.query('commit');
    await adding;
    expect(await statusesAt({ database }, mine)).toEqual({ pending: 2 });
  });

  it('do not wait for a change that disables the endpoint, and are held by its next delivery run', async () => {
    const endpoint = await createEndpoint();
    const disabling = await leaveOpen(...change(endpoint, 'disabled'));
    await addEvents(database, [endpoint]);
    await disabling.query('commit');
    expect(await statusesAt({ database }, endpoint)).toEqual({ pending: 1 });
    expect(await beginDeliveryRun(database.db, endpoint.id, randomUUID(), 60_000)).toBe('closed');
    expect(await statusesAt({ database }, endpoint)).toEqual({ held: 1 });
  });

  it('do not wait for a change that enables the endpoint, and none stays held by it', async () => {
    const endpoint = await createEndpoint();
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'disabled' });
    await addEvents(database, [endpoint]);
    const enabling = await leaveOpen(...change(endpoint, 'enabled'));
    await addEvents(database, [endpoint]);
    await enabling.query('commit');
    expect(await statusesAt({ database }, endpoint)).toEqual({ pending: 2 });
  });

  it('are added without a look at all that wait, though the tables were empty when that was planned', async () => {
    const own = await createTestDatabase();
    const { id: user_id } = await buildUser(own.db);
    const url = 'https://shop.example/hooks';
    const { id } = await createTestEndpoint(own, { user_id, url });
    const EVENTS = 300;
    const { webhook_deliveries: read } = await own.owner.transaction((tx) =>
      countTableReads(tx, ['webhook_deliveries'], () =>
        tx.raw(
          `select add_test_event(?::uuid, gen_random_uuid(), 'payment.failed', '{}')
             from generate_series(1, ?::integer)`,
          [id, EVENTS],
        ),
      ),
    );
    expect(read!).toBeLessThan(10 * EVENTS);
  });

  it('to a disabled endpoint are held, also while a delivery run begins there', async () => {
    const endpoint = await createEndpoint();
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'disabled' });
    const run = [endpoint.id, randomUUID(), 60_000];
    const session = await leaveOpen('begin_delivery_run($1, $2, $3)', run);
    await addEvents(database, [endpoint]);
    await session.query('commit');
    expect(await statusesAt({ database }, endpoint)).toEqual({ held: 1 });
  });

  it('to an endpoint that was deleted meanwhile are discarded', async () => {
    const endpoint = await createEndpoint();
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'deleted' });
    await addEvents(database, [endpoint]);
    expect(await statusesAt({ database }, endpoint)).toEqual({ discarded: 1 });
  });

  it('to a disabled endpoint are waited for by a change that enables it', async () => {
    const endpoint = await createEndpoint();
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'disabled' });
    const session = await leaveOpen('add_test_event($1, $2, $3, $4)', newEvent(endpoint));
    let is_enabled = false;
    const enabling = updateWebhookEndpoint(database.db, endpoint.id, { status: 'enabled' }).then(
      () => (is_enabled = true),
    );
    await untilLocked(database, 'update_webhook_endpoint');
    expect(is_enabled).toBe(false);
    await session.query('commit');
    await enabling;
    expect(await statusesAt({ database }, endpoint)).toEqual({ pending: 1 });
  });

  const newEvent = ({ id }: TestEndpoint) => [id, randomUUID(), 'payment.failed', '{}'] as const;

  const change = ({ id }: TestEndpoint, status: string) =>
    ['update_webhook_endpoint($1, $2)', [id, JSON.stringify({ status })]] as const;

  /** Leaves the transaction of this call open. */
  async function leaveOpen(called: string, values: readonly unknown[]) {
    const session = await openSession(database.app_url);
    await session.query('begin');
    await session.query(`select * from ${called}`, [...values]);
    return session;
  }
});
