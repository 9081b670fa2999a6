// A change in the dashboard wakes the endpoint's workflow, as one by the API does. No process here
// delivers webhooks, so that no sweeper wakes it instead.

import type { Client } from '@temporalio/client';
import { listDeliveries } from '../../db/webhooks/webhook-deliveries';
import { updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { webhookResendWorkflowId, webhookWorkflowId } from '../../domain/ids';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { addEvents, createTestEndpoint } from '../support/webhooks';
import { signInOwner, type Member } from './accounts';

let database: TestDatabase;
let owner: Member;
let temporal: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  temporal = await connectTestTemporal();
  owner = await signInOwner(await startTestService({ database }), database);
});

async function exists(workflow_id: string): Promise<boolean> {
  // It fails for an unknown one.
  return temporal.workflow
    .getHandle(workflow_id)
    .describe()
    .then(() => true)
    .catch(() => false);
}

async function newEndpoint(): Promise<{ readonly id: string; readonly delivery_id: string }> {
  const user_id = owner.user.id;
  const endpoint = await createTestEndpoint(database, { user_id, url: 'https://shop.example/' });
  await addEvents(database, [endpoint]);
  const [delivery] = await listDeliveries(database.db, {
    user_id,
    environment: 'sandbox',
    before: undefined,
    limit: 1,
    filters: { endpoint_id: endpoint.id },
  });
  return { id: endpoint.id, delivery_id: delivery!.id };
}

it('by enabling, which releases what was held', async () => {
  const { visitor } = owner;
  const { id } = await newEndpoint();
  await updateWebhookEndpoint(database.db, id, { status: 'disabled' });
  expect(await exists(webhookWorkflowId(id))).toBe(false);
  await visitor.open(`/webhooks/${id}`);
  await visitor.submit(`/webhooks/${id}/status`);
  await waitFor(() => exists(webhookWorkflowId(id)));
});

it('by a test event', async () => {
  const { visitor } = owner;
  const { id } = await newEndpoint();
  expect(await exists(webhookWorkflowId(id))).toBe(false);
  await visitor.open(`/webhooks/${id}`);
  await visitor.submit(`/webhooks/${id}/test`, { event_type: 'payment.expired' });
  await waitFor(() => exists(webhookWorkflowId(id)));
});

it('by sending one delivery again', async () => {
  const { visitor } = owner;
  const { id, delivery_id } = await newEndpoint();
  expect(await exists(webhookWorkflowId(id))).toBe(false);
  await visitor.open(`/deliveries/${delivery_id}`);
  await visitor.submit(`/deliveries/${delivery_id}/resend`);
  await waitFor(() => exists(webhookWorkflowId(id)));
});

it('by sending a period again, which has a workflow of its own', async () => {
  const { visitor } = owner;
  const { id } = await newEndpoint();
  await visitor.open(`/webhooks/${id}/resend`);
  await visitor.submit(`/webhooks/${id}/resend`, { statuses: 'pending' });
  const { rows } = await database.owner.raw<{ rows: { id: string }[] }>(
    'select id from webhook_resends where endpoint_id = ?',
    [id],
  );
  await waitFor(() => exists(webhookResendWorkflowId(rows[0]!.id)));
});
