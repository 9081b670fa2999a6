// The events of refunds: for endpoints that name them, with the refund as GET answers it.

import { EVENT_TYPES, PAYMENT_EVENT_TYPES } from '../../domain/event';
import { startTestApi, type TestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { waitFor } from '../support/wait';
import { expectGenuine, startReceiver, type TestReceiver } from '../support/webhooks';
import { callApi, refusal } from './support/contract';
import { getRefund, payLink, postRefund, untilRefund } from './support/refunds';

let api: TestApi;
let named: TestReceiver;
let usual: TestReceiver;
let secret: string;

async function listen(receiver: TestReceiver, types?: readonly string[]) {
  const body = { url: receiver.url, ...(types ? { types } : {}) };
  const { json } = await callApi(api.service, 'POST', '/webhook-endpoints', {
    key: api.test_key,
    body,
  });
  return json;
}

beforeAll(async () => {
  api = await startTestApi({ webhooks: true });
  [named, usual] = [await startReceiver(), await startReceiver()];
  ({ secret } = await listen(named, ['refund.succeeded', 'refund.failed']));
  expect((await listen(usual)).types).toEqual(PAYMENT_EVENT_TYPES);
});

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

const typesAt = ({ received }: TestReceiver): string[] =>
  received.map(({ body }) => (JSON.parse(body) as { type: string }).type);

it('are delivered to endpoints that name them, signed, with the refund of that moment', async () => {
  const link = await payLink(api, { refunds: 'fail_later', delay_ms: 1_000 });
  const { json: refund } = await postRefund(api, link.id, { amount: 700, metadata: { n: 1 } });
  const made = await untilRefund(api, refund, 'succeeded');
  const failed = await untilRefund(api, refund, 'failed');
  await waitFor(() => named.received.length === 2);
  for (const [at, shown] of [made, failed].entries()) {
    const webhook = named.received[at]!;
    expectGenuine(webhook, secret);
    const { ok: _, ...data } = shown;
    expect(JSON.parse(webhook.body)).toEqual({
      id: expect.any(String),
      type: `refund.${shown.status}`,
      api_version: 'v1',
      created_at: shown.updated_at,
      environment: 'sandbox',
      sequence: expect.any(Number),
      data,
    });
    expect(webhook.body).toContain('"amount":700.00,');
  }
  await waitFor(() => usual.received.length === 1);
  expect(typesAt(usual)).toEqual(['payment.succeeded']);
  const { json } = await callApi(api.service, 'GET', '/events', { key: api.test_key });
  const events = json.events as { type: string; sequence: number }[];
  expect(events.map(({ type }) => type)).toEqual([
    'payment.succeeded',
    'refund.succeeded',
    'refund.failed',
  ]);
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  expect((await getRefund(api, refund.id)).json).toEqual(failed);
});

it.each(['refund.succeeded', 'refund.failed'])('can be tried: %s', async (type) => {
  const { json: list } = await callApi(api.service, 'GET', '/webhook-endpoints', {
    key: api.test_key,
  });
  const { id } = list.webhook_endpoints.find((one: { url: string }) => one.url === usual.url);
  await callApi(api.service, 'POST', `/webhook-endpoints/${id}/test`, {
    key: api.test_key,
    body: { type },
  });
  await waitFor(() => typesAt(usual).includes(type));
  const { body } = usual.received.find(
    (one) => (JSON.parse(one.body) as { type: string }).type === type,
  )!;
  expect(JSON.parse(body)).toMatchObject({
    test: true,
    sequence: 0,
    data: { reference: 'RFD-00000000000000000000', status: type.replace('refund.', '') },
  });
});

it('are no words of their own making', async () => {
  const refused = await callApi(api.service, 'POST', '/webhook-endpoints', {
    key: api.test_key,
    body: { url: named.url, types: ['refund.updated'] },
  });
  expect(refused).toMatchObject(refusal('invalid_request'));
  expect(EVENT_TYPES).not.toContain('refund.updated');
});
