// A process without a collector loads nothing of OpenTelemetry's tracing, leaves nothing of it in histories, and
// works beside a process with one on the same workflows.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { intentWorkflowId } from '../../domain/ids';
import { traceWorkers } from '../../temporal/tracing';
import { TRACE_HEADER } from '../../workflows/messages';
import { BUILD_LIMIT_MS } from '../cli/support/cli';
import { request, type HttpResponse } from '../support/http';
import { actAt } from '../support/sandbox-gateway';
import { readStack } from '../support/stack';
import { connectTestTemporal } from '../support/temporal';
import { buildApiKey, buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { startCollector, type Collector } from './support/collector';
import { createInstallation, type ApiProcess, type Installation } from './support/processes';

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'error' } },
});

type History = proto.api.history.v1.IHistory;

const LIST = join(__dirname, 'support', 'list-modules.cjs');

let installation: Installation;
let collector: Collector;
let temporal: Client;
let plain: ApiProcess;
let traced: ApiProcess;
let key: string;
const modules_of = { plain: '', traced: '' };

beforeAll(async () => {
  installation = await createInstallation();
  collector = await startCollector();
  temporal = await connectTestTemporal();
  const { db } = installation.database;
  const user = await buildUser(db);
  ({ key } = await buildApiKey(db, { user, environment: 'sandbox' }));
  const listing = (name: 'plain' | 'traced') => {
    modules_of[name] = join(readStack().folder, `modules-${name}-${randomUUID()}`);
    return { NODE_OPTIONS: `--require ${LIST}`, MODULES_FILE: modules_of[name] };
  };
  plain = await installation.startApi(listing('plain'));
  traced = await installation.startApi({
    ...listing('traced'),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
}, BUILD_LIMIT_MS);

async function create(api: ApiProcess): Promise<HttpResponse['json']> {
  const body = { amount: 5000, currency: 'XOF' };
  const { status, json } = await request(api, 'POST', '/payment-intents', {
    ...{ key, idempotency_key: randomUUID(), body },
  });
  expect(status).toBe(201);
  return json;
}

async function historyOf(id: string): Promise<History> {
  const handle = temporal.workflow.getHandle(intentWorkflowId('sandbox', id));
  expect(await handle.result()).toEqual({ status: 'succeeded' });
  return handle.fetchHistory();
}

/** Of the start, the messages and the activities. */
function headersIn({ events }: History): readonly string[] {
  return (events ?? []).flatMap((event) =>
    [
      event.workflowExecutionStartedEventAttributes?.header,
      event.workflowExecutionSignaledEventAttributes?.header,
      event.activityTaskScheduledEventAttributes?.header,
      event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.header,
    ].flatMap((header) => Object.keys(header?.fields ?? {})),
  );
}

function replay(history: History, codePath = readStack().workflow_bundle): Promise<void> {
  const { sinks } = traceWorkers(undefined);
  return Worker.runReplayHistory(
    { workflowBundle: { codePath }, sinks },
    proto.api.history.v1.History.fromObject(history),
  );
}

/** Of the version before, which knows no traces. */
function releasedBundle(): string {
  // A folder of its own: other files of the run may use a bundle of this name.
  const folder = mkdtempSync(join(readStack().folder, 'release-'));
  const archive = join(__dirname, '..', 'upgrade', 'releases', '0.1.0.tar.gz');
  execFileSync('tar', ['-xzf', archive, '-C', folder, './workflow-bundle.js']);
  return join(folder, 'workflow-bundle.js');
}

it('goes on with what a process with tracing began, and the other way round', async () => {
  const by_traced = await create(traced);
  const by_plain = await create(plain);
  // The workflow of the first is in the cache of a process that is gone.
  await traced.kill();
  await actAt(by_traced.checkout_url, 'pay');
  const begun_traced = await historyOf(by_traced.id);
  expect(headersIn(begun_traced)).toContain(TRACE_HEADER);
  await replay(begun_traced);
  await replay(begun_traced, releasedBundle());

  await traced.start();
  await plain.kill();
  // The gateway notifies the first API, which is gone for now.
  await actAt(by_plain.checkout_url, 'pay');
  await plain.start();
  const begun_plain = await historyOf(by_plain.id);
  await replay(begun_plain);
}, 120_000);

it('leaves no header in a history of its own', async () => {
  await traced.kill();
  const { id, checkout_url } = await create(plain);
  await actAt(checkout_url, 'pay');
  expect(headersIn(await historyOf(id))).toEqual([]);
  await traced.start();
}, 120_000);

it('loads no package of OpenTelemetry but the one that prom-client brings', async () => {
  for (const api of [plain, traced]) await api.terminate();
  const packagesOf = (name: 'plain' | 'traced') => {
    const files = readFileSync(modules_of[name], 'utf8').split('\n');
    const found = files.map((file) => /@opentelemetry[\\/]([a-z-]+)/.exec(file)?.[1]);
    return new Set(found.filter((one) => one !== undefined));
  };
  await waitFor(() => packagesOf('plain').size > 0);
  expect(packagesOf('plain')).toEqual(new Set(['api']));
  expect([...packagesOf('traced')]).toEqual(
    expect.arrayContaining(['sdk-trace', 'exporter-trace-otlp-http']),
  );
  const files = readFileSync(modules_of.plain, 'utf8');
  expect(files).not.toMatch(/telemetry[\\/](tracing|span-queue|sampler)\.js/);
}, 60_000);
