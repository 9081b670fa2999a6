import type { ServerResponse } from 'node:http';
import { resendDeliveries } from '../../db/webhooks/webhook-deliveries';
import { waitFor } from '../support/wait';
import { expectGenuine, startReceiver, type ReceivedWebhook } from '../support/webhooks';
import {
  attemptsOf,
  deliveriesTo,
  endpointRow,
  buildFixture,
  startTestDeliveries,
  untilAll,
  untilNoRun,
  type WebhookFixture,
} from './deliveries';

const RETRY_SECONDS = [0.1, 0.2, 0.4];
const TRIES = RETRY_SECONDS.length + 1;

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await buildFixture();
  startTestDeliveries(fixture, {
    webhooks: { retry_seconds: RETRY_SECONDS },
    pace: { poll_ms: 50, linger_ms: 200 },
  });
});

type HttpResponse = (response: ServerResponse, webhook: ReceivedWebhook) => unknown;

type Story = Awaited<ReturnType<typeof tell>>;

/** One event to an endpoint of its own. */
async function tell(answer: HttpResponse, url?: string) {
  const receiver = await startReceiver();
  receiver.answer = (webhook, response) => answer(response, webhook);
  const endpoint = await fixture.createEndpoint(url ?? receiver.url);
  await fixture.publish([endpoint]);
  return { endpoint, receiver, delivery: async () => (await deliveriesTo(fixture, endpoint))[0]! };
}

function expectSameEachTime({ receiver: { received }, endpoint }: Story): void {
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  for (const webhook of received) {
    expect(webhook.headers['webhook-id']).toBe(webhook.id);
    expectGenuine(webhook, endpoint.secret);
  }
}

describe('a delivery that fails', () => {
  it.each([
    {
      name: 'a 500',
      answer: (response: ServerResponse) => response.writeHead(500).end('x'.repeat(30_000)),
      found: { outcome: 'refused', status: 500, response_body: 'x'.repeat(16_384) },
    },
    {
      name: 'a connection that is cut',
      answer: (response: ServerResponse) => response.socket!.resetAndDestroy(),
      found: { outcome: 'connection_failed', status: null, response_body: null },
    },
    {
      name: 'an address that is not public',
      url: 'http://10.0.0.1/',
      answer: (response: ServerResponse) => response.end(),
      found: { outcome: 'blocked', status: null, response_body: null },
    },
  ])(
    'is tried by the schedule, the same bytes each time, and then exhausted: $name',
    async ({ answer, url, found }) => {
      const story = await tell(answer, url);
      const { receiver, endpoint } = story;
      await untilAll(fixture, endpoint, 'exhausted');
      const { id, ...delivery } = await story.delivery();
      expect(delivery).toMatchObject({ attempts: TRIES, tries: TRIES, next_in_seconds: null });
      expect(receiver.received).toHaveLength(url === undefined ? TRIES : 0);
      if (url === undefined) expectSameEachTime(story);
      const attempts = await attemptsOf(fixture, id);
      expect(attempts).toMatchObject(
        Array.from({ length: TRIES }, (_, at) => ({
          number: at + 1,
          trigger: 'automatic',
          url: url ?? receiver.url,
          ...found,
        })),
      );
      for (const [at, { started }] of attempts.slice(1).entries()) {
        const before = attempts[at]!;
        // Durations are whole milliseconds. A wait may be a fifth shorter than planned.
        const waited = started - (before.started + before.duration_ms) + 2;
        expect(waited).toBeGreaterThanOrEqual(RETRY_SECONDS[at]! * 1_000 * 0.8);
      }
      await untilNoRun(fixture, endpoint);
      expect(await endpointRow(fixture, endpoint)).toMatchObject({
        status: 'enabled',
        consecutive_failures: TRIES,
        leased_until: null,
        last_failure: { outcome: found.outcome, status: found.status },
      });
    },
  );

  it('arrives when the receiver recovers in between', async () => {
    const story = await tell((response) =>
      response.writeHead(story.receiver.received.length < 3 ? 500 : 204).end(),
    );
    await untilAll(fixture, story.endpoint, 'delivered');
    const { id, attempts, next_in_seconds } = await story.delivery();
    expect({ attempts, next_in_seconds }).toEqual({ attempts: 3, next_in_seconds: null });
    expect((await attemptsOf(fixture, id)).map(({ status }) => status)).toEqual([500, 500, 204]);
    expectSameEachTime(story);
    await untilNoRun(fixture, story.endpoint);
    expect(await endpointRow(fixture, story.endpoint)).toMatchObject({
      consecutive_failures: 0,
      failing_since: null,
      paused_seconds: null,
    });
    // Nothing is tried again after that.
    expect(story.receiver.received).toHaveLength(3);
  });

  it('and its endpoint are put off as Retry-After asks, by a day at most, unless it is sent again', async () => {
    const story = await tell((response) =>
      story.receiver.received.length === 1
        ? response.writeHead(503, { 'retry-after': '999999999' }).end()
        : response.end(),
    );
    const { paused_seconds } = await waitFor(async () => {
      const row = await endpointRow(fixture, story.endpoint);
      return row.paused_seconds !== null && row;
    });
    const { id, status, next_in_seconds } = await story.delivery();
    expect(status).toBe('pending');
    for (const seconds of [paused_seconds, next_in_seconds]) {
      expect(seconds).toBeLessThanOrEqual(86_400);
      expect(seconds).toBeGreaterThan(86_400 - 30);
    }
    expect((await attemptsOf(fixture, id))[0]).toMatchObject({ retry_after_seconds: 86_400 });
    await resendDeliveries(fixture.database.db, [id]);
    await untilAll(fixture, story.endpoint, 'delivered');
  });
});
