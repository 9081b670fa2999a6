import type { ServerResponse } from 'node:http';
import { updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { waitFor } from '../support/wait';
import { expectGenuine, startReceiver, type TestReceiver } from '../support/webhooks';
import {
  endpointRow,
  buildFixture,
  startTestDeliveries,
  statusesAt,
  untilAll,
  untilNoRun,
  type WebhookFixture,
} from './deliveries';

/** Responds after a while, and counts the requests that wait. */
function answerSlowly(receiver: TestReceiver, ms: number): { readonly most: () => number } {
  let open = 0;
  let most = 0;
  receiver.answer = (_webhook, response: ServerResponse) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.end();
    }, ms);
  };
  return { most: () => most };
}

/** The most requests within any time of this length. */
function mostWithin({ received }: TestReceiver, ms: number): number {
  const moments = received.map(({ at }) => at);
  return Math.max(
    ...moments.map((from) => moments.filter((at) => at >= from && at < from + ms).length),
  );
}

describe('F24: a dead endpoint with 2,000 events', () => {
  it('is only probed, holds up no other, and gets each of them once when it recovers', async () => {
    const fixture = await buildFixture();
    startTestDeliveries(fixture, {
      webhooks: { concurrency: 32, retry_seconds: Array<number>(20).fill(2) },
    });
    const [dead, healthy] = [await startReceiver(), await startReceiver()];
    dead.answer = (_webhook, response) => response.writeHead(500).end();
    const dead_endpoint = await fixture.createEndpoint(dead.url);
    const healthy_endpoint = await fixture.createEndpoint(healthy.url);
    const dead_ids = await fixture.publish([dead_endpoint], 2_000);
    const began = performance.now();
    await waitFor(() => dead.received.length >= 5);

    const healthy_ids = await fixture.publish([healthy_endpoint], 300);
    await waitFor(() => healthy.counts().size === healthy_ids.length);
    await waitFor(() => performance.now() - began > 4_000);
    // Four, and what followed the first responses; then one each after about 1, 2 and 4 s.
    expect(dead.received.length).toBeLessThanOrEqual(8 + 4);
    expect(await statusesAt(fixture, dead_endpoint)).toEqual({ pending: 2_000 });
    expect((await endpointRow(fixture, dead_endpoint)).paused_seconds).not.toBeNull();

    const arrived: string[] = [];
    const waiting = answerSlowly(dead, 2);
    const { answer } = dead;
    dead.answer = (webhook, response) => {
      arrived.push(webhook.id);
      answer(webhook, response);
    };
    await untilAll(fixture, dead_endpoint, 'delivered');
    expect(new Set(arrived)).toEqual(new Set(dead_ids));
    expect(arrived).toHaveLength(dead_ids.length);
    expect(waiting.most()).toBeLessThanOrEqual(32);
    expect([...healthy.counts().values()].every((times) => times === 1)).toBe(true);
    for (const webhook of healthy.received) expectGenuine(webhook, healthy_endpoint.secret);
    for (const webhook of dead.received) expectGenuine(webhook, dead_endpoint.secret);
  });
});

describe('an endpoint with a rate limit', () => {
  let fixture: WebhookFixture;
  const CONCURRENCY = 6;

  beforeAll(async () => {
    fixture = await buildFixture();
    startTestDeliveries(fixture, {
      webhooks: { concurrency: CONCURRENCY },
      pace: { linger_ms: 50, poll_ms: 100 },
    });
  });

  it('gets no more than that in any second, however much waits', async () => {
    const receiver = await startReceiver();
    const max_per_second = 20;
    const endpoint = await fixture.createEndpoint(receiver.url, { max_per_second });
    await fixture.publish([endpoint], 100);
    await untilAll(fixture, endpoint, 'delivered');
    const [first] = receiver.received;
    const took = receiver.received.at(-1)!.at - first!.at;
    expect(took).toBeGreaterThan((99 / max_per_second) * 1_000 * 0.85);
    // Planned are 20, and two that a late timer makes up for. Requests that a
    // busy machine delivers late come closer together than they were sent.
    expect(mostWithin(receiver, 1_000)).toBeLessThan(2 * max_per_second);
    expect(receiver.counts().size).toBe(100);
    for (const webhook of receiver.received) expectGenuine(webhook, endpoint.secret);
  });

  it('gets the first ones as slowly as all others', async () => {
    const receiver = await startReceiver();
    const max_per_second = 10;
    const endpoint = await fixture.createEndpoint(receiver.url, { max_per_second });
    await fixture.publish([endpoint], 10);
    await untilAll(fixture, endpoint, 'delivered');
    // A second's worth at once would be here within a few milliseconds. A busy machine only takes longer.
    const took = receiver.received.at(-1)!.at - receiver.received[0]!.at;
    expect(took).toBeGreaterThan((9 / max_per_second) * 1_000 * 0.5);
  });

  it('soon gets nothing more after it is disabled, however much was claimed for it', async () => {
    const wide = await buildFixture();
    startTestDeliveries(wide, { webhooks: { concurrency: 64 } });
    const receiver = await startReceiver();
    const endpoint = await wide.createEndpoint(receiver.url, { max_per_second: 20 });
    await wide.publish([endpoint], 200);
    await waitFor(() => receiver.received.length >= 40);
    await updateWebhookEndpoint(wide.database.db, endpoint.id, { status: 'disabled' });
    await untilNoRun(wide, endpoint);
    // Three seconds' worth at 20 a second, with a poll every second; the last claim had more.
    expect(receiver.received.length).toBeLessThan(40 + 3 * 20);
  });

  it('is probed by one request at a time while it fails', async () => {
    const receiver = await startReceiver();
    let open = 0;
    let most = 0;
    receiver.answer = (_webhook, response) => {
      most = Math.max(most, (open += 1));
      setTimeout(() => {
        open -= 1;
        response.writeHead(500).end();
      }, 50);
    };
    const endpoint = await fixture.createEndpoint(receiver.url);
    await fixture.database.owner.raw(
      `update webhook_endpoints set consecutive_failures = 1, failing_since = now() where id = ?`,
      [endpoint.id],
    );
    await fixture.publish([endpoint], 40);
    await waitFor(() => receiver.received.length >= 6);
    expect(most).toBe(1);
    receiver.answer = (_webhook, response) => response.end();
    await untilAll(fixture, endpoint, 'delivered');
  });

  it('never has more requests under way than the setting allows', async () => {
    const receiver = await startReceiver();
    const waiting = answerSlowly(receiver, 150);
    const endpoint = await fixture.createEndpoint(receiver.url);
    const ids = await fixture.publish([endpoint], 150);
    await untilAll(fixture, endpoint, 'delivered');
    expect(waiting.most()).toBe(CONCURRENCY);
    expect([...receiver.counts().keys()].toSorted()).toEqual(ids.toSorted());
    expect(receiver.received).toHaveLength(ids.length);
    await untilNoRun(fixture, endpoint);
  });
});
