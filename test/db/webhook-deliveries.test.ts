// Deliveries and events in the database: in the promised order, and queued again. Whose they are is in
// test/api/ownership.test.ts.

import { randomUUID } from 'node:crypto';
import { listEvents } from '../../db/webhooks/events';
import { listLastAttempts } from '../../db/webhooks/webhook-attempts';
import {
  addDelivery,
  deliveriesOfEvent,
  listDeliveries,
  resendDeliveries,
} from '../../db/webhooks/webhook-deliveries';
import { updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { EVENT_TYPES } from '../../domain/event';
import { createTestDatabase, openSession, setUp } from '../support/database';
import { buildUser, type TestUser } from '../support/users';
import { addEvents, createTestEndpoint, type TestEndpoint } from '../support/webhooks';

const database = setUp(createTestDatabase);
let merchant: TestUser;
let endpoint: TestEndpoint;

beforeEach(async () => {
  merchant = await buildUser(database.db);
  endpoint = await createEndpoint();
});

function createEndpoint(): Promise<TestEndpoint> {
  return createTestEndpoint(database, { user_id: merchant.id, url: 'https://x.example.com/' });
}

const query = (filters = {}) => ({
  user_id: merchant.id,
  environment: 'sandbox' as const,
  before: undefined,
  limit: 100,
  filters,
});

async function setStatus(id: string, status: string): Promise<void> {
  await database.owner.raw(
    `update webhook_deliveries set status = ?, tries = 4,
            next_attempt_at = case when ? = 'pending' then now() + interval '1 hour' end,
            delivered_at = case when ? = 'delivered' then now() end
      where id = ?`,
    [status, status, status, id],
  );
}

async function rowOf(id: string) {
  const { rows } = await database.owner.raw(
    `select status, tries, is_resend, next_attempt_at <= now() as is_due
       from webhook_deliveries where id = ?`,
    [id],
  );
  return rows[0];
}

describe('listDeliveries', () => {
  it('has a unique time for each delivery of one event', async () => {
    const endpoints = [endpoint, await createEndpoint(), await createEndpoint()];
    await addEvents(database, endpoints, 20);
    const rows = await listDeliveries(database.db, query());
    const moments = rows.map(({ created_at }) => created_at);
    expect(new Set(moments).size).toBe(60);
    expect(moments).toEqual([...moments].sort().reverse());
  });

  it('still shows those of a deleted endpoint', async () => {
    await addEvents(database, [endpoint]);
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'deleted' });
    expect(await listDeliveries(database.db, query({ endpoint_id: endpoint.id }))).toMatchObject([
      { status: 'discarded' },
    ]);
  });
});

describe('resendDeliveries', () => {
  it.each([
    ['pending', 4],
    ['held', 0],
    ['exhausted', 0],
    ['delivered', 0],
  ])('of what is %s sends it at once, with %i tries behind it', async (status, tries) => {
    await addEvents(database, [endpoint]);
    const { id } = (await listDeliveries(database.db, query()))[0]!;
    await setStatus(id, status);
    expect(await resendDeliveries(database.db, [id])).toBe(1);
    expect(await rowOf(id)).toEqual({ status: 'pending', tries, is_resend: true, is_due: true });
  });

  it.each(['disabled', 'deleted'] as const)(
    'leaves the deliveries of an endpoint that is %s as they are',
    async (status) => {
      await addEvents(database, [endpoint]);
      const { id } = (await listDeliveries(database.db, query()))[0]!;
      await updateWebhookEndpoint(database.db, endpoint.id, { status });
      const before = await rowOf(id);
      expect(await resendDeliveries(database.db, [id])).toBe(0);
      expect(await rowOf(id)).toEqual(before);
    },
  );

  it('does nothing without deliveries', async () => {
    expect(await resendDeliveries(database.db, [])).toBe(0);
    expect(await resendDeliveries(database.db, [randomUUID()])).toBe(0);
  });
});

describe('addDelivery', () => {
  it('adds one, once, whatever types the endpoint chose', async () => {
    const ids = await addEvents(database, [endpoint]);
    const [event_id] = ids as [string];
    const later = await createEndpoint();
    await Promise.all(
      Array.from({ length: 6 }, () => addDelivery(database.db, event_id, later.id)),
    );
    const of = await deliveriesOfEvent(database.db, event_id, 10);
    expect(of.map(({ endpoint_id }) => endpoint_id)).toEqual([endpoint.id, later.id]);
  });

  it('holds it at a disabled endpoint', async () => {
    const ids = await addEvents(database, [endpoint]);
    const later = await createEndpoint();
    await updateWebhookEndpoint(database.db, later.id, { status: 'disabled' });
    await addDelivery(database.db, ids[0]!, later.id);
    const [, held] = await deliveriesOfEvent(database.db, ids[0]!, 10);
    expect(held).toMatchObject({ endpoint_id: later.id, status: 'held', next_attempt_at: null });
  });
});

it('the last attempts of several deliveries are those with the highest numbers of each', async () => {
  const other = await createEndpoint();
  const ids = await addEvents(database, [endpoint, other]);
  const deliveries = await deliveriesOfEvent(database.db, ids[0]!, 10);
  const [one, two] = deliveries.map(({ id }) => id) as [string, string];
  await database.owner.raw(
    `insert into webhook_attempts (delivery_id, number, trigger, url, started_at,
       duration_ms, outcome, response_truncated, recorded_at)
     select d::uuid, n, 'automatic', 'https://x.example', now(), 1, 'timeout', false, now()
       from unnest(?::text[]) d, generate_series(1, 12) n`,
    [[one, two]],
  );
  const last = await listLastAttempts(database.db, [one, two], 2);
  const pairs = last.map(({ delivery_id, number }) => `${delivery_id} ${number}`);
  expect(pairs.sort()).toEqual([one, two].flatMap((id) => [`${id} 11`, `${id} 12`]).sort());
  expect(await listLastAttempts(database.db, [], 2)).toEqual([]);
});

describe('listEvents', () => {
  const insertEvents = (count: number) =>
    database.owner.raw(
      `insert into events (id, user_id, environment, sequence, type, transfer_reference, body, created_at)
       select gen_random_uuid(), :user, 'sandbox', next_event_sequence(:user, 'sandbox'),
              (:types::text[])[1 + n % 3], n, '{}', now()
         from generate_series(0, :count - 1) n`,
      { user: merchant.id, types: EVENT_TYPES.slice(0, 3), count },
    );

  const list = async (after: bigint, limit = 100, types?: readonly ['payment.failed']) => {
    const events = await listEvents(database.db, {
      user_id: merchant.id,
      environment: 'sandbox',
      after,
      limit,
      types,
    });
    return events.map(({ sequence }) => Number(sequence));
  };

  it('goes on after the last page, without test events', async () => {
    await insertEvents(9);
    await addEvents(database, [endpoint], 3);
    expect(await list(0n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await list(4n, 2)).toEqual([5, 6]);
    expect(await list(9n)).toEqual([]);
    expect(await list(0n, 100, ['payment.failed'])).toEqual([2, 5, 8]);
    expect(await list(2n, 1, ['payment.failed'])).toEqual([5]);
  });

  it('never shows a number before a lower one', async () => {
    // A sequence is taken and not committed: the next event waits for it.
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query(`select next_event_sequence($1, 'sandbox')`, [merchant.id]);
    const inserting = insertEvents(1);
    expect(await list(0n)).toEqual([]);
    await session.query('rollback');
    await inserting;
    expect(await list(0n)).toEqual([1]);
  });
});
