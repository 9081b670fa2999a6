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

const CONCURRENCY = 32;
let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await buildFixture();
  startTestDeliveries(fixture, {
    webhooks: { concurrency: CONCURRENCY, retry_seconds: Array<number>(20).fill(2) },
    pace: { poll_ms: 100 },
  });
});

describe('F24: a dead endpoint with 2,000 events', () => {
  it('is only probed, holds up no other, and gets each of them once when it recovers', async () => {
    const [dead, healthy] = [await startReceiver(), await startReceiver()];
    dead.answer = (_webhook, response) => response.writeHead(500).end();
    const dead_endpoint = await fixture.createEndpoint(dead.url);
    const healthy_endpoint = await fixture.createEndpoint(healthy.url);
    const dead_ids = await fixture.publish([dead_endpoint], 2_000);
    await waitFor(() => dead.received.length >= 5);

    const healthy_ids = await fixture.publish([healthy_endpoint], 300);
    await waitFor(() => healthy.counts().size === healthy_ids.length);
    // Four, and what followed the first responses; then one each after a pause.
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
    expect(waiting.most()).toBeLessThanOrEqual(CONCURRENCY);
    expect([...healthy.counts().values()].every((times) => times === 1)).toBe(true);
    for (const webhook of healthy.received) expectGenuine(webhook, healthy_endpoint.secret);
    for (const webhook of dead.received) expectGenuine(webhook, dead_endpoint.secret);
  });
});

it('an endpoint with a rate limit soon gets nothing more after it is disabled, however much was claimed for it', async () => {
  const receiver = await startReceiver();
  const endpoint = await fixture.createEndpoint(receiver.url, { max_per_second: 20 });
  await fixture.publish([endpoint], 200);
  // By now the run claims 64 at a time.
  await waitFor(() => receiver.received.length >= 34);
  await updateWebhookEndpoint(fixture.database.db, endpoint.id, { status: 'disabled' });
  await untilNoRun(fixture, endpoint);
  // A second's worth, with ten polls a second; the last claim had more.
  expect(receiver.received.length).toBeLessThan(34 + 20);
});

it('an endpoint never has more requests under way than the setting allows', async () => {
  const receiver = await startReceiver();
  const waiting = answerSlowly(receiver, 100);
  const endpoint = await fixture.createEndpoint(receiver.url);
  const ids = await fixture.publish([endpoint], 150);
  await untilAll(fixture, endpoint, 'delivered');
  expect(waiting.most()).toBe(CONCURRENCY);
  expect([...receiver.counts().keys()].toSorted()).toEqual(ids.toSorted());
  expect(receiver.received).toHaveLength(ids.length);
});
