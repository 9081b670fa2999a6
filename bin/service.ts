// Builds one process of the service: the API, a worker, or both on one connection, and stops it in
// the order in which nothing is lost.

import { Worker } from '@temporalio/worker';
import { createActivities, type ActivityDependencies } from '../activities/index';
import { createApp, type AroundMiddleware } from '../api/app';
import type { ApiDependencies, ApiMiddleware } from '../api/context';
import { createSmtp } from '../activities/smtp';
import { errorDocsUrl } from '../api/docs/paths';
import { openAccessLog } from '../api/access-log';
import { createReadiness } from '../api/status/readiness';
import { createReservations } from '../api/rate-limits/reservations';
import { createSecrets } from '../api/rate-limits/secrets';
import { createStrangers } from '../api/rate-limits/strangers';
import { dashboardOrigin } from '../dashboard/origin';
import { dashboardRouter } from '../dashboard/router';
import type { DashboardDependencies } from '../dashboard/context';
import { createLiveUpdates } from '../dashboard/live';
import { createVisits } from '../dashboard/visits';
import { ConfigError, type Config } from '../config/load';
import type { CheckoutOutcome } from '../domain/intent';
import type { TransferResult } from '../domain/transfer';
import { connectDatabase, type Db, type TraceStatement } from '../db/connect';
import { findIntentToRun } from '../db/intents';
import { findNextBatch } from '../db/transfer-batches';
import { SchemaError } from '../db/schema-error';
import { findPendingFiles } from '../db/schema-files';
import { findSessionHashes } from '../db/sessions';
import { findActiveKeys, findShortCodes } from '../db/strangers';
import { loadCommonPasswords } from '../secrets/common-passwords';
import { createDevices } from '../secrets/device';
import { createKeyedHash } from '../secrets/signature';
import { createSealer } from '../secrets/seal';
import { createWorkflowMessages, type WorkflowMessages } from '../secrets/workflow-messages';
import { workerVersion } from './worker-version';
import { lightenWorkflowThreads } from './workflow-threads';
import { createGateways } from './gateways';
import { createCircuitBreaker, createTemporalProbe } from '../temporal/circuit-breaker';
import {
  connectTemporal,
  installTemporalRuntime,
  prepareTemporal,
  type TemporalLink,
} from '../temporal/connect';
import { keepTemporalPrepared } from './temporal-preparation';
import { updateReconciliationSchedule } from '../temporal/reconciliations';
import { createRunningWorkflows } from '../temporal/running-workflows';
import { createIdentityCheckWaker, type WakeIdentityCheck } from '../temporal/identity-checks';
import { createLocalResults } from '../temporal/local-results';
import { createMailStarter, createMailWaker } from '../temporal/mails';
import { createNotificationDelivery } from '../temporal/notifications';
import {
  createIntentStarter,
  createIntentWorkflows,
  type IntentWorkflowOptions,
} from '../temporal/payment-intents';
import { createPaymentRefundWaker } from '../temporal/refunds';
import { createRefundWaker } from '../temporal/suspense';
import { createReversalWorkflows } from '../temporal/reversals';
import { createBatchStarter, createBatchWaker } from '../temporal/transfer-batches';
import { createTransferWorkflows } from '../temporal/transfers';
import { createEndpointWaker } from '../temporal/webhook-endpoints';
import { LOOPBACK, startOnFreePort } from '../embedded/ports';
import type { Tracing } from '../telemetry/trace';
import type * as tracing_module from '../telemetry/tracing';
import { createMetrics } from '../telemetry/metrics';
import { tendAccessDays } from './access-days';
import { startArchiveKeeper } from './archive-keeper';
import { tendAttemptMonths } from './attempt-months';
import { startBatchWorker } from './batch-worker';
import { startExpirySweeper } from './expiry-sweeper';
import { startHttpServer } from './http-server';
import { showMetrics } from './metrics';
import type { Repetition } from './repeat';
import { startLedgerSealer } from './ledger-sealer';
import { webhookPolicy } from './webhook-policy';
import { startWebhookWorker } from './webhook-worker';

