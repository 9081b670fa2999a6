// The webhook API while Temporal is down: every request succeeds and nothing is delivered. Once Temporal
// is back, the sweeper finds what is due and everything is delivered.

import { createTestDatabase, setUp } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { expectGenuine, startReceiver, type TestReceiver } from '../support/webhooks';
import { buildAccount } from './support/accounts';
import { startTemporalProxy } from './support/tcp-proxy';
import {
  call,
  listDeliveries,
  createEndpoint,
  patchEndpoint,
  waitForDelivery,
  type Merchant,
} from './support/webhooks';

const database = setUp(createTestDatabase);
const temporal = setUp(startTemporalProxy);
let service: TestService;
let receiver: TestReceiver;
let merchant: Merchant;

beforeAll(async () => {
  const overrides = { temporal_address: temporal.address };
  service = await startTestService({ database, webhooks: true, overrides });
  receiver = await startReceiver();
  merchant = { service, key: (await buildAccount(database)).sandbox };
});

it('answers requests that need Postgres only, and delivers when Temporal is back', async () => {
  await temporal.cut();
  const asked_at = performance.now();
  const endpoint = await createEndpoint(merchant, { url: receiver.url });
  const path = `/webhook-endpoints/${endpoint.id}`;
  const sent = await call(merchant, 'POST', `${path}/test`);
  expect(sent.status).toBe(202);
  await patchEndpoint(merchant, endpoint.id, { status: 'disabled' });
  expect(await listDeliveries(merchant)).toMatchObject([{ status: 'held' }]);
  await patchEndpoint(merchant, endpoint.id, { status: 'enabled' });
  const { delivery_id, event_id } = sent.json;
  expect((await call(merchant, 'POST', `/webhook-deliveries/${delivery_id}/resend`)).status).toBe(
    202,
  );
  const range = await call(merchant, 'POST', `${path}/resend`);
  expect(range).toMatchObject({ status: 202, json: { status: 'running', queued: 0 } });
  expect(performance.now() - asked_at).toBeLessThan(10_000);
  expect(receiver.received).toEqual([]);

  await temporal.restore();
  await waitFor(() => receiver.received.length >= 1);
  expectGenuine(receiver.received[0]!, endpoint.secret);
  await waitFor(async () => {
    const { json } = await call(merchant, 'GET', `/webhook-resends/${range.json.id}`);
    return json.status === 'completed';
  });
  await waitForDelivery(merchant, { event_id, endpoint_id: endpoint.id }, 'delivered');
});
