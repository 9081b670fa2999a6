// Webhooks while Temporal is down: every request succeeds, and everything is delivered.

import { createTestDatabase, setUp } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { expectGenuine, startReceiver, type TestReceiver } from '../support/webhooks';
import { buildAccount } from './support/accounts';
import { startTemporalProxy } from './support/tcp-proxy';
import {
  call,
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

it('answers requests and delivers, because that needs Postgres only', async () => {
  await temporal.cut();
  const endpoint = await createEndpoint(merchant, { url: receiver.url });
  const path = `/webhook-endpoints/${endpoint.id}`;
  await patchEndpoint(merchant, endpoint.id, { status: 'disabled' });
  await patchEndpoint(merchant, endpoint.id, { status: 'enabled' });
  const { status, json } = await call(merchant, 'POST', `${path}/test`);
  expect(status).toBe(202);
  await waitForDelivery(
    merchant,
    { event_id: json.event_id, endpoint_id: endpoint.id },
    'delivered',
  );
  expectGenuine(receiver.received[0]!, endpoint.secret);
  const range = await call(merchant, 'POST', `${path}/resend`, { status: 'delivered' });
  expect(range).toMatchObject({ status: 202, json: { status: 'running', queued: 0 } });
  await waitFor(() => receiver.received.length === 2);
  await waitFor(async () => {
    const { json: resend } = await call(merchant, 'GET', `/webhook-resends/${range.json.id}`);
    return resend.status === 'completed' && resend.queued === 1;
  });
});
