// The worker of all workflows but webhooks: every process has one, also an API, whose transfers it
// posts.

import type { TunerHolder } from '@temporalio/worker';
import { createActivities, type ActivityDependencies } from '../activities/index';
import { errorDocsUrl } from '../domain/docs-paths';
import type { Config } from '../config/load';
import type { TemporalLink } from '../temporal/connect';
import { createWorker, runWorkers, type RunningWorker } from './running-worker';

export const WORKER_TUNING = {
  // Transfers end in their first task; only stuck ones stay in the cache.
  maxCachedWorkflows: 500,
  // After this another process takes over what a dead one had in its cache. The default is 10 s,
  // and an intent would then expire that late and a payment be applied that late.
  stickyQueueScheduleToStartTimeout: '5s',
  shutdownGraceTime: '10s',
  shutdownForceTime: '20s',
} as const;

// An eager start needs a free slot, and without one it takes the long way through task matching; a
// gateway that hangs holds slots, too. So there are many, but only as long as the machine has
// processor time left: a task that waits in a busy process for longer than its timeout is done in
// vain, and so are its next attempts. Temporal keeps the others, whose timeouts have not begun
// (docs/decisions/workflows.md).
export const WORKER_SLOTS: TunerHolder = {
  workflowTaskSlotSupplier: {
    type: 'resource-based',
    minimumSlots: 50,
    maximumSlots: 1000,
    rampThrottle: 0,
    tunerOptions: { targetCpuUsage: 0.9, targetMemoryUsage: 1 },
  },
  localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: 1000 },
  // Activities wait for gateways: many that hang must leave room for the others.
  activityTaskSlotSupplier: { type: 'fixed-size', numSlots: 500 },
  nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
};

export async function startMainWorker(
  parts: Omit<ActivityDependencies, 'error_docs_url' | 'pay_url_base' | 'dashboard_url'> & {
    readonly config: Config;
    readonly link: TemporalLink;
  },
): Promise<RunningWorker> {
  const { task_queue, workflow_bundle, public_url, pay_url_base, dashboard_url } = parts.config;
  const error_docs_url = errorDocsUrl(public_url);
  const worker = await createWorker(parts.link, {
    ...WORKER_TUNING,
    tuner: WORKER_SLOTS,
    taskQueue: task_queue,
    workflowBundle: { codePath: workflow_bundle },
    activities: createActivities({ ...parts, error_docs_url, pay_url_base, dashboard_url }),
  });
  return runWorkers(worker);
}
