// The part of a process that delivers webhooks: a Temporal worker with a task queue of its own, and a
// listener for commits.

import { randomUUID } from 'node:crypto';
import { createActiveRuns, type ActiveRuns } from '../activities/webhooks/active-runs';
import { createDirectRuns, type DirectRuns } from '../activities/webhooks/direct-runs';
import { createWebhookActivities } from '../activities/webhooks/index';
import { createLeases } from '../activities/webhooks/leases';
import { DELIVERY_PACE } from '../activities/webhooks/settings';
import type { Config } from '../config/load';
import { openDatabaseClock } from '../db/clock';
import type { Db } from '../db/connect';
import { listen } from '../db/listen';
import {
  DELIVERIES_CHANNEL,
  endWebhookWorker,
  QUIET_CHANNEL,
  renewWebhookWorker,
} from '../db/webhooks/webhook-delivery-runs';
import { webhookTaskQueue } from '../domain/ids';
import type { Sealer } from '../secrets/seal';
import type { TemporalLink } from '../temporal/connect';
import type { Metrics } from '../telemetry/metrics';
import type { EndpointWaker } from '../temporal/webhook-endpoints';
import { createWebhookSender } from '../webhooks/send';
import type { WebhookUrlPolicy } from '../webhooks/url';
import { repeat } from './repeat';
import { createWorker, runWorkers, type RunningWorker } from './running-worker';

export interface WebhookWorkerParts {
  readonly config: Config;
  readonly db: Db;
  readonly link: TemporalLink;
  readonly sealer: Sealer;
  readonly policy: WebhookUrlPolicy;
  readonly waker: EndpointWaker;
  readonly metrics: Pick<Metrics, 'countWebhookAttempt'>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

// A delivery run is a promise that mostly waits, for its receiver or for new deliveries. There is
// room for many that hang beside those that do not.
const TUNING = {
  maxConcurrentWorkflowTaskExecutions: 100,
  maxConcurrentActivityTaskExecutions: 2_000,
  maxCachedWorkflows: 500,
  stickyQueueScheduleToStartTimeout: '5s',
  // Longer than an attempt: attempts under way are recorded before the process ends.
  shutdownGraceTime: '18s',
  shutdownForceTime: '25s',
} as const;

/**
 * Many merchants have their endpoints at one host, and endpoints that hang must leave room for the
 * others there. How much one endpoint may use is limited by its delivery run; a merchant has up to 32.
 */
const SOCKETS_TO_ONE_HOST = 2_000;
const SOCKETS_OF_ONE_ACCOUNT = 500;

export async function startWebhookWorker(parts: WebhookWorkerParts): Promise<RunningWorker> {
  const { config, db, link, waker } = parts;
  const { webhooks } = config;
  const sender = createWebhookSender({
    policy: parts.policy,
    max_per_origin: SOCKETS_TO_ONE_HOST,
    max_per_account: SOCKETS_OF_ONE_ACCOUNT,
    deadline_ms: webhooks.timeout_ms,
  });
  const active_runs = createActiveRuns((ids) => waker.wake(ids));
  const clock = openDatabaseClock({
    db,
    onSkew: (skew_ms) =>
      parts.log({ part: 'clock', skew_ms, error: "this machine's clock differs from Postgres'" }),
  });
  const delivering = {
    db,
    clock,
    sender,
    active_runs,
    waker,
    sealer: parts.sealer,
    log: parts.log,
    metrics: parts.metrics,
    leases: createLeases(db, DELIVERY_PACE.lease_ms),
    deliveries: {
      retry_seconds: webhooks.retry_seconds,
      timeout_ms: webhooks.timeout_ms,
      concurrency: webhooks.concurrency,
      disable_after_seconds: webhooks.disable_after_hours * 3_600,
      pace: DELIVERY_PACE,
    },
  };
  const direct_runs = createDirectRuns({ ...delivering, wake: (ids) => waker.wake(ids) });
  const worker = await createWorker(link, {
    ...TUNING,
    taskQueue: webhookTaskQueue(config.task_queue),
    workflowBundle: { codePath: config.workflow_bundle },
    activities: createWebhookActivities(delivering),
  });
  const listener = listenForDeliveries(parts, active_runs, direct_runs);
  const running = runWorkers(worker);
  return {
    working: running.working,
    async stop() {
      // From now on other workers are notified of quiet endpoints.
      await listener.leave();
      // Runs that linger end at once, and runs that send take nothing new.
      active_runs.stop();
      await running.stop();
      await direct_runs.flush();
      await listener.close();
      clock.close();
      await sender.close();
    },
  };
}

/** How often this worker shows that it hears, and how long it is believed. */
const HEARS_MS = 2_000;
const BELIEVED_MS = 6_000;

/**
 * A connection pooler may swallow notifications. So this worker is notified of deliveries to quiet endpoints only
 * as long as it hears what it sends itself through the pool.
 */
function listenForDeliveries(
  { config, db, log, waker }: WebhookWorkerParts,
  active_runs: ActiveRuns,
  direct_runs: DirectRuns,
): { leave(): Promise<void>; close(): Promise<void> } {
  const id = randomUUID();
  let has_heard = false;
  const listener = listen({
    url: config.database_url ?? '',
    channels: {
      [DELIVERIES_CHANNEL]: (endpoint_id) => active_runs.notify(endpoint_id),
      [QUIET_CHANNEL](payload) {
        // The third says that only the endpoint's workflow may deliver.
        const [worker, endpoint_id, task] = payload.split(' ');
        if (worker !== id && worker !== 'any') return;
        if (endpoint_id === undefined) has_heard = true;
        else if (task === 'wake') waker.wake([endpoint_id]);
        else direct_runs.begin(endpoint_id);
      },
    },
    onConnected: () => active_runs.notifyAll(),
  });
  const renewals = repeat({
    turn() {
      const heard = has_heard;
      has_heard = false;
      return renewWebhookWorker(db, id, heard, BELIEVED_MS);
    },
    pause_ms: HEARS_MS,
    onError: (error) => log({ part: 'webhook-worker', error: String(error) }),
  });
  return {
    async leave() {
      await renewals.stop();
      // It is forgotten by itself soon.
      await endWebhookWorker(db, id).catch(() => undefined);
    },
    // A commit under way may still have chosen this worker, which then wakes the workflow.
    close: () => listener.close(),
  };
}
