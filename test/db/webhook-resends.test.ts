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
import { beginResend, continueResend } from '../../db/webhooks/webhook-resends';
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
import { attemptsOf, deliveriesTo, statusesAt } from '../webhooks/deliveries';

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
    expect(await beginDeliveryRun(db, endpoint.id, token, 60_000)).toBe('begun');
    const claim = await claimDeliveries(db, endpoint.id, token, 10, []);
    expect(claim!.deliveries.map((delivery) => delivery.id)).toEqual([id]);
    expect(await resendDeliveries(db, [id])).toBe(1);
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
    expect(await resendDeliveries(db, [id])).toBe(1);
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
    expect(await resendDeliveries(database.db, ids)).toBe(0);
    expect(await statusesAt({ database }, endpoint)).toEqual({ held: 1 });
  });
});

describe('a range that is sent again', () => {
  it('is the only one of its endpoint until it is done', async () => {
    const [endpoint, other] = [await addDeliveries(1), await addDeliveries(1)];
    const session = await openSession(database.app_url);
    await session.query('begin');
    await session.query('select begin_resend($1)', [
      JSON.stringify(buildResend(endpoint, ['pending'])),
    ]);
    const at_once = beginResend(database.db, buildResend(endpoint, ['pending']));
    await untilLocked(database, 'begin_resend');
    await session.query('commit');
    expect(await at_once).toBeNull();
    expect(await beginResend(database.db, buildResend(other, ['pending']))).not.toBeNull();
    while (await continueResend(database.db, 100));
    expect(await beginResend(database.db, buildResend(endpoint, ['pending']))).not.toBeNull();
  });
});

describe('a range that is sent again in pages', () => {
  const PAGE = 7;

  async function stateOf(id: string): Promise<unknown> {
    const { rows } = (await database.owner.raw(
      'select status, queued from webhook_resends where id = ?',
      [id],
    )) as { rows: unknown[] };
    return rows[0];
  }

  it('queues each delivery once, however many workers queue its pages', async () => {
    const endpoint = await addDeliveries(30);
    const rows = await deliveriesTo({ database }, endpoint);
    const { db } = database;
    const attempts = rows.slice(0, 25).map(({ id }) => buildAttempt(id));
    await recordAttempts(db, endpoint.id, attempts, null);
    const id = await beginTestResend(db, endpoint, ['delivered']);
    let pages = 0;
    let are_left = true;
    while (are_left) {
      const turns = await Promise.all([continueResend(db, PAGE), continueResend(db, PAGE)]);
      pages += turns.filter(Boolean).length;
      are_left = turns.some(Boolean);
      expect(pages).toBeLessThan(20);
    }
    expect(await stateOf(id)).toEqual({ status: 'completed', queued: 25 });
    const after = await deliveriesTo({ database }, endpoint);
    expect(after.map(({ is_resend }) => is_resend)).toEqual(rows.map((_, at) => at < 25));
  });

  it('takes turns with other accounts, however many ranges one has', async () => {
    const other = await buildUser(database.db);
    const begin = async (user_id: string): Promise<string> => {
      const endpoint = await buildEndpointWithDeliveries(database, user_id, 2 * PAGE);
      return beginTestResend(database.db, endpoint, ['pending']);
    };
    const many = [await begin(merchant.id), await begin(merchant.id), await begin(merchant.id)];
    await continueResend(database.db, PAGE);
    const theirs = await begin(other.id);
    // Their first page comes at once, and one of each two from then on.
    await continueResend(database.db, PAGE);
    expect(await stateOf(theirs)).toEqual({ status: 'running', queued: PAGE });
    await continueResend(database.db, PAGE);
    await continueResend(database.db, PAGE);
    expect(await stateOf(theirs)).toEqual({ status: 'running', queued: 2 * PAGE });
    while (await continueResend(database.db, PAGE));
    for (const id of [...many, theirs]) {
      expect(await stateOf(id)).toEqual({ status: 'completed', queued: 2 * PAGE });
    }
  });

  it('is left to the worker that is at it', async () => {
    const endpoint = await addDeliveries(1);
    const id = await beginTestResend(database.db, endpoint, ['pending']);
    const holder = await database.owner.transaction();
    await holder.raw('select from webhook_resends where id = ? for update', [id]);
    expect(await continueResend(database.db, PAGE)).toBe(false);
    await holder.rollback();
    expect(await continueResend(database.db, PAGE)).toBe(true);
  });
});
