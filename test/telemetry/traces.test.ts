// Traces, as a real collector gets them: from a request through Temporal, the workflow and its activities to SQL
// and webhooks. That they hold nothing personal is in logs.test.ts.

import { PREFIX } from '../../http/prefix';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { insist, request, type HttpResponse, type RequestOptions } from '../support/http';
import { actAt } from '../support/sandbox-gateway';
import { buildUser, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { createTestEndpoint, startReceiver } from '../support/webhooks';
import { pathOf, startCollector, type ReceivedSpan } from './support/collector';

const NOTIFICATIONS = '/internal/gateway/notifications';

const collector = setUp(startCollector);
const api = setUp(() => startTestApi({ webhooks: true, overrides: { traces: true } }));
let to_username: string;

beforeAll(async () => {
  const { db } = api.database;
  ({ username: to_username } = await buildUser(db));
  await fund(db, api.merchant.id, 'live', 'XOF', 1_000_000n);
});

function call(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
  return request(api.service, method, path, { key: api.live_key, ...options });
}

function transfer(): Promise<HttpResponse> {
  return call('POST', '/transfers', { body: { to_username, currency: 'XOF', amount: 123 } });
}

async function payALink(): Promise<void> {
  await actAt((await api.create()).json.checkout_url, 'pay');
}

/** The trace that the response's access line names. */
function traceOf({ headers }: HttpResponse): string {
  const id = headers['x-request-id'];
  return api.service.access_lines.find(({ request_id }) => request_id === id)!.trace_id!;
}

/** Waits until all spans from the root to one that fits have arrived. */
function pathTo(
  fits: (span: ReceivedSpan) => boolean,
): Promise<readonly [ReceivedSpan, ...ReceivedSpan[]]> {
  return waitFor(() => {
    const paths = collector.spans.filter(fits).map((span) => pathOf(collector, span));
    return paths.find((path) => path !== undefined);
  });
}

const namesOf = (path: readonly ReceivedSpan[]): readonly string[] => path.map(({ name }) => name);

it('lead from the request through the workflow and its activity to SQL', async () => {
  const response = await insist(transfer);
  const traceId = traceOf(response);
  const path = await pathTo(
    (span) => span.traceId === traceId && span.name === 'post_transfer_batch',
  );
  expect(namesOf(path)).toEqual([
    `POST ${PREFIX}/transfers`,
    'transfer',
    'StartWorkflow:transfers',
    'RunWorkflow:transfers',
    'RunActivity:postTransfers',
    'post_transfer_batch',
  ]);
  expect(path[0].attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': `${PREFIX}/transfers`,
    'http.response.status_code': 200,
    request_id: response.headers['x-request-id'],
  });
});

it('lead through a payment: its link, the notification of the gateway; its webhook has one of its own', async () => {
  const receiver = await startReceiver();
  await createTestEndpoint(api.database, { user_id: api.merchant.id, url: receiver.url });
  await payALink();

  const opened = await pathTo(({ name }) => name === 'RunActivity:openCheckout');
  expect(namesOf(opened)).toEqual([
    `POST ${PREFIX}/payment-intents`,
    'StartWorkflow:paymentIntent',
    'RunWorkflow:paymentIntent',
    'RunActivity:openCheckout',
  ]);
  const applied = await pathTo(({ name }) => name === 'RunActivity:applyNotification');
  expect(namesOf(applied)).toEqual([
    `POST ${NOTIFICATIONS}`,
    'SignalWorkflow:notificationStored',
    'RunActivity:applyNotification',
  ]);
  // Its event names it; a worker that looks for what is due is in no trace.
  const delivered = await pathTo((span) => span.attributes['webhook.outcome'] === 'delivered');
  expect(namesOf(delivered)).toEqual(['POST webhook']);
  expect(delivered.at(-1)!.attributes).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'webhook.event_id': expect.any(String),
    'webhook.outcome': 'delivered',
  });
  // Our traces are ours.
  const told = receiver.received.flatMap(({ headers }) => Object.keys(headers));
  expect(told.filter((name) => /trace|baggage/.test(name))).toEqual([]);
});

it('begin here, whatever trace a caller says that it is in, and leave probes out', async () => {
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${trace_id}-00f067aa0ba902b7-00`;
  await call('GET', '/health');
  await call('GET', `${api.service.origin}/ready`);
  const headers = { traceparent, tracestate: 'canary=1', baggage: 'a=canary' };
  const traceId = traceOf(await call('GET', '/wallets', { headers }));
  const [root] = await pathTo((one) => one.traceId === traceId && one.name.startsWith('GET '));
  expect(traceId).not.toBe(trace_id);
  expect(root.name).toBe(`GET ${PREFIX}/wallets`);
  expect(collector.bodies.filter((body) => body.includes('canary'))).toEqual([]);
  const routes = collector.spans.map(({ attributes }) => attributes['http.route']);
  expect(routes.filter((route) => /ready|health/.test(String(route)))).toEqual([]);
});

it('name the trace in the error line of a request that failed, and the kind of its error', async () => {
  const { owner } = api.database;
  await owner.raw('alter table transfers rename to transfers_away');
  const response = await call('GET', '/transfers/TRF-00000000000000000000');
  await owner.raw('alter table transfers_away rename to transfers');
  expect(response.status).toBe(500);
  const trace_id = traceOf(response);
  const request_id = response.headers['x-request-id'];
  const line = api.service.log.find((one) => one['request_id'] === request_id);
  expect(line).toMatchObject({ log: 'error', trace_id });
  const path = await pathTo(
    // Postgres says: the table is not there.
    (span) => span.traceId === trace_id && span.attributes['error.type'] === '42P01',
  );
  expect(path[0]).toMatchObject({ has_failed: true });
});
