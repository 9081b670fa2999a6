// Follows a payment to a merchant's receiver, and what the merchant can see and do: the whole
// service, the sandbox gateway, and a receiver on this machine.

import { loadConfig } from '../../config/load';
import { expectBooksHold } from '../support/books';
import type { HttpResponse } from '../support/http';
import { startTestApi, type TestApi } from '../support/api';
import { waitFor } from '../support/wait';
import {
  expectGenuine,
  startReceiver,
  type ReceivedWebhook,
  type TestReceiver,
} from '../support/webhooks';
import { buildApiKey, buildUser } from '../support/users';
import { expectTwoDecimals, refusal } from './support/contract';
import { getTimeline, postIntent, intentBody, waitForStatus } from './support/intents';
import {
  call,
  getEndpoint,
  listAttempts,
  listDeliveries,
  createEndpoint,
  waitForDelivery,
  type Merchant,
  patchEndpoint,
} from './support/webhooks';

let api: TestApi;
let receiver: TestReceiver;
let merchant: Merchant;

beforeAll(async () => {
  const { webhooks } = loadConfig({
    WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1',
    // The second attempt, a minute after the first, comes after what a test does by hand.
    WEBHOOK_RETRY_SECONDS: '60',
  });
  api = await startTestApi({ webhooks: true, overrides: { webhooks } });
});

// Each test has a merchant of its own, so that no other test's endpoints get the events.
beforeEach(async () => {
  receiver = await startReceiver();
  const user = await buildUser(api.database.db);
  const { key } = await buildApiKey(api.database.db, { user, environment: 'sandbox' });
  merchant = { service: api.service, key };
});

afterEach(async () => {
  await receiver.shut();
  await expectBooksHold(api.database.db);
});

/** The path lets one receiver act as several. */
function listenAt(path = '', fields: Readonly<Record<string, unknown>> = {}) {
  return createEndpoint(merchant, { url: receiver.url + path, ...fields });
}

async function openIntent(): Promise<HttpResponse['json']> {
  const { key } = merchant;
  return (await postIntent(api, intentBody('1234.00'), { key })).json;
}

/** Says the event's id. */
async function pay(intent?: HttpResponse['json'], fields?: Readonly<Record<string, unknown>>) {
  const paid = intent ?? (await openIntent());
  await api.notify(paid, fields);
  return waitFor(async () => {
    const { rows } = await api.database.owner.raw('select id from events where intent_id = ?', [
      paid.id,
    ]);
    return rows[0]?.id as string | undefined;
  });
}

/** Waits until this many have arrived at the path. */
async function waitForWebhooks(count: number, path = ''): Promise<ReceivedWebhook[]> {
  const of = () => receiver.received.filter((webhook) => webhook.path === `/hooks${path}`);
  await waitFor(() => of().length >= count);
  return of();
}

const failDeliveries = (): void => {
  receiver.answer = (_webhook, response) => {
    response.statusCode = 500;
    response.end('no é€');
  };
};

const acceptDeliveries = (): void => {
  receiver.answer = (_webhook, response) => response.end('yes');
};

const resend = (path: string, body?: unknown) => call(merchant, 'POST', `${path}/resend`, body);

