import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { createEndpointWaker, type EndpointWaker } from '../../temporal/webhook-endpoints';
import { webhookWorkflowId } from '../../domain/ids';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildUser, type TestUser } from '../support/users';
import { startTestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { addEvents, createTestEndpoint, expectGenuine, startReceiver } from '../support/webhooks';

let database: TestDatabase;
let merchant: TestUser;
let temporal: Client;
let waker: EndpointWaker;

beforeAll(async () => {
  database = await createTestDatabase();
  const task_queue = `test-${randomBytes(8).toString('hex')}`;
  await startTestService({ database, webhooks: true, overrides: { task_queue } });
  merchant = await buildUser(database.db);
  temporal = await connectTestTemporal();
  waker = createEndpointWaker({
    temporal,
    task_queue,
    onError: (_id, error) => {
      throw error;
    },
  });
});

describe('an endpoint that answers', () => {
  it('gets each event once, signed, and its workflow ends when nothing is left', async () => {
    const receiver = await startReceiver();
    const endpoint = await createTestEndpoint(database, {
      user_id: merchant.id,
      url: receiver.url,
    });
    const { ids, wake } = await addEvents(database, [endpoint], 200);
    expect(wake).toEqual([endpoint.id]);
    waker.wake(wake);
    await waitFor(() => receiver.received.length >= 200);
    expect([...receiver.counts()].filter(([, times]) => times !== 1)).toEqual([]);
    expect(new Set(receiver.counts().keys())).toEqual(new Set(ids));
    for (const webhook of receiver.received) expectGenuine(webhook, endpoint.secret);
    await temporal.workflow.getHandle(webhookWorkflowId(endpoint.id)).result();
    const { rows } = await database.owner.raw(
      'select status, count(*)::int from webhook_deliveries where endpoint_id = ? group by 1',
      [endpoint.id],
    );
    expect(rows).toEqual([{ status: 'delivered', count: 200 }]);
  });
});
