// A collector that hangs or refuses, and a sample of all traces: requests do not notice.

import { BUILD_LIMIT_MS } from '../cli/support/cli';
import { request } from '../support/http';
import { buildApiKey, buildUser, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { startCollector, type Collector } from './support/collector';
import { createInstallation, type ApiProcess, type Installation } from './support/processes';

let installation: Installation;
let key: string;
let to_username: string;

beforeAll(async () => {
  installation = await createInstallation();
  const { db } = installation.database;
  const sender = await buildUser(db);
  ({ username: to_username } = await buildUser(db));
  await fund(db, sender.id, 'live', 'XOF', 1_000_000n);
  const unlimited = { requests_per_minute: 1_000_000, writes_per_minute: 1_000_000 };
  ({ key } = await buildApiKey(db, { user: sender, environment: 'live', ...unlimited }));
}, BUILD_LIMIT_MS);

function startApi(collector: Pick<Collector, 'url'>, variables = {}): Promise<ApiProcess> {
  return installation.startApi({
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_MAX_QUEUE_SIZE: '20' },
    ...variables,
  });
}

async function transferEach(api: ApiProcess, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const body = { to_username, currency: 'XOF', amount: 1 };
    const { status } = await request(api, 'POST', '/transfers', { key, body });
    expect(status).toBe(200);
  }
}

async function dropped(api: ApiProcess, reason: string): Promise<number> {
  const text = await (await fetch(api.metrics_url)).text();
  const name = `payment_api_trace_spans_dropped_total{reason="${reason}"} `;
  return Number(text.split(name)[1]?.split('\n')[0] ?? 0);
}

it('answers every request while the collector hangs, and counts what found no room', async () => {
  const collector = await startCollector();
  collector.answer = () => {};
  const api = await startApi(collector, { OTEL_EXPORTER_OTLP_TIMEOUT: '600000' });
  await transferEach(api, 20);
  await waitFor(() => collector.bodies.length > 0);
  await transferEach(api, 20);
  await waitFor(async () => (await dropped(api, 'queue_full')) > 100);
  expect(collector.spans.length).toBeLessThanOrEqual(20);
  const [line, ...more] = api.logged().filter(({ part }) => part === 'traces');
  expect(line).toMatchObject({ log: 'error', reason: 'queue_full', dropped: expect.any(Number) });
  // Once a minute.
  expect(more.length).toBeLessThan(5);
}, 120_000);

it('answers every request while the collector refuses, and stops in order', async () => {
  const collector = await startCollector();
  collector.answer = (response) => void response.writeHead(400).end('canary');
  // With room for all: of a queue that is full the one line of this minute would tell.
  const api = await startApi(collector, { OTEL_BSP_MAX_QUEUE_SIZE: '4096' });
  await transferEach(api, 3);
  await waitFor(async () => (await dropped(api, 'not_sent')) > 0);
  await transferEach(api, 3);
  await api.terminate();
  expect(api.unasked_ends()).toBe(0);
  const lines = api.logged().filter(({ part }) => part === 'traces');
  expect(lines[0]).toMatchObject({ reason: 'not_sent', error: 'the collector answered 400' });
  expect(JSON.stringify(lines)).not.toContain('canary');
}, 120_000);

it('sends what is left when it is stopped', async () => {
  const collector = await startCollector();
  const api = await startApi(collector, { OTEL_BSP_MAX_QUEUE_SIZE: '4096' });
  await transferEach(api, 1);
  const [line] = api.accessLines();
  await api.terminate();
  expect(api.unasked_ends()).toBe(0);
  const names = collector.spans
    .filter(({ trace_id }) => trace_id === line!['trace_id'])
    .map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['transfer', 'RunActivity:postTransfers']));
}, 120_000);

it('keeps all of a request or nothing of it, as often as it is told', async () => {
  const collector = await startCollector();
  const api = await startApi(collector, {
    OTEL_BSP_MAX_QUEUE_SIZE: '4096',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.5',
  });
  await transferEach(api, 40);
  await api.terminate();
  const lines = api.accessLines();
  const kept = lines.flatMap(({ trace_id }) => (trace_id === undefined ? [] : [trace_id]));
  expect(lines.length).toBe(40);
  // All or none of forty are kept once in 500,000,000,000 runs.
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(40);
  const posted = collector.spans.filter(({ name }) => name === 'RunActivity:postTransfers');
  expect(posted.length).toBe(kept.length);
  expect(new Set(posted.map(({ trace_id }) => trace_id))).toEqual(new Set(kept));
  expect(new Set(collector.spans.map(({ trace_id }) => trace_id))).toEqual(new Set(kept));
}, 120_000);
