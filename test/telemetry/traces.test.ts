// Traces, as a real collector gets them from the compiled processes: from a request through Temporal, the workflow
// and its activities to SQL and webhooks.

import { randomUUID } from 'node:crypto';
import { PREFIX } from '../../api/prefix';
import { BUILD_LIMIT_MS } from '../cli/support/cli';
import { request, type HttpResponse, type RequestOptions } from '../support/http';
import { actAt } from '../support/sandbox-gateway';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { buildApiKey, buildUser, fund, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { createTestEndpoint, startReceiver, type TestReceiver } from '../support/webhooks';
import { pathOf, startCollector, type Collector, type ReceivedSpan } from './support/collector';
import { createInstallation, type ApiProcess, type Installation } from './support/processes';

const NOTIFICATIONS = '/internal/gateway/notifications';
/** Of a span of a workflow, which arrives when it has ended. */
const LIMIT_MS = 60_000;

let installation: Installation;
let collector: Collector;
let api: ApiProcess;
let merchant: TestUser;
let recipient: TestUser;
let live_key: string;
let test_key: string;

beforeAll(async () => {
  installation = await createInstallation();
  collector = await startCollector();
  const { db } = installation.database;
  merchant = await buildUser(db);
  recipient = await buildUser(db);
  await fund(db, merchant.id, 'live', 'XOF', 1_000_000n);
  const unlimited = { requests_per_minute: 1_000_000, writes_per_minute: 1_000_000 };
  const keyOf = async (environment: 'live' | 'sandbox') =>
    (await buildApiKey(db, { user: merchant, environment, ...unlimited })).key;
  [live_key, test_key] = [await keyOf('live'), await keyOf('sandbox')];
  api = await installation.startApi({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await installation.startWorker({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
}, BUILD_LIMIT_MS);

function call(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
  return request(api, method, path, { key: live_key, ...options });
}

function transfer(options: RequestOptions = {}): Promise<HttpResponse> {
  const body = { to_username: recipient.username, currency: 'XOF', amount: 123 };
  return call('POST', '/transfers', { body, ...options });
}

async function payALink(): Promise<void> {
  const body = { amount: 5000, currency: 'XOF' };
  const link = await call('POST', '/payment-intents', {
    ...{ key: test_key, idempotency_key: randomUUID(), body },
  });
  expect(link.status).toBe(201);
  await actAt(link.json.checkout_url, 'pay');
}

/** The trace that the response's access line names. */
function traceOf({ headers }: HttpResponse): Promise<string> {
  return waitFor(() => {
    const line = api.accessLines().find((one) => one['request_id'] === headers['x-request-id']);
    return line?.['trace_id'] as string | undefined;
  });
}

/** From the root to a span that fits, as soon as all of them have arrived. */
function pathTo(
  fits: (span: ReceivedSpan) => boolean,
): Promise<readonly [ReceivedSpan, ...ReceivedSpan[]]> {
  return waitFor(() => {
    const found = collector.spans.filter(fits).map((span) => pathOf(collector, span));
    return found.find((path) => path !== undefined);
  }, LIMIT_MS);
}

const namesOf = (path: readonly ReceivedSpan[]): readonly string[] => path.map(({ name }) => name);

it('lead from the request through the workflow and its activity to SQL', async () => {
  const response = await transfer();
  expect(response.status).toBe(200);
  const trace_id = await traceOf(response);
  const path = await pathTo(
    (span) => span.trace_id === trace_id && span.name === 'post_transfer_batch',
  );
  expect(namesOf(path)).toEqual([
    `POST ${PREFIX}/transfers`,
    'transfer',
    'StartWorkflow:transfers',
    'RunWorkflow:transfers',
    'RunActivity:postTransfers',
    'post_transfer_batch',
  ]);
  expect(path[0].attributes).toMatchObject({
    'http.route': `${PREFIX}/transfers`,
    'http.response.status_code': 200,
    request_id: response.headers['x-request-id'],
  });
});

it('lead through a payment: its link, the notification of the gateway, the webhook of a slow receiver', async () => {
  const receiver = await startReceiver();
  // It fails once, so that the endpoint's workflow delivers from then on.
  const { answer } = receiver;
  receiver.answer = (_webhook, response) => response.writeHead(500).end();
  const { id: user_id } = merchant;
  await createTestEndpoint(installation.database, { user_id, url: `${receiver.url}/secret-path` });
  await payALink();
  await waitFor(() => receiver.received.length > 0, LIMIT_MS);
  receiver.answer = answer;
  await payALink();

  const opened = await pathTo(({ name }) => name === 'RunActivity:openCheckout');
  expect(namesOf(opened)).toEqual([
    `POST ${PREFIX}/payment-intents`,
    'StartWorkflow:paymentIntent',
    'RunWorkflow:paymentIntent',
    'RunActivity:openCheckout',
  ]);
  const delivered = await pathTo(
    (span) =>
      span.attributes['webhook.outcome'] === 'delivered' &&
      pathOf(collector, span)?.[0].name === `POST ${NOTIFICATIONS}`,
  );
  // When it was asleep until its next attempt, it goes on in the trace of who woke it.
  expect(namesOf(delivered).filter((name) => name !== 'RunWorkflow:webhookEndpoint')).toEqual([
    `POST ${NOTIFICATIONS}`,
    'SignalWorkflow:notificationStored',
    'RunActivity:applyNotification',
    'SignalWithStartWorkflow:webhookEndpoint',
    'RunActivity:deliverDue',
    'POST webhook',
  ]);
  expect(delivered.at(-1)!.attributes).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'webhook.event_id': expect.any(String),
    'webhook.outcome': 'delivered',
  });
  expect([delivered[0].service, delivered.at(-1)!.service]).toEqual([
    'payment-api',
    'payment-worker',
  ]);
  expectNoTraceTold(receiver);
});

/** Our traces are ours. */
function expectNoTraceTold({ received }: TestReceiver): void {
  const names = received.flatMap(({ headers }) => Object.keys(headers));
  expect(names.filter((name) => /trace|baggage/.test(name))).toEqual([]);
}

it('have a span for each attempt that fails, with its outcome', async () => {
  const attempt = await waitFor(
    () => collector.spans.find(({ attributes }) => attributes['webhook.outcome'] === 'refused'),
    LIMIT_MS,
  );
  expect(attempt).toMatchObject({ name: 'POST webhook', has_failed: true });
  expect(attempt.attributes['http.response.status_code']).toBe(500);
});

it('link the transfers that share a workflow with it', async () => {
  const responses = await Promise.all(Array.from({ length: 24 }, () => transfer()));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  const traces = await Promise.all(responses.map(traceOf));
  const spansOf = (trace_id: string) =>
    collector.spans.filter((span) => span.trace_id === trace_id);
  const outcome = (trace_id: string): 'own' | 'shared' | undefined => {
    const own = spansOf(trace_id);
    const waited = own.find(({ name }) => name === 'transfer');
    if (own.some(({ name }) => name === 'RunWorkflow:transfers')) return 'own';
    const shared = collector.spans.find(({ span_id }) => waited?.links.includes(span_id) === true);
    return shared?.name === 'transfers' && shared.links.includes(waited!.span_id)
      ? 'shared'
      : undefined;
  };
  await waitFor(() => traces.every((trace_id) => outcome(trace_id) !== undefined), LIMIT_MS);
  expect(new Set(traces).size).toBe(24);
  expect(new Set(traces.map(outcome))).toEqual(new Set(['own', 'shared']));
});

it('begin here, whatever trace a caller says that it is in', async () => {
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const headers = { traceparent: `00-${trace}-${span}-00`, tracestate: 'canary=1', baggage: 'a=b' };
  const response = await call('GET', '/wallets', { headers });
  const trace_id = await traceOf(response);
  const [root] = await pathTo((one) => one.trace_id === trace_id && one.name.startsWith('GET '));
  expect(trace_id).not.toBe(trace);
  expect(root).toMatchObject({ name: `GET ${PREFIX}/wallets`, parent_id: undefined });
  expect(collector.bodies.filter((body) => body.includes('canary'))).toEqual([]);
});

it('name the trace in the error line of a request that failed', async () => {
  const { owner } = installation.database;
  await owner.raw('alter table transfers rename to transfers_away');
  const response = await call('GET', '/transfers/TRF-5ECRET00000000000000');
  await owner.raw('alter table transfers_away rename to transfers');
  expect(response.status).toBe(500);
  const trace_id = await traceOf(response);
  const line = await waitFor(() =>
    api.logged().find((one) => one['request_id'] === response.headers['x-request-id']),
  );
  expect(line).toMatchObject({ log: 'error', trace_id });
  const path = await pathTo((span) => span.trace_id === trace_id && span.has_failed);
  expect(path[0]).toMatchObject({ has_failed: true });
  // Of Postgres: the table is not there.
  await pathTo((span) => span.trace_id === trace_id && span.attributes['error.type'] === '42P01');
});

it('hold nothing that people sent, no name, no address and no key', async () => {
  const secrets = {
    idempotency_key: `canary-${randomUUID()}`,
    description: 'canary-description',
    customer_email: 'canary@example.com',
    agent: 'canary-agent',
    query: 'canary-query',
  };
  const response = await transfer({
    idempotency_key: secrets.idempotency_key,
    headers: { 'user-agent': secrets.agent },
    body: {
      ...{ to_username: recipient.username, currency: 'XOF', amount: 123 },
      description: secrets.description,
    },
  });
  expect(response.status).toBe(200);
  const { customer_email, description } = secrets;
  await call('POST', '/payment-intents', {
    ...{ key: test_key, idempotency_key: secrets.idempotency_key },
    body: { amount: 5000, currency: 'XOF', customer_email, description },
  });
  await call('GET', `/nothing?token=${secrets.query}`);
  const last = await call('GET', `/transactions?limit=${secrets.query}`);
  const trace_id = await traceOf(last);
  await pathTo((span) => span.trace_id === trace_id && span.name.startsWith('GET '));

  const sent = collector.bodies.join('\n');
  expect(sent.length).toBeGreaterThan(10_000);
  const kept = {
    ...secrets,
    ...{ live_key, test_key, sealing_key: TEST_SECRETS_KEY, address: '127.0.0.1' },
    ...{ sender: merchant.username, recipient: recipient.username, email: merchant.email },
    ...{
      reference: response.json.reference,
      path: 'secret-path',
      sql: 'select ',
      missing: 'TRF-5ECRET',
    },
    password: new URL(installation.database.app_url).password,
  };
  const found = Object.entries(kept).filter(([, text]) => sent.includes(String(text)));
  expect(found.map(([what]) => what)).toEqual([]);
});

it('leave probes out', async () => {
  await call('GET', '/health');
  await request(api, 'GET', `${api.base_url.replace(PREFIX, '')}/ready`);
  const trace_id = await traceOf(await call('GET', '/wallets'));
  await pathTo((span) => span.trace_id === trace_id && span.name.startsWith('GET '));
  const routes = collector.spans.map(({ attributes }) => attributes['http.route']);
  expect(routes.filter((route) => /ready|health/.test(String(route)))).toEqual([]);
});
