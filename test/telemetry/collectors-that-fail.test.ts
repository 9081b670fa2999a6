// No collector, one that hangs or refuses, and a sample of all traces: requests do not notice.

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { intentWorkflowId } from '../../domain/ids';
import { setUp } from '../support/database';
import { startTestApi, type TestApi } from '../support/api';
import { insist, request, type HttpResponse } from '../support/http';
import { pickTestPort } from '../support/ports';
import { connectTestTemporal } from '../support/temporal';
import { buildUser, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { startCollector } from './support/collector';

it('leaves nothing in histories and in the log without a collector', async () => {
  const plain = await startTestApi();
  const { json } = await plain.create();
  const temporal = await connectTestTemporal();
  const handle = temporal.workflow.getHandle(intentWorkflowId('sandbox', json.id));
  const events = (await handle.fetchHistory()).events ?? [];
  const started = events.flatMap(
    ({ workflowExecutionStartedEventAttributes: start, ...event }) =>
      start ?? event.activityTaskScheduledEventAttributes ?? [],
  );
  expect(started.length).toBeGreaterThan(0);
  expect(started.flatMap(({ header }) => Object.keys(header?.fields ?? {}))).toEqual([]);
  expect(plain.service.access_lines.map(({ trace_id }) => trace_id)).toEqual([undefined]);
});

describe('a collector', () => {
  const collector = setUp(() =>
    startCollector({
      OTEL_BSP_MAX_QUEUE_SIZE: '200',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '50',
      // Only full batches, and what is left in the end.
      OTEL_BSP_SCHEDULE_DELAY: '600000',
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.5',
    }),
  );
  let api: TestApi;
  let metrics_url: string;
  let to_username: string;

  beforeAll(async () => {
    const port = await pickTestPort();
    metrics_url = `http://127.0.0.1:${port}/metrics`;
    api = await startTestApi({ overrides: { traces: true, metrics: { host: '127.0.0.1', port } } });
    const { db } = api.database;
    ({ username: to_username } = await buildUser(db));
    await fund(db, api.merchant.id, 'live', 'XOF', 1_000_000n);
  });

  async function transfer(
    answered = (send: () => Promise<HttpResponse>): Promise<HttpResponse> => send(),
  ): Promise<void> {
    const body = { to_username, currency: 'XOF', amount: 1 };
    const options = { key: api.live_key, idempotency_key: randomUUID(), body };
    const { status } = await answered(() => request(api.service, 'POST', '/transfers', options));
    expect(status).toBe(200);
  }

  async function dropped(reason: string): Promise<number> {
    const text = await (await fetch(metrics_url)).text();
    const name = `payment_api_trace_spans_dropped_total{reason="${reason}"} `;
    return Number(text.split(name)[1]?.split('\n')[0] ?? 0);
  }

  it('that refuses fails no request; what it did not take is counted, and why is in the log', async () => {
    collector.answer = (response) => void response.writeHead(400, 'canary').end('canary');
    await waitFor(async () => {
      await transfer();
      return (await dropped('not_sent')) >= 100;
    });
    // Two batches, and one line a minute.
    const lines = api.service.log.filter(({ part }) => part === 'traces');
    expect(lines).toEqual([
      {
        log: 'error',
        at: expect.any(String),
        part: 'traces',
        error: 'the collector answered 400',
      },
    ]);
  });

  it('that hangs delays no request, and what finds no room is counted', async () => {
    const hung: ServerResponse[] = [];
    collector.answer = (response) => void hung.push(response);
    await Promise.all(Array.from({ length: 200 }, () => transfer(insist)));
    expect(await dropped('queue_full')).toBeGreaterThan(0);
    collector.answer = undefined;
    for (const response of hung) response.end('{}');
  });

  it('gets all of a request or nothing of it, and what is left when the process stops', async () => {
    const before = api.service.access_lines.length;
    for (let n = 0; n < 40; n += 1) await transfer();
    await api.service.stop();
    const kept = api.service.access_lines.slice(before).flatMap(({ trace_id }) => trace_id ?? []);
    // All or none of forty are kept once in 500,000,000,000 runs.
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(40);
    const posted = collector.spans.filter(({ name }) => name === 'RunActivity:postTransfers');
    expect(posted.map(({ traceId }) => traceId)).toEqual(expect.arrayContaining(kept));
    const all = new Set(api.service.access_lines.map(({ trace_id }) => trace_id));
    expect(collector.spans.filter(({ traceId }) => !all.has(traceId))).toEqual([]);
  });
});
