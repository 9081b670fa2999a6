// Which worker is notified of a delivery to a quiet endpoint, and when its workflow is woken instead.

import { randomUUID } from 'node:crypto';
import {
  beginDeliveryRun,
  endDeliveryRun,
  renewWebhookWorker,
} from '../../db/webhooks/webhook-delivery-runs';
import { listen } from '../../db/listen';
import { updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, setUp } from '../support/database';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { addEvents, createTestEndpoint, type TestEndpoint } from '../support/webhooks';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));
const heard: string[] = [];

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    const listener = listen({
      url: database.app_url,
      channels: { webhook_quiet: (payload) => heard.push(payload) },
      onConnected: resolve,
    });
    closeAfterFile(() => listener.close());
  });
});

beforeEach(async () => {
  await database.owner.raw('delete from webhook_workers');
});

/** Its workflow has run, and everything arrived. */
async function makeQuiet(): Promise<TestEndpoint> {
  const endpoint = await createTestEndpoint(database, {
    user_id: merchant.id,
    url: 'https://shop.example/hooks',
  });
  const token = randomUUID();
  expect((await beginDeliveryRun(database.db, endpoint.id, token, 60_000)).state).toBe('begun');
  await endDeliveryRun(database.db, endpoint.id, token);
  return endpoint;
}

async function makeWorker(ttl_ms = 60_000): Promise<string> {
  const id = randomUUID();
  await renewWebhookWorker(database.db, id, true, ttl_ms);
  return id;
}

/** Returns what was woken, and what workers were notified of. */
async function addTo(endpoint: TestEndpoint): Promise<{ wake: readonly string[]; told: string[] }> {
  const before = heard.length;
  const { wake } = await addEvents(database, [endpoint]);
  // Notifications come in the order of their commits.
  const last = randomUUID();
  await database.owner.raw(`select pg_notify('webhook_quiet', ?)`, [last]);
  await waitFor(() => heard.includes(last));
  return { wake, told: heard.slice(before).filter((payload) => payload.includes(' ')) };
}

describe('a delivery to an endpoint without a run', () => {
  it('is told to one worker, always the same, when the endpoint is quiet', async () => {
    const endpoint = await makeQuiet();
    const workers = [await makeWorker(), await makeWorker(), await makeWorker()];
    const { wake, told } = await addTo(endpoint);
    expect(wake).toEqual([]);
    expect(told).toHaveLength(1);
    expect(workers.map((worker) => `${worker} ${endpoint.id}`)).toContain(told[0]);
    expect((await addTo(endpoint)).told).toEqual(told);
  });

  it.each([
    ['its last delivery failed', `consecutive_failures = 1, failing_since = now()`],
    ['it asked for a pause', `paused_until = now() + interval '1 minute'`],
    ['its workflow never ran', `workflow_ran_at = null`],
    ['its workflow ran an hour ago', `workflow_ran_at = now() - interval '61 minutes'`],
  ])('wakes its workflow when %s', async (_, change) => {
    const endpoint = await makeQuiet();
    await makeWorker();
    await database.owner.raw(`update webhook_endpoints set ${change} where id = ?`, [endpoint.id]);
    expect(await addTo(endpoint)).toEqual({ wake: [endpoint.id], told: [] });
  });

  it.each([
    ['is enabled again', [{ status: 'disabled' }, { status: 'enabled' }]],
    ['has another URL', [{ url: 'https://shop.example/other' }]],
  ] as const)('wakes its workflow, which may wait for a pause, when it %s', async (_, changes) => {
    const endpoint = await makeQuiet();
    await makeWorker();
    let woken: readonly string[] = [];
    for (const change of changes) {
      ({ wake: woken } = await updateWebhookEndpoint(database.db, endpoint.id, change));
    }
    expect(woken).toEqual([endpoint.id]);
  });

  it('wakes its workflow when no worker hears, or none has for a while', async () => {
    const endpoint = await makeQuiet();
    // It has sent itself a message, which may not arrive.
    const deaf = randomUUID();
    await renewWebhookWorker(database.db, deaf, false, 60_000);
    await waitFor(() => heard.includes(deaf));
    expect(await addTo(endpoint)).toEqual({ wake: [endpoint.id], told: [] });
    await makeWorker(0);
    expect(await addTo(endpoint)).toEqual({ wake: [endpoint.id], told: [] });
  });

  it('is told to the run when one holds the lease', async () => {
    const endpoint = await makeQuiet();
    await makeWorker();
    await beginDeliveryRun(database.db, endpoint.id, randomUUID(), 60_000, 'direct');
    expect(await addTo(endpoint)).toEqual({ wake: [], told: [] });
  });
});

it('a direct run does not count as one of the workflow', async () => {
  const endpoint = await makeQuiet();
  await makeWorker();
  await database.owner.raw('update webhook_endpoints set workflow_ran_at = null');
  const token = randomUUID();
  await beginDeliveryRun(database.db, endpoint.id, token, 60_000, 'direct');
  await endDeliveryRun(database.db, endpoint.id, token);
  expect(await addTo(endpoint)).toEqual({ wake: [endpoint.id], told: [] });
});