describe('a payment', () => {
  it('is delivered with the bytes that GET /events shows, and visible everywhere', async () => {
    const endpoint = await listenAt();
    const intent = await openIntent();
    const event_id = await pay(intent);
    const [webhook] = await waitForWebhooks(1);
    expectGenuine(webhook!, endpoint.secret);
    expect(webhook!.headers['content-type']).toMatch(/^application\/json/);
    expect(webhook!.headers['webhook-id']).toBe(event_id);

    const paid = await waitForStatus(api, intent, 'succeeded', merchant.key);
    const { ok: _, ...data } = paid;
    const body = JSON.parse(webhook!.body);
    expect(body).toEqual({
      id: event_id,
      type: 'payment.succeeded',
      api_version: 'v1',
      created_at: paid.updated_at,
      environment: 'sandbox',
      sequence: 1,
      data,
    });
    expectTwoDecimals(webhook!.body);

    const listed = await call(merchant, 'GET', '/events');
    expect(listed.text).toBe(
      `{"ok":true,"events":[${webhook!.body}],"next_cursor":null,"has_more":false}`,
    );
    const delivery = await waitForDelivery(
      merchant,
      { event_id, endpoint_id: endpoint.id },
      'delivered',
    );
    expect(delivery).toEqual({
      id: expect.any(String) as string,
      event_id,
      endpoint_id: endpoint.id,
      type: 'payment.succeeded',
      status: 'delivered',
      attempts: 1,
      next_attempt_at: null,
      delivered_at: expect.any(String) as string,
      created_at: expect.any(String) as string,
    });
    const [attempt] = await listAttempts(merchant, delivery.id);
    expect(attempt).toEqual({
      number: 1,
      trigger: 'automatic',
      url: receiver.url,
      started_at: expect.any(String) as string,
      duration_ms: expect.any(Number) as number,
      outcome: 'delivered',
      status: 200,
      retry_after_seconds: null,
      response_body: 'ok',
      response_truncated: false,
    });
    const shown = await call(merchant, 'GET', `/events/${event_id}`);
    const { response_body: __, response_truncated: ___, ...summary } = attempt;
    expect(shown.json).toEqual({
      ok: true,
      ...body,
      deliveries: [{ ...delivery, last_attempts: [summary] }],
    });
    expect(shown.text).toContain(webhook!.body.slice(1, -1));

    const { json } = await getTimeline(api, intent.id, merchant.key);
    const told = json.timeline.filter((entry: { source: string }) => entry.source === 'webhook');
    expect(told).toEqual([
      {
        at: expect.any(String) as string,
        source: 'webhook',
        kind: 'event',
        detail: { event_id, type: 'payment.succeeded' },
      },
      {
        at: attempt.started_at,
        source: 'webhook',
        kind: 'attempt',
        detail: {
          event_id,
          endpoint_id: endpoint.id,
          number: 1,
          outcome: 'delivered',
          status: 200,
        },
      },
    ]);
    const moments = json.timeline.map(({ at }: { at: string }) => at);
    expect(moments).toEqual(([...moments] as string[]).sort());
  });
});

describe('a delivery that fails', () => {
  it('shows what the receiver responded, and when the next attempt is due', async () => {
    failDeliveries();
    const { id: endpoint_id } = await listenAt();
    const event_id = await pay();
    await waitForWebhooks(1);
    const delivery = await waitFor(async () => {
      const [one] = await listDeliveries(merchant, '?status=pending');
      return one?.attempts === 1 && one;
    });
    expect(Date.parse(delivery.next_attempt_at)).toBeGreaterThan(Date.now());
    const attempts = await listAttempts(merchant, delivery.id);
    expect(attempts).toMatchObject([
      { number: 1, outcome: 'refused', status: 500, response_body: 'no é€' },
    ]);
    expect(await getEndpoint(merchant, endpoint_id)).toMatchObject({
      consecutive_failures: 1,
      failing_since: expect.any(String) as string,
      last_failure: { outcome: 'refused', status: 500, at: expect.any(String) as string },
    });
    // Resent by hand before the next attempt: that ends the schedule.
    acceptDeliveries();
    const { id } = delivery;
    expect((await resend(`/webhook-deliveries/${id}`)).json).toMatchObject({ ok: true, id });
    const arrived = await waitForDelivery(merchant, { event_id, endpoint_id }, 'delivered');
    expect(arrived).toMatchObject({ attempts: 2, next_attempt_at: null });
    expect(await listAttempts(merchant, delivery.id)).toMatchObject([
      { number: 2, trigger: 'resend', outcome: 'delivered', response_body: 'yes' },
      { number: 1, trigger: 'automatic' },
    ]);
    expect(await getEndpoint(merchant, endpoint_id)).toMatchObject({
      consecutive_failures: 0,
      failing_since: null,
    });
  });
});

describe('POST /webhook-deliveries/{id}/resend', () => {
  it('is refused for an endpoint that is disabled or deleted', async () => {
    const { id: endpoint_id } = await listenAt();
    const pair = { event_id: await pay(), endpoint_id };
    const { id } = await waitForDelivery(merchant, pair, 'delivered');
    const path = `/webhook-deliveries/${id}`;
    await patchEndpoint(merchant, endpoint_id, { status: 'disabled' });
    expect(await resend(path)).toMatchObject(refusal('webhook_endpoint_disabled'));
    await call(merchant, 'DELETE', `/webhook-endpoints/${endpoint_id}`);
    expect(await resend(path)).toMatchObject(refusal('webhook_endpoint_not_found'));
    // The finished delivery is still listed.
    expect((await call(merchant, 'GET', path)).json.status).toBe('delivered');
    expect(receiver.received).toHaveLength(1);
  });
});

