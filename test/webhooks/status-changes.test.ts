import { deleteEndpoint } from '../../use-cases/webhook-endpoints';
import { updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { resendDeliveries } from '../../db/webhooks/webhook-deliveries';
import { waitFor } from '../support/wait';
import {
  addEvents,
  startReceiver,
  type TestEndpoint,
  type TestReceiver,
} from '../support/webhooks';
import {
  deliveriesTo,
  endpointRow,
  buildFixture,
  startTestDeliveries,
  statusesAt,
  type WebhookFixture,
} from './deliveries';

// One statement changes 5,000 of them.
const MANY = 5_500;
/** Seconds on a quiet machine. */
const LIMIT_MS = 500_000;
jest.setTimeout(LIMIT_MS + 100_000);

let fixture: WebhookFixture;
let receiver: TestReceiver;
let endpoint: TestEndpoint;

beforeEach(async () => {
  fixture = await buildFixture();
  receiver = await startReceiver();
  endpoint = await fixture.createEndpoint(receiver.url);
});

async function fill(): Promise<void> {
  for (let added = 0; added < MANY; added += 500) {
    await addEvents(fixture.database, [endpoint], 500);
  }
}

async function change(changes: Parameters<typeof updateWebhookEndpoint>[2]): Promise<void> {
  await updateWebhookEndpoint(fixture.database.db, endpoint.id, changes);
}

describe('a backlog that one statement cannot change', () => {
  it('is held, released and delivered as the endpoint is disabled and enabled', async () => {
    await fill();
    await change({ status: 'disabled' });
    startTestDeliveries(fixture, { pace: { linger_ms: 100 } });
    await waitFor(async () => (await statusesAt(fixture, endpoint))['held'] === MANY);
    expect(receiver.received).toHaveLength(0);
    await change({ status: 'enabled' });
    await waitFor(
      async () => (await statusesAt(fixture, endpoint))['delivered'] === MANY,
      LIMIT_MS,
    );
    expect(receiver.counts().size).toBe(MANY);
  });

  it('is discarded with the endpoint, whether it was held or not', async () => {
    await fill();
    await fixture.database.owner.raw(
      `update webhook_deliveries set status = 'held', next_attempt_at = null
        where endpoint_id = ? and ctid in (select ctid from webhook_deliveries limit ?)`,
      [endpoint.id, MANY / 2],
    );
    await deleteEndpoint(fixture.database, endpoint, endpoint.id);
    startTestDeliveries(fixture);
    await waitFor(async () => (await statusesAt(fixture, endpoint))['discarded'] === MANY);
    expect(receiver.received).toHaveLength(0);
  });
});

describe('a resend', () => {
  it('that is requested during an attempt is made after it when the attempt fails', async () => {
    let fail: (() => void) | undefined;
    receiver.answer = (_webhook, response) => {
      if (receiver.received.length === 1) fail = () => response.writeHead(500).end();
      else response.end('ok');
    };
    startTestDeliveries(fixture, { webhooks: { retry_seconds: [86_400] } });
    await fixture.publish([endpoint]);
    await waitFor(() => fail !== undefined);
    const [delivery] = await deliveriesTo(fixture, endpoint);
    await resendDeliveries(fixture.database.db, [delivery!.id]);
    fail!();
    await waitFor(async () => (await statusesAt(fixture, endpoint))['delivered'] === 1);
    expect(receiver.received).toHaveLength(2);
  });

  it('does not wait for the pause of its endpoint', async () => {
    receiver.answer = (_webhook, response) =>
      receiver.received.length === 1
        ? response.writeHead(503, { 'retry-after': '3600' }).end()
        : response.end('ok');
    startTestDeliveries(fixture);
    await fixture.publish([endpoint]);
    await waitFor(async () => (await endpointRow(fixture, endpoint)).paused_seconds !== null);
    const [delivery] = await deliveriesTo(fixture, endpoint);
    await resendDeliveries(fixture.database.db, [delivery!.id]);
    await waitFor(async () => (await statusesAt(fixture, endpoint))['delivered'] === 1);
  });
});
