import { deleteEndpoint } from '../../use-cases/webhook-endpoints';
import { updateWebhookEndpoint } from '../../db/webhook-endpoints';
import { queueAgain } from '../../db/webhook-deliveries';
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
  openPost,
  startDeliverer,
  statusesAt,
  workflowOf,
  type Post,
} from './deliveries';

// One statement changes 5,000 of them.
const MANY = 5_500;

let post: Post;
let receiver: TestReceiver;
let endpoint: TestEndpoint;

beforeEach(async () => {
  post = await openPost();
  receiver = await startReceiver();
  endpoint = await post.createEndpoint(receiver.url);
});

async function fill(): Promise<void> {
  for (let added = 0; added < MANY; added += 500) {
    await addEvents(post.database, [endpoint], 500);
  }
}

async function change(changes: Parameters<typeof updateWebhookEndpoint>[2]): Promise<void> {
  const { wake } = await updateWebhookEndpoint(post.database.db, endpoint.id, changes);
  post.waker.wake(wake);
}

describe('a backlog that one statement cannot change', () => {
  it('is held, released and delivered as the endpoint is disabled and enabled', async () => {
    await fill();
    await startDeliverer(post, { pace: { linger_ms: 100 } });
    await change({ status: 'disabled' });
    await waitFor(async () => (await statusesAt(post, endpoint))['held'] === MANY, 20_000);
    expect(receiver.received).toHaveLength(0);
    await change({ status: 'enabled' });
    await waitFor(async () => (await statusesAt(post, endpoint))['delivered'] === MANY, 45_000);
    expect(receiver.counts().size).toBe(MANY);
    await workflowOf(post, endpoint).result();
  }, 90_000);

  it('is given up with the endpoint, what was held and what was not', async () => {
    await fill();
    await post.database.owner.raw(
      `update webhook_deliveries set status = 'held', next_attempt_at = null
        where endpoint_id = ? and ctid in (select ctid from webhook_deliveries limit ?)`,
      [endpoint.id, MANY / 2],
    );
    await startDeliverer(post);
    // As API and command line do it: who is to be woken is told them.
    const deleted = await deleteEndpoint(post.database, endpoint, endpoint.id);
    post.waker.wake(deleted.ok ? deleted.wake : []);
    await waitFor(async () => (await statusesAt(post, endpoint))['discarded'] === MANY, 20_000);
    await workflowOf(post, endpoint).result();
    expect(receiver.received).toHaveLength(0);
  }, 60_000);
});

describe('a resend', () => {
  it('asked for while an attempt is under way comes after it when that fails', async () => {
    let fail: (() => void) | undefined;
    receiver.answer = (_webhook, response) => {
      if (receiver.received.length === 1) fail = () => response.writeHead(500).end();
      else response.end('ok');
    };
    await startDeliverer(post, { deliveries: { retry_seconds: [86_400] } });
    await post.publish([endpoint]);
    await waitFor(() => fail !== undefined);
    const [delivery] = await deliveriesTo(post, endpoint);
    await queueAgain(post.database.db, [delivery!.id]);
    fail!();
    await waitFor(async () => (await statusesAt(post, endpoint))['delivered'] === 1);
    expect(receiver.received).toHaveLength(2);
  });

  it('does not wait for the pause of its endpoint', async () => {
    receiver.answer = (_webhook, response) =>
      receiver.received.length === 1
        ? response.writeHead(503, { 'retry-after': '3600' }).end()
        : response.end('ok');
    await startDeliverer(post);
    await post.publish([endpoint]);
    await waitFor(async () => (await endpointRow(post, endpoint)).paused_seconds !== null);
    const [delivery] = await deliveriesTo(post, endpoint);
    const { wake } = await queueAgain(post.database.db, [delivery!.id]);
    post.waker.wake(wake);
    await waitFor(async () => (await statusesAt(post, endpoint))['delivered'] === 1);
  });
});