export interface Service {
  /** Finishes what is under way, then closes everything. */
  stop(): Promise<void>;
  /** Rejects when the worker or the server fails for good. */
  readonly failed: Promise<never>;
  /** Undefined when they are not shown. */
  readonly metrics_url: string | undefined;
}

export interface ServiceOptions {
  readonly config: Config;
  readonly roles: { readonly api: boolean; readonly webhooks: boolean };
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  /** For tests of what happens when a middleware fails. */
  readonly around?: AroundMiddleware | undefined;
  /** Of the HTTP server; none when left out. */
  readonly drain_ms?: number | undefined;
}

// Fixed sizes suit a steady load best and cost least. An eager start needs a free slot, and without one
// it takes the long way through task matching; the API itself limits how much is under way
// (`TRANSFERS_IN_FLIGHT`).
export const WORKER_TUNING = {
  maxConcurrentWorkflowTaskExecutions: 1000,
  maxConcurrentLocalActivityExecutions: 1000,
  // Activities wait for gateways: many that hang must leave room for the others.
  maxConcurrentActivityTaskExecutions: 500,
  // Transfers end in their first task; only stuck ones stay in the cache.
  maxCachedWorkflows: 500,
  // After this another process takes over what a dead one had in its cache. The default is 10 s, and
  // an intent would then expire that late and a payment be applied that late.
  stickyQueueScheduleToStartTimeout: '5s',
  shutdownGraceTime: '10s',
  shutdownForceTime: '20s',
} as const;

