// Deliveries that are sent again, one by one and by range.

import { randomUUID } from 'node:crypto';
import { recordAttempts } from '../../db/webhooks/webhook-attempts';
import { resendDeliveries } from '../../db/webhooks/webhook-deliveries';
import {
  beginDeliveryRun,
  claimDeliveries,
  endDeliveryRun,
} from '../../db/webhooks/webhook-delivery-runs';
import { updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { beginResend, resendPage } from '../../db/webhooks/webhook-resends';
import { createTestDatabase, openSession, setUp } from '../support/database';
import { buildUser } from '../support/users';
import {
  beginTestResend,
  buildResend,
  buildEndpointWithDeliveries,
  buildAttempt,
  buildHealth,
  REFUSED,
  untilLocked,
  type TestEndpoint,
} from '../support/webhooks';
import { attemptsOf, deliveriesTo, statusesAt } from '../workflows/deliveries';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

function addDeliveries(count: number): Promise<TestEndpoint> {
  return buildEndpointWithDeliveries(database, merchant.id, count);
}

describe('a delivery that is sent again', () => {
  it('while an attempt is under way is not claimed twice, and the attempt counts', async () => {
    const endpoint = await addDeliveries(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    const { db } = database;
    const token = randomUUID();
    expect((await beginDeliveryRun(db, endpoint.id, token, 60_000)).state).toBe('begun');
    const claim = await claimDeliveries(db, endpoint.id, token, 10, []);
    expect(claim!.deliveries.map((delivery) => delivery.id)).toEqual([id]);
    // A delivery run has the lease, and is notified: no workflow is woken.
    expect(await resendDeliveries(db, [id])).toEqual({ queued: 1, wake: [] });
    expect((await claimDeliveries(db, endpoint.id, token, 10, [id]))!.deliveries).toEqual([]);
    await recordAttempts(db, endpoint.id, [buildAttempt(id)], null);
    expect((await claimDeliveries(db, endpoint.id, token, 10, []))!.deliveries).toEqual([]);
    expect(await statusesAt({ database }, endpoint)).toEqual({ delivered: 1 });
    expect(await attemptsOf({ database }, id)).toHaveLength(1);
    await endDeliveryRun(db, endpoint.id, token);
  });

  it('after its schedule has ended gets the whole schedule again, and is marked as a resend', async () => {
    const endpoint = await addDeliveries(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    const { db } = database;
    await recordAttempts(
      db,
      endpoint.id,
      [buildAttempt(id, { ...REFUSED, retry_ms: null })],
      buildHealth(),
    );
    expect(await statusesAt({ database }, endpoint)).toEqual({ exhausted: 1 });
    expect(await resendDeliveries(db, [id])).toEqual({ queued: 1, wake: [endpoint.id] });
    expect((await deliveriesTo({ database }, endpoint))[0]).toMatchObject({
      status: 'pending',
      attempts: 1,
      tries: 0,
      is_resend: true,
    });
    const resend = buildAttempt(id, { number: 2, trigger: 'resend' });
    await recordAttempts(
      db,
      endpoint.id,
      [resend],
      buildHealth({ has_arrived: true, failures: 0 }),
    );
    expect((await deliveriesTo({ database }, endpoint))[0]).toMatchObject({
      status: 'delivered',
      attempts: 2,
      is_resend: false,
    });
    expect((await attemptsOf({ database }, id)).map(({ trigger }) => trigger)).toEqual([
      'automatic',
      'resend',
    ]);
  });

  it('before its next try keeps its place in the schedule', async () => {
    const endpoint = await addDeliveries(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    await recordAttempts(database.db, endpoint.id, [buildAttempt(id, REFUSED)], buildHealth());
    await resendDeliveries(database.db, [id]);
    const [delivery] = await deliveriesTo({ database }, endpoint);
    expect(delivery).toMatchObject({ tries: 1, is_resend: true });
    expect(delivery!.next_in_seconds).toBeLessThanOrEqual(0);
  });

  it('stays held when its endpoint is disabled', async () => {
    const endpoint = await addDeliveries(1);
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'disabled' });
    const ids = (await deliveriesTo({ database }, endpoint)).map(({ id }) => id);
    expect(await resendDeliveries(database.db, ids)).toEqual({ queued: 0, wake: [] });
    expect(await statusesAt({ database }, endpoint)).toEqual({ held: 1 });
  });
});

describe('a range that is sent again', () => {
  it('is the only one of its endpoint until it is done', async () => {
    const [endpoint, other] = [await addDeliveries(1), await addDeliveries(1)];
    const session = await openSession(database.app_url);
    await session.query('begin');
    const { rows } = await session.query<{ id: string }>('select begin_resend($1) as id', [
      JSON.stringify(buildResend(endpoint, ['pending'])),
    ]);
    const at_once = beginResend(database.db, buildResend(endpoint, ['pending']));
    await untilLocked(database, 'begin_resend');
    await session.query('commit');
    expect(await at_once).toBeNull();
    expect(await beginResend(database.db, buildResend(other, ['pending']))).not.toBeNull();
    const page = await resendPage(database.db, rows[0]!.id, 100);
    expect(page).toMatchObject({ is_done: true, queued: 1 });
    expect(await beginResend(database.db, buildResend(endpoint, ['pending']))).not.toBeNull();
  });
});

describe('a range that is sent again in pages', () => {
  const PAGE = 7;

  it('queues each delivery once, however often a page is requested', async () => {
    const endpoint = await addDeliveries(30);
    const rows = await deliveriesTo({ database }, endpoint);
    const { db, owner } = database;
    await recordAttempts(
      db,
      endpoint.id,
      rows.slice(0, 25).map(({ id }) => buildAttempt(id)),
      null,
    );
    const id = await beginTestResend(db, endpoint, ['delivered']);
    // Each is requested twice at once, as by an activity whose first response was lost.
    let is_done = false;
    let asked = 0;
    while (!is_done) {
      const pages = await Promise.all([resendPage(db, id, PAGE), resendPage(db, id, PAGE)]);
      asked += 2;
      is_done = pages.some((page) => page.is_done);
      expect(asked).toBeLessThan(20);
    }
    expect(await resendPage(db, id, PAGE)).toEqual({ is_done: true, queued: 25, wake: [] });
    const after = await deliveriesTo({ database }, endpoint);
    expect(after.map(({ is_resend }) => is_resend)).toEqual(rows.map((_, at) => at < 25));
    const { rows: resends } = (await owner.raw(
      'select status, queued from webhook_resends where id = ?',
      [id],
    )) as { rows: unknown[] };
    expect(resends).toEqual([{ status: 'completed', queued: 25 }]);
    // A late page does not send again what has arrived meanwhile.
    await recordAttempts(
      db,
      endpoint.id,
      rows.slice(0, 25).map((row) => buildAttempt(row.id, { number: 2, trigger: 'resend' })),
      null,
    );
    await resendPage(db, id, PAGE);
    expect(await statusesAt({ database }, endpoint)).toEqual({ delivered: 25, pending: 5 });
  });
});
