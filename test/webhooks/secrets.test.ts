import { rotateWebhookSecret } from '../../db/webhooks/webhook-endpoints';
import { isServiceSignature, makeWebhookSecret } from '../../secrets/webhook-secret';
import { waitFor } from '../support/wait';
import {
  expectGenuine,
  isStandardWebhook,
  startReceiver,
  testSealer,
  type ReceivedWebhook,
} from '../support/webhooks';
import {
  endpointRow,
  buildFixture,
  startTestDeliveries,
  statusesAt,
  untilAll,
  type WebhookFixture,
} from './deliveries';

let fixture: WebhookFixture;
const logged: Readonly<Record<string, unknown>>[] = [];

beforeAll(async () => {
  fixture = await buildFixture();
  // Frequent polls, because a rotation is seen by the next claim.
  startTestDeliveries(fixture, {
    pace: { poll_ms: 50, linger_ms: 200 },
    log: (entry) => logged.push(entry),
  });
});

it('F25: a delivery after a rotation of its secret is signed with both during the overlap, and with the new one alone when there is none', async () => {
  const receiver = await startReceiver();
  const endpoint = await fixture.createEndpoint(receiver.url);
  const arrive = async (): Promise<ReceivedWebhook> => {
    const [id] = await fixture.publish([endpoint]);
    return waitFor(() => receiver.received.find((webhook) => webhook.id === id));
  };
  expectGenuine(await arrive(), endpoint.secret);
  const second = makeWebhookSecret();
  const { id } = endpoint;
  await rotateWebhookSecret(fixture.database.db, id, testSealer.seal(second, id), 3_600);
  const both = await arrive();
  // A receiver that knows only the old secret reads the usual header.
  expectGenuine(both, endpoint.secret);
  const next = both.headers['x-service-signature-next'];
  expect(isServiceSignature(both.body, next, second)).toBe(true);
  expect(isStandardWebhook(both, second)).toBe(true);
  const end = 'update webhook_endpoints set previous_until = now() where id = ?';
  await fixture.database.owner.raw(end, [id]);
  const after = await arrive();
  expect(isStandardWebhook(after, endpoint.secret)).toBe(false);
  expectGenuine(after, second);
  expect(after.headers['x-service-signature-next']).toBeUndefined();
});

describe('F19: an endpoint whose secret cannot be opened', () => {
  it('keeps failing where an operator sees it, and holds up no other endpoint', async () => {
    const [poisoned, healthy] = [await startReceiver(), await startReceiver()];
    const poison = await fixture.createEndpoint(poisoned.url);
    const endpoint = await fixture.createEndpoint(healthy.url);
    // The sealed secret of another row, which cannot be opened in this one.
    await fixture.database.owner.raw(
      `update webhook_endpoints set sealed_secret =
         (select sealed_secret from webhook_endpoints where id = ?) where id = ?`,
      [endpoint.id, poison.id],
    );
    await fixture.publish([poison, endpoint], 3);
    await waitFor(() => logged.length > 0);
    expect(logged[0]).toEqual({
      part: 'webhook-delivery',
      endpoint_id: poison.id,
      error: expect.stringContaining('The encrypted value was changed, or belongs elsewhere.'),
    });
    // The healthy endpoint gets everything, also after such a failure.
    await fixture.publish([endpoint], 20);
    await waitFor(() => healthy.counts().size === 23);
    for (const webhook of healthy.received) expectGenuine(webhook, endpoint.secret);
    expect(healthy.received).toHaveLength(23);
    expect(poisoned.received).toEqual([]);
    expect(await statusesAt(fixture, poison)).toEqual({ pending: 3 });
    // None of the failures counts as the receiver's.
    expect(await endpointRow(fixture, poison)).toMatchObject({ consecutive_failures: 0 });

    // Once it can be opened, all of it arrives.
    const { id, secret } = poison;
    await fixture.database.owner.raw(
      'update webhook_endpoints set sealed_secret = ? where id = ?',
      [testSealer.seal(secret, id), id],
    );
    await untilAll(fixture, poison, 'delivered');
    for (const webhook of poisoned.received) expectGenuine(webhook, secret);
    expect([...poisoned.counts().values()]).toEqual([1, 1, 1]);
  });
});