export async function startService(options: ServiceOptions): Promise<Service> {
  // In the order of starting; stopped in the reverse.
  const closers: (() => Promise<unknown> | void)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()!();
  };
  try {
    const started = await startParts(options, closers);
    return { ...started, stop: () => (stopping ??= stop()) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  options: ServiceOptions,
  closers: (() => Promise<unknown> | void)[],
): Promise<Pick<Service, 'failed' | 'metrics_url'>> {
  const { config, roles } = options;
  let metrics_url: string | undefined;
  const metrics = createMetrics();
  const log: ApiDependencies['log'] = (entry) => {
    metrics.countLoggedError(entry['part']);
    const trace_id = tracing?.traceId();
    const traced = trace_id === undefined ? {} : { trace_id };
    options.log({ log: 'error', at: new Date().toISOString(), ...entry, ...traced });
  };
  const tracing = loadTracing(options, { metrics, log });
  // Closed last: what is stopped before has spans to send.
  if (tracing) closers.push(() => tracing.close());
  const trace = tracing && traceStatements(tracing);
  if (config.secrets_keys.length === 0) throw new ConfigError([SECRETS_KEYS_MISSING]);
  const sealer = createSealer(config.secrets_keys);
  lightenWorkflowThreads();
  const sdk_address = await installRuntime(options);
  const db = connectDatabase({
    url: config.database_url ?? '',
    pool_size: config.database_pool_size,
    name: roles.api ? 'payment-api' : 'payment-worker',
    trace,
  });
  closers.push(() => db.destroy());
  await requireSchema(db);
  const link = await connectTemporal(config, tracing);
  closers.push(() => link.connection.close());
  await prepareTemporal(link, config);
  await updateReconciliationSchedule(link.client, config);
  const preparation = keepTemporalPrepared({ link, config, log });
  closers.push(() => preparation.stop());

  const patient_db = connectDatabase({
    url: config.database_url ?? '',
    pool_size: PATIENT_POOL_SIZE,
    name: 'payment-patient',
    is_patient: true,
    statement_timeout_ms: PATIENT_STATEMENT_MS,
    trace,
  });
  closers.push(() => patient_db.destroy());

  const waker = createEndpointWaker({
    temporal: link.client,
    task_queue: config.task_queue,
    onError: (endpoint_id, error) =>
      log({ part: 'webhook-waker', endpoint_id, error: String(error) }),
  });
  closers.push(() => waker.flush());
  const intents = {
    client: link.client,
    task_queue: config.task_queue,
    findIntent: (id: string) => findIntentToRun(db, id),
  };
  const startBatch = createBatchStarter(link.client, config.task_queue);
  const startMail =
    config.smtp === undefined ? undefined : createMailStarter(link.client, config.task_queue);
  if (config.production && !startMail) log({ part: 'mails', error: NO_MAILS });
  const probeTemporal = createTemporalProbe(link.client, link.namespace);
  const findReadiness = createReadiness({ db, probeTemporal });
  if (sdk_address !== undefined) {
    const shown = await showMetrics({ config, metrics, db, findReadiness, sdk_address });
    closers.push(() => shown.close());
    metrics_url = `${shown.url}/metrics`;
  }
  const parts = {
    config,
    db,
    metrics,
    ...{ tracing, trace },
    probeTemporal,
    findReadiness,
    intents,
    log,
    sealer,
    workflow_messages: createWorkflowMessages(config.secrets_keys),
    waker,
    webhook_policy: webhookPolicy(config),
    gateways: createGateways(config, options.log),
    local_transfers: createLocalResults<TransferResult>(),
    pending_checkouts: createLocalResults<CheckoutOutcome>(),
    deliverNotification: createNotificationDelivery(intents),
    wakeRefund: createRefundWaker(link.client, config.task_queue),
    wakePaymentRefund: createPaymentRefundWaker(link.client, config.task_queue),
    wakeIdentityCheck: createIdentityCheckWaker(link.client, config.task_queue),
    startMail,
    wakeMail: createMailWaker({ startMail, log }),
    sendMail: config.smtp && createSmtp(config.smtp),
    startIntent: createIntentStarter(link.client, config.task_queue),
    patient_db,
    running_workflows: createRunningWorkflows(link.client, config.task_queue),
    reconcile_grace_ms: config.reconcile_grace_ms,
    startBatch,
    wakeBatches: createBatchWaker(startBatch, (user_id, environment) =>
      findNextBatch(db, user_id, environment),
    ),
  };
  const access_days = tendAccessDays({
    ...{ db, log, days: config.access_log_days },
    identity_data_days: config.identity_checks.data_days,
  });
  closers.push(() => access_days.stop());
  for (const keeper of startGrowthKeepers(options, patient_db, log)) {
    closers.push(() => keeper.stop());
  }
  const ledger_sealer = startLedgerSealer({ db, log, metrics });
  closers.push(() => ledger_sealer.stop());
  const expiry_sweeper = startExpirySweeper({ ...parts, pay_url_base: config.pay_url_base });
  closers.push(() => expiry_sweeper.stop());
  const workers: { readonly working: Promise<unknown>; stop(): Promise<void> }[] = [];
  // Together: each takes its time when what it has under way cannot end.
  closers.push(() => Promise.all(workers.map((worker) => worker.stop())));
  workers.push(await startWorker(parts, link));
  const error_docs_url = errorDocsUrl(config.public_url);
  workers.push(await startBatchWorker({ ...parts, link, error_docs_url }));
  if (roles.webhooks) {
    workers.push(await startWebhookWorker({ ...parts, link, policy: parts.webhook_policy }));
  }
  if (roles.api) {
    // Stopped first: a request under way still needs the worker of this process.
    const api = await startApi(parts, link, options);
    closers.push(() => api.stop());
  }
  // In an object, because a promise of a promise is only one.
  const ended = Promise.all(workers.map(({ working }) => working));
  return { metrics_url, failed: ended.then(() => new Promise<never>(() => undefined)) };
}

/** Without an endpoint nothing of it is loaded. */
function loadTracing(
  { config: { traces }, roles }: ServiceOptions,
  told: Pick<tracing_module.TracingOptions, 'metrics' | 'log'>,
): Tracing | undefined {
  if (traces === undefined) return undefined;
  // Not by `import`, which would load it always.
  const { startTracing } = require('../telemetry/tracing') as typeof tracing_module;
  const service_name = traces.service_name ?? (roles.api ? 'payment-api' : 'payment-worker');
  return startTracing({ ...told, ...traces, service_name });
}

function traceStatements(tracing: Tracing): TraceStatement {
  const attributes = { 'db.system.name': 'postgresql' };
  // What a process does by itself is no part of a trace, nor what a request leaves behind for later, such as
  // the rows of the access log: one write for many requests.
  return (name, run) =>
    tracing.traceId() === undefined
      ? run()
      : tracing.span({ name, kind: 'client', attributes }, run);
}

/** Workers drop and archive: they are given the folder of archives, and API processes need not be. */
function startGrowthKeepers(
  { config, roles }: ServiceOptions,
  db: Db,
  log: ServiceOptions['log'],
): Repetition[] {
  const { archive_directory, webhooks } = config;
  const days = roles.webhooks ? webhooks.attempt_days : 0;
  const attempt_months = tendAttemptMonths({ db, log, days, archive_directory });
  if (archive_directory === undefined || !roles.webhooks) return [attempt_months];
  return [attempt_months, startArchiveKeeper({ db, log, directory: archive_directory })];
}

/** Returns where the SDK exports its metrics, if they are to be shown: it cannot tell a port that it chose. */
async function installRuntime({ config, log }: ServiceOptions): Promise<string | undefined> {
  if (config.metrics.port === 0) {
    installTemporalRuntime(log);
    return undefined;
  }
  return startOnFreePort(0, async (port) => {
    const address = `${LOOPBACK}:${port}`;
    installTemporalRuntime(log, address);
    return address;
  });
}

/**
 * For a reconciliation, of which one runs at a time, and the keepers of months. Connections are opened when they
 * are needed, and closed when that is over.
 */
const PATIENT_POOL_SIZE = 4;
/** Of all statements but those over the whole books. */
const PATIENT_STATEMENT_MS = 60_000;

const NO_MAILS =
  'no mail can be sent: set SMTP_URL and MAIL_FROM, or nobody can confirm an address or set a new password';

const SECRETS_KEYS_MISSING =
  'SECRETS_KEYS is required: what webhook secrets are encrypted with (openssl rand -base64 32)';

/** Refuses an empty or older database at the start. One that is away may come back. */
async function requireSchema(db: Db): Promise<void> {
  const pending = await findPendingFiles(db).catch(() => []);
  if (pending.length === 0) return;
  throw new SchemaError('The schema is out of date: run npm run migrate.');
}

async function startWorker(
  parts: Omit<ActivityDependencies, 'error_docs_url' | 'pay_url_base' | 'dashboard_url'> &
    Pick<ApiParts, 'config'>,
  { connection, namespace, data_converter, tracing }: TemporalLink,
): Promise<{ readonly working: Promise<void>; stop(): Promise<void> }> {
  const { task_queue, workflow_bundle, public_url, pay_url_base, dashboard_url } = parts.config;
  const error_docs_url = errorDocsUrl(public_url);
  const worker = await Worker.create({
    ...WORKER_TUNING,
    ...workerVersion(parts.config),
    connection,
    namespace,
    dataConverter: data_converter,
    ...tracing,
    taskQueue: task_queue,
    workflowBundle: { codePath: workflow_bundle },
    activities: createActivities({ ...parts, error_docs_url, pay_url_base, dashboard_url }),
  });
  const working = worker.run();
  return {
    working,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await working.catch(() => undefined); // reported by `failed`
    },
  };
}

