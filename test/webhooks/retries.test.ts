import type { ServerResponse } from 'node:http';
import { waitFor } from '../support/wait';
import {
  expectGenuine,
  startReceiver,
  type ReceivedWebhook,
  type TestEndpoint,
  type TestReceiver,
} from '../support/webhooks';
import {
  attemptsOf,
  deliveriesTo,
  endpointRow,
  buildFixture,
  startTestDeliveries,
  untilAll,
  untilNoRun,
  type DeliveryRow,
  type WebhookFixture,
} from './deliveries';

const RETRY_SECONDS = [0.2, 0.4, 0.8];
const TRIES = RETRY_SECONDS.length + 1;
const MAX_BODY_BYTES = 16 * 1_024;
const TIMEOUT_MS = 3_000;
/** A delivery run that lingers polls once a second; the rest is for a machine that stands still. */
const LATE_MS = 10_000;

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await buildFixture();
  startTestDeliveries(fixture, {
    webhooks: { retry_seconds: RETRY_SECONDS, timeout_ms: TIMEOUT_MS },
  });
});

type HttpResponse = (response: ServerResponse, webhook: ReceivedWebhook) => unknown;

interface Story {
  readonly endpoint: TestEndpoint;
  readonly receiver: TestReceiver;
  readonly delivery: () => Promise<DeliveryRow>;
}

/** One event to an endpoint of its own. */
async function tell(answer: HttpResponse): Promise<Story> {
  const receiver = await startReceiver();
  receiver.answer = (webhook, response) => answer(response, webhook);
  const endpoint = await fixture.createEndpoint(receiver.url);
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

const FAILURES: Readonly<
  Record<string, { answer: HttpResponse; outcome: string; status: number | null }>
> = {
  'a 500': {
    answer: (response) => response.writeHead(500).end(`<html>${'x'.repeat(30_000)}`),
    outcome: 'refused',
    status: 500,
  },
  'a 404': {
    answer: (response) => response.writeHead(404).end('who?'),
    outcome: 'refused',
    status: 404,
  },
  'a redirect, which is not followed': {
    answer: (response, { headers }) =>
      response.writeHead(302, { location: `http://${headers.host}/elsewhere` }).end(),
    outcome: 'refused',
    status: 302,
  },
  'no answer': { answer: () => undefined, outcome: 'timeout', status: null },
  'a connection that is cut': {
    answer: (response) => response.socket!.resetAndDestroy(),
    outcome: 'connection_failed',
    status: null,
  },
  'an answer that is cut': {
    answer(response) {
      response.writeHead(500, { 'content-length': '100' }).write('half');
      response.socket!.end();
    },
    outcome: 'refused',
    status: 500,
  },
};

describe('a delivery that fails', () => {
  const stories = new Map<string, Story>();

  // All at once, because each waits a while.
  beforeAll(async () => {
    for (const [name, { answer }] of Object.entries(FAILURES)) {
      stories.set(name, await tell(answer));
    }
  });

  it.each(Object.entries(FAILURES))(
    'is tried by the schedule, the same bytes each time, and then exhausted: %s',
    async (name, { outcome, status }) => {
      const story = stories.get(name)!;
      const { receiver, endpoint } = story;
      await untilAll(fixture, endpoint, 'exhausted');
      const { id, ...delivery } = await story.delivery();
      expect(delivery).toMatchObject({ attempts: TRIES, tries: TRIES, next_in_seconds: null });
      expect(receiver.received).toHaveLength(TRIES);
      expect(new Set(receiver.received.map(({ path }) => path))).toEqual(new Set(['/hooks']));
      expectSameEachTime(story);
      const attempts = await attemptsOf(fixture, id);
      expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
      for (const [at, attempt] of attempts.entries()) {
        expect(attempt).toMatchObject({ outcome, status, trigger: 'automatic', url: receiver.url });
        expect(Buffer.byteLength(attempt.response_body ?? '')).toBeLessThanOrEqual(MAX_BODY_BYTES);
        if (at === 0) continue;
        const { started, duration_ms } = attempts[at - 1]!;
        const waited = attempt.started - (started + duration_ms);
        const planned = RETRY_SECONDS[at - 1]! * 1_000;
        // Durations are whole milliseconds.
        expect(waited).toBeGreaterThanOrEqual(planned * 0.8 - 2);
        expect(waited).toBeLessThanOrEqual(planned * 1.2 + LATE_MS + pauseOf(outcome, at));
      }
      await untilNoRun(fixture, endpoint);
      expect(await endpointRow(fixture, endpoint)).toMatchObject({
        status: 'enabled',
        consecutive_failures: TRIES,
        leased_until: null,
        last_failure: { outcome, status },
      });
    },
  );

  /** An endpoint that does not respond in time is paused for longer and longer. */
  function pauseOf(outcome: string, failures: number): number {
    return outcome === 'timeout' ? 1_200 * 2 ** (failures - 1) : 0;
  }

  it('is not sent to an address that is not public', async () => {
    const receiver = await startReceiver();
    const endpoint = await fixture.createEndpoint(receiver.url);
    await fixture.database.owner.raw('update webhook_endpoints set url = ? where id = ?', [
      'http://10.0.0.1/',
      endpoint.id,
    ]);
    await fixture.publish([endpoint]);
    await untilAll(fixture, endpoint, 'exhausted');
    const [delivery] = await deliveriesTo(fixture, endpoint);
    for (const attempt of await attemptsOf(fixture, delivery!.id)) {
      // A connection would have ended in a timeout.
      expect(attempt).toMatchObject({ outcome: 'blocked', status: null });
    }
    expect(receiver.received).toEqual([]);
  });

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
});

describe('Retry-After', () => {
  async function askFor(retry_after: () => string): Promise<Story> {
    const story = await tell((response) => {
      const isFirst = story.receiver.received.length === 1;
      if (isFirst) response.writeHead(503, { 'retry-after': retry_after() }).end();
      else response.end();
    });
    return story;
  }

  it.each([
    ['in seconds', () => '2', 2_000],
    // Rounded down to a second.
    ['as a date', () => new Date(Date.now() + 3_000).toUTCString(), 2_000],
  ])('puts the next try off: %s', async (_, retry_after, least_ms) => {
    const story = await askFor(retry_after);
    await untilAll(fixture, story.endpoint, 'delivered');
    const [first, second] = story.receiver.received;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(least_ms - 5);
    expect(second!.at - first!.at).toBeLessThan(3_000 + LATE_MS);
    expectSameEachTime(story);
  });

  it('holds for the whole endpoint, although other requests that were under way succeed', async () => {
    const receiver = await startReceiver();
    const endpoint = await fixture.createEndpoint(receiver.url);
    receiver.answer = (_webhook, response) => {
      const isFirst = receiver.received.length === 1;
      if (isFirst) response.writeHead(429, { 'retry-after': '3' }).end();
      else setTimeout(() => response.end(), 150);
    };
    const ids = await fixture.publish([endpoint], 30);
    await untilAll(fixture, endpoint, 'delivered');
    const [first, ...later] = receiver.received;
    // Three were under way with it; one more may have been sent before its response.
    const early = later.filter(({ at }) => at - first!.at < 2_900);
    expect(early.length).toBeGreaterThan(0);
    expect(early.length).toBeLessThanOrEqual(4);
    expect(receiver.received).toHaveLength(ids.length + 1);
  });

  it('puts the next try off by a day at most', async () => {
    const story = await askFor(() => '999999999');
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
  });
});
