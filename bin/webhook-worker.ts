// The part of a process that delivers webhooks: a worker with a task queue of its own, an ear for
// commits, and a sweeper for wake-ups that were lost.

import { Worker } from '@temporalio/worker';
import { DRAIN_PACE } from '../activities/webhooks/delivery-run';
import { createDrains, type Drains } from '../activities/webhooks/active-runs';
import type { EndpointWaker } from '../temporal/webhook-endpoints';
import { createWebhookActivities } from '../activities/webhooks/index';
import type { Config } from '../config/load';
import type { Db } from '../db/connect';
import { listen } from '../db/listen';
import { listForgottenResends } from '../db/webhook-resends';
import { claimOverdueEndpoints, DELIVERIES_CHANNEL } from '../db/webhooks';
import { webhookTaskQueue } from '../domain/ids';
import type { Sealer } from '../secrets/seal';
import { createWebhookSender } from '../webhooks/send';
import type { WebhookUrlPolicy } from '../webhooks/url';
import type { TemporalLink } from '../temporal/connect';

export interface WebhookWorkerParts {
  readonly config: Config;
  readonly db: Db;
  readonly link: TemporalLink;
  readonly sealer: Sealer;
  readonly policy: WebhookUrlPolicy;
  readonly waker: EndpointWaker;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

// A drain is a promise that mostly waits, for its receiver or for more to come: many that hang must
// leave room for those that do not.
const TUNING = {
  maxConcurrentWorkflowTaskExecutions: 100,
  maxConcurrentActivityTaskExecutions: 2_000,
  maxCachedWorkflows: 500,
  stickyQueueScheduleToStartTimeout: '5s',
  // Longer than an attempt: those under way are recorded before the process ends.
  shutdownGraceTime: '18s',
  shutdownForceTime: '25s',
} as const;

/**
 * Many merchants have their endpoints at one host, and those that hang there must leave room for the
 * others: what one endpoint may hold is limited by its drain.
 */
const SOCKETS_TO_ONE_HOST = 2_000;

/** A wake-up that was not lost has done its work by then. */
const OVERDUE_MS = 2_000;
const SWEPT_AT_ONCE = 500;

export async function startWebhookWorker(
  parts: WebhookWorkerParts,
): Promise<{ readonly working: Promise<void>; stop(): Promise<void> }> {
  const { config, db, link, waker } = parts;
  const { webhooks } = config;
  const sender = createWebhookSender({
    policy: parts.policy,
    max_per_origin: SOCKETS_TO_ONE_HOST,
    deadline_ms: webhooks.timeout_ms,
  });
  const drains = createDrains((ids) => waker.wake(ids));
  const worker = await Worker.create({
    ...TUNING,
    connection: link.connection,
    namespace: link.namespace,
    taskQueue: webhookTaskQueue(config.task_queue),
    workflowBundle: { codePath: config.workflow_bundle },
    activities: createWebhookActivities({
      ...{ db, sender, drains, waker, sealer: parts.sealer },
      deliveries: {
        retry_seconds: webhooks.retry_seconds,
        timeout_ms: webhooks.timeout_ms,
        concurrency: webhooks.concurrency,
        disable_after_seconds: webhooks.disable_after_hours * 3_600,
        pace: DRAIN_PACE,
      },
    }),
  });
  const ear = hearCommits(config, drains);
  const sweeper = startSweeper(parts);
  const working = worker.run();
  return {
    working,
    async stop() {
      sweeper.stop();
      // Drains that linger end at once, and those that send take nothing new.
      drains.stop();
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await working.catch(() => undefined); // reported by `working`
      await ear.close();
      await sender.close();
    },
  };
}

function hearCommits({ database_url }: Config, drains: Drains): { close(): Promise<void> } {
  return listen({
    url: database_url ?? '',
    channel: DELIVERIES_CHANNEL,
    onMessage: (endpoint_id) => drains.heard(endpoint_id),
    onConnected: () => drains.heardAll(),
  });
}

function startSweeper(parts: WebhookWorkerParts): { stop(): void } {
  const { sweep_seconds } = parts.config.webhooks;
  let timer: NodeJS.Timeout | undefined;
  let is_stopped = sweep_seconds === 0;
  const next = (): void => {
    if (is_stopped) return;
    timer = setTimeout(() => {
      sweep(parts)
        .catch((error: unknown) => parts.log({ part: 'webhook-sweeper', error: String(error) }))
        .finally(next);
    }, sweep_seconds * 1_000);
  };
  next();
  return {
    stop() {
      is_stopped = true;
      clearTimeout(timer);
    },
  };
}

async function sweep({ config, db, waker }: WebhookWorkerParts): Promise<void> {
  waker.wake(await claimOverdueEndpoints(db, OVERDUE_MS, SWEPT_AT_ONCE));
  const forgotten = await listForgottenResends(db, config.webhooks.sweep_seconds * 1_000);
  for (const id of forgotten) await waker.startResend(id);
}
