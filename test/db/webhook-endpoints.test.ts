// Endpoints in the database: what is shown of them, and what a change does to waiting deliveries.

import { randomUUID } from 'node:crypto';
import { addTestEvent, findEvent } from '../../db/webhooks/events';
import {
  createWebhookEndpoint,
  findWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../db/webhooks/webhook-endpoints';
import { deliveriesOfEvent, findDelivery } from '../../db/webhooks/webhook-deliveries';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { buildUser, type TestUser } from '../support/users';
import { addEvents, createTestEndpoint, type TestEndpoint } from '../support/webhooks';
import { deliveriesTo, statusesAt } from '../webhooks/deliveries';

const database = setUp(createTestDatabase);
let merchant: TestUser;

beforeEach(async () => {
  merchant = await buildUser(database.db);
});

const SEALED = Buffer.from('sealed');

function newEndpoint() {
  return {
    id: randomUUID(),
    user_id: merchant.id,
    environment: 'sandbox',
    url: 'https://shop.example.com/',
    types: ['payment.succeeded'],
    description: null,
    max_per_second: null,
  } as const;
}

function createEndpoint(): Promise<TestEndpoint> {
  return createTestEndpoint(database, { user_id: merchant.id, url: 'https://x.example.com/' });
}

const find = (id: string) => findWebhookEndpoint(database.db, merchant.id, 'sandbox', id);

describe('createWebhookEndpoint', () => {
  it('keeps the limit when many are created at once', async () => {
    const made = await Promise.all(
      Array.from({ length: 10 }, () =>
        createWebhookEndpoint(database.db, newEndpoint(), SEALED, 3),
      ),
    );
    expect(made.filter(Boolean)).toHaveLength(3);
    expect(await listWebhookEndpoints(database.db, merchant.id, 'sandbox')).toHaveLength(3);
  });

  it('counts disabled ones, not deleted ones, and none of the other environment or of another account', async () => {
    const [one, two] = [await createEndpoint(), await createEndpoint()];
    await updateWebhookEndpoint(database.db, one.id, { status: 'disabled' });
    const create = (fields = {}) =>
      createWebhookEndpoint(database.db, { ...newEndpoint(), ...fields }, SEALED, 2);
    expect(await create()).toBe(false);
    const { id: user_id } = await buildUser(database.db);
    expect([await create({ environment: 'live' }), await create({ user_id })]).toEqual([
      true,
      true,
    ]);
    await updateWebhookEndpoint(database.db, two.id, { status: 'deleted' });
    expect([await create(), await create()]).toEqual([true, false]);
  });
});

describe('updateWebhookEndpoint', () => {
  it('changes only what is named', async () => {
    const { id } = await createEndpoint();
    const before = await find(id);
    expect(await updateWebhookEndpoint(database.db, id, { url: undefined })).toBe(true);
    expect(await find(id)).toEqual({ ...before, updated_at: expect.any(String) as string });
  });

  it('reports that a deleted or unknown endpoint does not exist', async () => {
    const { id } = await createEndpoint();
    await updateWebhookEndpoint(database.db, id, { status: 'deleted' });
    for (const gone of [id, randomUUID()]) {
      expect(await updateWebhookEndpoint(database.db, gone, { status: 'enabled' })).toBe(false);
      expect(await rotateWebhookSecret(database.db, gone, SEALED, 60)).toBeUndefined();
      expect(await find(gone)).toBeUndefined();
    }
  });

  it('holds, releases and discards waiting deliveries with the status', async () => {
    const endpoint = await createEndpoint();
    await addEvents(database, [endpoint], 3);
    const { id } = endpoint;
    await database.owner.raw('update webhook_deliveries set tries = 4 where endpoint_id = ?', [id]);
    const steps = [
      ['disabled', { held: 3 }, 4],
      // The retry schedule begins anew.
      ['enabled', { pending: 3 }, 0],
      ['disabled', { held: 3 }, 0],
      ['deleted', { discarded: 3 }, 0],
    ] as const;
    for (const [status, statuses, tries] of steps) {
      await updateWebhookEndpoint(database.db, id, { status });
      expect(await statusesAt({ database }, endpoint)).toEqual(statuses);
      expect(await deliveriesTo({ database }, endpoint)).toMatchObject(Array(3).fill({ tries }));
    }
  });
});

describe('rotateWebhookSecret', () => {
  const stored = async (id: string) => {
    const { rows } = await database.owner.raw(
      'select sealed_secret, sealed_previous, previous_until from webhook_endpoints where id = ?',
      [id],
    );
    return rows[0] as {
      sealed_secret: Buffer;
      sealed_previous: Buffer | null;
      previous_until: string | null;
    };
  };

  it('keeps only the secret before it, and only for the overlap', async () => {
    const { id } = await createEndpoint();
    const [one, two] = [Buffer.from('one'), Buffer.from('two')];
    const { sealed_secret: first } = await stored(id);
    const until = await rotateWebhookSecret(database.db, id, one, 60);
    expect(await stored(id)).toEqual({
      sealed_secret: one,
      sealed_previous: first,
      previous_until: until,
    });
    expect((await find(id))?.previous_secret_until).toBe(until);
    await rotateWebhookSecret(database.db, id, two, 60);
    expect(await stored(id)).toMatchObject({ sealed_secret: two, sealed_previous: first });
    // The secret that was new becomes the old one after the overlap.
    await database.owner.raw('update webhook_endpoints set previous_until = now() where id = ?', [
      id,
    ]);
    await rotateWebhookSecret(database.db, id, one, 60);
    expect(await stored(id)).toMatchObject({ sealed_secret: one, sealed_previous: two });
    await rotateWebhookSecret(database.db, id, first, 0);
    expect(await stored(id)).toEqual({
      sealed_secret: first,
      sealed_previous: null,
      previous_until: null,
    });
  });

  it('shows no overlap that has ended', async () => {
    const { id } = await createEndpoint();
    await rotateWebhookSecret(database.db, id, SEALED, 60);
    await database.owner.raw('update webhook_endpoints set previous_until = now() where id = ?', [
      id,
    ]);
    expect((await find(id))?.previous_secret_until).toBeNull();
  });
});

it('addTestEvent adds an event outside of the sequence, and its one delivery', async () => {
  const [endpoint] = [await createEndpoint(), await createEndpoint()];
  const event_id = randomUUID();
  const { db } = database;
  const delivery_id = await addTestEvent(db, endpoint.id, event_id, 'payment.failed', '{"a": 1}');
  expect(await findEvent(db, merchant.id, 'sandbox', event_id)).toMatchObject({
    id: event_id,
    sequence: 0n,
    type: 'payment.failed',
    body: '{"a": 1}',
  });
  const deliveries = await deliveriesOfEvent(db, event_id, 10);
  expect(deliveries).toMatchObject([{ id: delivery_id, endpoint_id: endpoint.id }]);
  expect(await findDelivery(db, merchant.id, 'sandbox', delivery_id)).toEqual(deliveries[0]);
  expect(await findDelivery(db, merchant.id, 'live', delivery_id)).toBeUndefined();
  await expectBooksHold(db);
});
