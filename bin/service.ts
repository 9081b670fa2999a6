// Builds one process of the service: the API, a worker, or both on one connection, and stops it in
// the order in which nothing is lost.

import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index';
import { createApp } from '../api/app';
import type { ApiDependencies } from '../api/context';
import { errorDocsUrl } from '../api/middleware/error-response';
import { openAccessLog } from '../api/middleware/access-log';
import { createCallLeases } from '../api/rate-limits/reservations';
import { createTemporalGate } from '../temporal/circuit-breaker';
import type { OpeningOutcome } from '../activities/payment-intents';
import { createNotificationDelivery } from '../temporal/notifications';
import { createEndpointWaker } from '../temporal/webhook-endpoints';
import { createIntentRunner } from '../temporal/payment-intents';
import { createTransferStarters } from '../temporal/transfers';
import { createWaiters } from '../temporal/local-results';
import { ConfigError, type Config } from '../config/load';
import type { TransferOutcome } from '../domain/transfer';
import { connectDatabase, type Db } from '../db/connect';
import type { IntentRow } from '../db/intents';
import { pendingMigrations } from '../db/migrate';
import { createSealer } from '../secrets/seal';
import { lightenWorkflowThreads } from './workflow-threads';
import { createGateways } from './gateways';
import {
  connectTemporal,
  installTemporalRuntime,
  registerSearchAttributes,
  scheduleSweep,
} from '../temporal/connect';
import { webhookPolicy } from './webhook-policy';
import { startWebhookWorker } from './webhook-worker';

export interface Service {
  /** Finishes what is under way, then closes everything. */
  stop(): Promise<void>;
  /** Rejects when the worker or the server fails for good. */
  readonly failed: Promise<never>;
}

