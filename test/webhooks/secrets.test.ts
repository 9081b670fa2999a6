import { Webhook } from 'standardwebhooks';
import { rotateWebhookSecret } from '../../db/webhooks/webhook-endpoints';
import { isServiceSignature, makeWebhookSecret } from '../../secrets/webhook-secret';
import { waitFor } from '../support/wait';
import {
  expectGenuine,
  startReceiver,
  testSealer,
  type ReceivedWebhook,
  type TestEndpoint,
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
    webhooks: { concurrency: 4, retry_seconds: Array<number>(30).fill(0.05) },
    pace: { poll_ms: 50, linger_ms: 200 },
    log: (entry) => logged.push(entry),
  });
});

/** Returns the new secret. */
async function rotate({ id }: TestEndpoint, overlap_seconds: number): Promise<string> {
  const secret = makeWebhookSecret();
  const until = await rotateWebhookSecret(
    fixture.database.db,
    id,
    testSealer.seal(secret, id),
    overlap_seconds,
  );
  expect(until).toBeDefined();
  return secret;
}

/**
 * Whether a receiver that knows only this secret accepts the webhook, by each of the two schemes.
 */
function verdicts({ headers, body }: ReceivedWebhook, secret: string) {
  const service = ['x-service-signature', 'x-service-signature-next'].some((name) =>
    isServiceSignature(body, headers[name], secret),
  );
  let standard = true;
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
  } catch {
    standard = false;
  }
  return { service, standard };
}

const GENUINE = { service: true, standard: true };
const FORGED = { service: false, standard: false };

describe('F25: a secret that is rotated while events flow and are retried', () => {
  it('I8: each delivery is verified by a secret of its time, the old or the new one', async () => {
    const receiver = await startReceiver();
    const endpoint = await fixture.createEndpoint(receiver.url);
    // Some deliveries are tried several times, across rotations.
    receiver.answer = (webhook, response) => {
      const isRefused =
        receiver.received.length % 3 === 0 && receiver.counts().get(webhook.id)! < 5;
      response.writeHead(isRefused ? 500 : 200).end();
    };
    /** Secrets have the times at which their rotation began and was committed. */
    const secrets = [{ secret: endpoint.secret, begun: -Infinity, done: -Infinity }];
    let published = 0;
    for (let round = 0; round < 12; round += 1) {
      await fixture.publish([endpoint], 8);
      published += 8;
      const enough = published - 4;
      await waitFor(() => receiver.counts().size >= enough);
      const begun = performance.now();
      // Ends the last overlap, or the secret from before it would stay.
      await fixture.database.owner.raw(
        'update webhook_endpoints set previous_until = now() where id = ? and previous_until > now()',
        [endpoint.id],
      );
      const secret = await rotate(endpoint, 3_600);
      secrets.push({ secret, begun, done: performance.now() });
    }
    await untilAll(fixture, endpoint, 'delivered');
    expect(receiver.counts().size).toBe(published);
    expect(receiver.received.length).toBeGreaterThan(published);
    for (const webhook of receiver.received) {
      // A receiver may know the secret of that time; a delivery that was being sent during the
      // rotation was signed with the one before.
      const now = secrets.findLastIndex(({ begun }) => begun <= webhook.at);
      const known = secrets.slice(Math.max(0, now - 1), now + 1);
      const believed = known.filter(({ secret }) => {
        const { service, standard } = verdicts(webhook, secret);
        expect(service).toBe(standard);
        return standard;
      });
      expect(believed.length).toBeGreaterThan(0);
      // Older secrets verify nothing.
      for (const { secret } of secrets.slice(0, Math.max(0, now - 2))) {
        expect(verdicts(webhook, secret)).toEqual(FORGED);
      }
    }
    // All attempts of an event have the same id and bytes.
    for (const id of receiver.counts().keys()) {
      const attempts = receiver.received.filter((webhook) => webhook.id === id);
      expect(new Set(attempts.map(({ body }) => body)).size).toBe(1);
      expect(new Set(attempts.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    }
  });

  it('is signed with both during the overlap, and with the new one alone when there is none', async () => {
    const receiver = await startReceiver();
    const endpoint = await fixture.createEndpoint(receiver.url);
    const arrive = async (): Promise<ReceivedWebhook> => {
      const [id] = await fixture.publish([endpoint]);
      return waitFor(() => receiver.received.find((webhook) => webhook.id === id));
    };
    expectGenuine(await arrive(), endpoint.secret);
    const second = await rotate(endpoint, 3_600);
    const both = await arrive();
    expect(verdicts(both, endpoint.secret)).toEqual(GENUINE);
    expect(verdicts(both, second)).toEqual(GENUINE);
    // A receiver that knows only the old secret reads the usual header.
    expectGenuine(both, endpoint.secret);
    // A second rotation within the overlap ends the one in between.
    const third = await rotate(endpoint, 3_600);
    const later = await arrive();
    expect([endpoint.secret, second, third].map((secret) => verdicts(later, secret))).toEqual([
      GENUINE,
      FORGED,
      GENUINE,
    ]);
    const fourth = await rotate(endpoint, 0);
    const last = await arrive();
    expect(verdicts(last, third)).toEqual(FORGED);
    expectGenuine(last, fourth);
    expect(last.headers['x-service-signature-next']).toBeUndefined();
  });
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
    await waitFor(() => healthy.counts().size === 3);
    await fixture.publish([poison, endpoint], 20);
    await waitFor(() => healthy.counts().size === 23);
    for (const webhook of healthy.received) expectGenuine(webhook, endpoint.secret);
    expect(healthy.received).toHaveLength(23);
    expect(poisoned.received).toEqual([]);
    expect(await statusesAt(fixture, poison)).toEqual({ pending: 23 });
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
    expect([...poisoned.counts().values()]).toEqual(Array(23).fill(1));
  });
});