type ApiParts = Omit<
  ApiDependencies,
  | 'breakers'
  | 'transfer_workflows'
  | 'intent_workflows'
  | 'reversal_workflows'
  | 'access_log'
  | 'reservations'
  | keyof ReturnType<typeof createStrangerLimits>
> & { readonly workflow_messages: WorkflowMessages };

async function startApi(
  parts: ApiParts & {
    readonly intents: IntentWorkflowOptions;
    readonly wakeIdentityCheck: WakeIdentityCheck;
    readonly tracing: Tracing | undefined;
    readonly trace: TraceStatement | undefined;
  },
  { client }: TemporalLink,
  { around, drain_ms }: Pick<ServiceOptions, 'around' | 'drain_ms'>,
): Promise<{ stop(): Promise<void> }> {
  const { config, db, log, workflow_messages } = parts;
  const { probeTemporal } = parts;
  const breakers = {
    live: createCircuitBreaker(probeTemporal),
    sandbox: createCircuitBreaker(probeTemporal),
  };
  const access_log = openAccessLog({
    db,
    file: config.access_log_file,
    max_bytes: config.access_log_file_bytes,
    onError: (error) => log({ part: 'access-log', error: String(error) }),
  });
  const api: ApiDependencies = {
    ...parts,
    breakers,
    transfer_workflows: createTransferWorkflows({
      ...{ client, breakers, config, log, workflow_messages, tracing: parts.tracing },
    }),
    reversal_workflows: createReversalWorkflows({
      ...{ client, breakers, config, log, workflow_messages },
    }),
    intent_workflows: createIntentWorkflows({ ...parts.intents, workflow_messages }),
    access_log,
    reservations: createReservations(),
    ...createStrangerLimits(config, db),
  };
  const operator_db =
    config.operator_database_url === undefined
      ? undefined
      : connectDatabase({
          url: config.operator_database_url,
          pool_size: OPERATOR_POOL_SIZE,
          name: 'payment-operators',
          trace: parts.trace,
        });
  const live = createLiveUpdates({ db, log });
  const look_ups = createSessionLookUps(config, api);
  await loadCommonPasswords();
  const { wakeIdentityCheck } = parts;
  const dashboard = dashboardRouter({ ...api, operator_db, live, wakeIdentityCheck, ...look_ups });
  const app = createApp(api, {
    ...{ around, in_front: dashboardOrigin(config), tracing: parts.tracing },
    pages: [dashboard.routes() as ApiMiddleware],
  });
  app.on('error', (error: unknown) => {
    if (!isCallerGone(error)) log({ part: 'http', error: String(error) });
  });
  const server = await startHttpServer(config, app.callback(), { drain_ms });
  return {
    async stop() {
      // Streams have no end of their own.
      live.close();
      await server.stop();
      for (const breaker of Object.values(breakers)) breaker.close();
      await access_log.close();
      await operator_db?.destroy();
    },
  };
}