it('GET /webhook-deliveries/{id}/attempts comes in pages, newest first', async () => {
  const endpoint = await listenAt();
  const pair = { event_id: await pay(), endpoint_id: endpoint.id };
  const { id } = await waitForDelivery(merchant, pair, 'delivered');
  await api.database.owner.raw(
    `insert into webhook_attempts (delivery_id, number, trigger, url, started_at,
       duration_ms, outcome, response_truncated, recorded_at)
     select ?, n, 'resend', 'https://x.example', now(), 1, 'timeout', false, now()
       from generate_series(2, 30) n`,
    [id],
  );
  const numbersOf = (attempts: { number: number }[]) => attempts.map(({ number }) => number);
  const countdown = (from: number, to: number): number[] =>
    Array.from({ length: from - to + 1 }, (_, index) => from - index);
  for (const [query, numbers, next_cursor] of [
    ['', countdown(30, 6), '6'],
    ['?cursor=6', countdown(5, 1), null],
    ['?limit=2&cursor=4', [3, 2], '2'],
    ['?limit=30', countdown(30, 1), null],
    ['?cursor=0', [], null],
  ] as const) {
    const { json } = await call(merchant, 'GET', `/webhook-deliveries/${id}/attempts${query}`);
    expect(json).toMatchObject({ next_cursor, has_more: next_cursor !== null });
    expect(numbersOf(json.attempts)).toEqual(numbers);
  }
  const { json } = await call(merchant, 'GET', `/events/${pair.event_id}`);
  expect(numbersOf(json.deliveries[0].last_attempts)).toEqual(countdown(30, 11));
});

describe('POST /events/{id}/resend', () => {
  it('sends to the endpoint that is named, also when it never had the event', async () => {
    const one = await listenAt('/1');
    const event_id = await pay();
    await waitForWebhooks(1, '/1');
    const later = await listenAt('/later', { types: ['payment.expired'] });
    const response = await resend(`/events/${event_id}`, { endpoint_id: later.id });
    expect(response.json.deliveries).toMatchObject([{ endpoint_id: later.id, event_id }]);
    const [webhook] = await waitForWebhooks(1, '/later');
    expect(webhook!.body).toBe(receiver.received[0]!.body);
    expectGenuine(webhook!, later.secret);
    await waitForDelivery(merchant, { event_id, endpoint_id: later.id }, 'delivered');
    // The endpoint has the event now.
    await resend(`/events/${event_id}`, { endpoint_id: later.id.toUpperCase() });
    await waitForWebhooks(2, '/later');
    // One that is asked for during an attempt is answered by that attempt.
    for (const { id } of [one, later]) {
      await waitForDelivery(merchant, { event_id, endpoint_id: id }, 'delivered');
    }
    await resend(`/events/${event_id}`);
    await waitForWebhooks(3, '/later');
    await waitForWebhooks(2, '/1');
    expect(await listDeliveries(merchant, `?event_id=${event_id}`)).toHaveLength(2);
    expect(await listDeliveries(merchant, `?endpoint_id=${one.id}`)).toHaveLength(1);
  });
});

it('a test event looks like a real one, is signed, and is marked as a test', async () => {
  // It need not have subscribed to the type.
  const endpoint = await listenAt('', { types: ['payment.expired'] });
  const path = `/webhook-endpoints/${endpoint.id}/test`;
  const { status, json } = await call(merchant, 'POST', path, { type: 'payment.failed' });
  expect(status).toBe(202);
  const [webhook] = await waitForWebhooks(1);
  expectGenuine(webhook!, endpoint.secret);
  const body = JSON.parse(webhook!.body);
  expect(body).toMatchObject({
    id: json.event_id,
    type: 'payment.failed',
    api_version: 'v1',
    environment: 'sandbox',
    sequence: 0,
    test: true,
    data: { status: 'failed', environment: 'sandbox', failed_at: body.created_at },
  });
  // The same fields as in a real event, in the same order.
  const intent = await openIntent();
  expect(Object.keys(body.data)).toEqual(Object.keys(intent).filter((name) => name !== 'ok'));

  const pair = { event_id: json.event_id, endpoint_id: endpoint.id };
  const delivery = await waitForDelivery(merchant, pair, 'delivered');
  expect(delivery.id).toBe(json.delivery_id);
  const shown = await call(merchant, 'GET', `/events/${json.event_id}`);
  expect(shown.json).toMatchObject({ ...body, deliveries: [{ id: json.delivery_id }] });
  // It has no number in the sequence.
  await pay(intent);
  const listed = await call(merchant, 'GET', '/events');
  expect(listed.json.events.map((one: { sequence: number }) => one.sequence)).toEqual([1]);
});