export interface ServiceOptions {
  readonly config: Config;
  readonly roles: { readonly api: boolean; readonly webhooks: boolean };
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** In-flight requests get this long before their sockets are closed. */
const DRAIN_MS = 15_000;

// Fixed sizes suit a steady load best and cost least. An eager start needs a free slot, and one
// without would take the long way through task matching; how much is really under way is the API's
// to limit (`TRANSFERS_IN_FLIGHT`).
export const WORKER_TUNING = {
  maxConcurrentWorkflowTaskExecutions: 1000,
  maxConcurrentLocalActivityExecutions: 1000,
  // They wait for gateways: many that hang must leave room for those that do not.
  maxConcurrentActivityTaskExecutions: 500,
  // Transfers end in their first task; only stuck ones stay in the cache.
  maxCachedWorkflows: 500,
  // What a dead process had in its cache goes to another after this. By default it is 10 s, by which
  // an intent then expires late and a payment is applied late.
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
    const { failed } = await startParts(options, closers);
    return { failed, stop: () => (stopping ??= stop()) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  options: ServiceOptions,
  closers: (() => Promise<unknown> | void)[],
): Promise<{ readonly failed: Promise<never> }> {
  const { config, roles } = options;
  const log: ApiDependencies['log'] = (entry) =>
    options.log({ log: 'error', at: new Date().toISOString(), ...entry });
  if (config.secrets_keys.length === 0) throw new ConfigError([SECRETS_KEYS_MISSING]);
  const sealer = createSealer(config.secrets_keys);
  lightenWorkflowThreads();
  installTemporalRuntime(options.log);
  const db = connectDatabase({
    url: config.database_url ?? '',
    pool_size: config.database_pool_size,
    name: roles.api ? 'payment-api' : 'payment-worker',
  });
  closers.push(() => db.destroy());
  await requireSchema(db);
  const link = await connectTemporal(config);
  closers.push(() => link.connection.close());
  await registerSearchAttributes(link);
  await scheduleSweep(link, config);

  const waker = createEndpointWaker({
    temporal: link.client,
    task_queue: config.task_queue,
    onError: (endpoint_id, error) =>
      log({ part: 'webhook-waker', endpoint_id, error: String(error) }),
  });
  closers.push(() => waker.flush());
  const parts = {
    config,
    db,
    log,
    sealer,
    waker,
    webhook_policy: webhookPolicy(config),
    gateways: createGateways(config, options.log),
    waiters: createWaiters<TransferOutcome>(),
    openings: createWaiters<OpeningOutcome>(),
    just_created: new Map<string, IntentRow>(),
    deliverNotification: createNotificationDelivery(link.client, config.task_queue),
    runIntent: createIntentRunner(link.client, config.task_queue),
  };
  const worker = await Worker.create({
    ...WORKER_TUNING,
    connection: link.connection,
    namespace: link.namespace,
    taskQueue: config.task_queue,
    workflowBundle: { codePath: config.workflow_bundle },
    activities: createActivities({
      ...parts,
      outcomes: parts.waiters,
      error_docs_url: errorDocsUrl(config.public_url),
      pay_url_base: config.pay_url_base,
    }),
  });
  const working = worker.run();
  closers.push(async () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await working.catch(() => undefined); // reported by `failed`
  });
  const all_working: Promise<unknown>[] = [working];
  if (roles.webhooks) {
    const webhooks = await startWebhookWorker({ ...parts, link, policy: parts.webhook_policy });
    closers.push(() => webhooks.stop());
    all_working.push(webhooks.working);
  }
  if (roles.api) {
    // Stopped first: a request under way still needs the worker of this process.
    const api = await startApi({ ...parts, temporal: link.client }, link.namespace);
    closers.push(() => api.stop());
  }
  // In an object, because a promise of a promise is only one.
  const ended = Promise.all(all_working);
  return { failed: ended.then(() => new Promise<never>(() => undefined)) };
}

const SECRETS_KEYS_MISSING =
  'SECRETS_KEYS is required: what webhook secrets are encrypted with (openssl rand -base64 32)';

/** An empty or older database is said at the start. One that is away may come back. */
async function requireSchema(db: Db): Promise<void> {
  const pending = await pendingMigrations(db).catch(() => []);
  if (pending.length === 0) return;
  throw new ConfigError(['the database has not the schema of this version: npm run migrate']);
}

type ApiParts = Omit<ApiDependencies, 'gate' | 'access_log' | 'starters' | 'leases'>;

async function startApi(parts: ApiParts, namespace: string): Promise<{ stop(): Promise<void> }> {
  const { config, db, temporal, log } = parts;
  const gate = createTemporalGate(temporal, namespace);
  const access_log = openAccessLog({
    db,
    file: config.access_log_file,
    onError: (error) => log({ part: 'access-log', error: String(error) }),
  });
  const starters = createTransferStarters({ ...parts, gate });
  const leases = createCallLeases();
  const app = createApp({ ...parts, gate, access_log, starters, leases });
  app.on('error', (error: unknown) => log({ part: 'http', error: String(error) }));
  const server = createServer(config, app.callback());
  await listen(server, config);
  return {
    async stop() {
      await closeServer(server);
      gate.close();
      await access_log.close();
    },
  };
}

function createServer(
  config: Config,
  handler: ReturnType<ReturnType<typeof createApp>['callback']>,
): Server {
  const server = config.tls
    ? createHttpsServer(
        {
          cert: readFileSync(config.tls.cert_file),
          key: readFileSync(config.tls.key_file),
          // Specification, section 5.7.
          minVersion: 'TLSv1.2',
        },
        handler,
      )
    : createHttpServer(handler);
  // A slow sender holds a socket, never a worker or a connection of the pool.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  // Longer than a load balancer keeps an idle connection, so that it is never closed under one.
  server.keepAliveTimeout = 65_000;
  server.on('clientError', (_error, socket) => {
    const raw = socket as Socket;
    if (raw.writable)
      raw.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else raw.destroy();
  });
  return server;
}

async function listen(server: Server, config: Config): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: config.host, port: config.port, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(force);
}