/** A browser that closes its page in the middle of a stream is no fault. */
function isCallerGone(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Operators are few, and their decisions must not wait for each other long. */
const OPERATOR_POOL_SIZE = 4;

function createSessionLookUps(
  { secrets_keys }: Config,
  { db, strangers }: ApiDependencies,
): Pick<DashboardDependencies, 'session_secrets' | 'formToken' | 'devices' | 'visits'> {
  return {
    formToken: createKeyedHash(secrets_keys, 'dashboard form'),
    devices: createDevices(createKeyedHash(secrets_keys, 'dashboard device')),
    visits: createVisits(),
    session_secrets: createSecrets({
      strangers,
      async findRight(secrets) {
        const hashes = secrets.map((secret) => Buffer.from(secret, 'base64'));
        return (await findSessionHashes(db, hashes)).map((hash) => hash.toString('base64'));
      },
    }),
  };
}

function createStrangerLimits(
  { anonymous_requests_per_minute: per_minute }: Config,
  db: Db,
): Pick<ApiDependencies, 'strangers' | 'key_secrets' | 'link_secrets'> {
  const strangers = createStrangers({ per_minute });
  return {
    strangers,
    key_secrets: createSecrets({
      strangers,
      async findRight(secrets) {
        const hashes = secrets.map((secret) => Buffer.from(secret, 'base64'));
        return (await findActiveKeys(db, hashes)).map((hash) => hash.toString('base64'));
      },
    }),
    link_secrets: createSecrets({ strangers, findRight: (codes) => findShortCodes(db, codes) }),
  };
}
