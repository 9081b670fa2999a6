// The worker of all workflows but webhooks: every process has one, also an API, whose transfers it posts.

import { createActivities, type ActivityDependencies } from '../activities/index';
import { errorDocsUrl } from '../api/docs/paths';
import type { Config } from '../config/load';
import type { TemporalLink } from '../temporal/connect';
import { createWorker, runWorkers, type RunningWorker } from './running-worker';
import { workerVersion } from './worker-version';

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
    ...workerVersion(parts.config),
    taskQueue: task_queue,
    workflowBundle: { codePath: workflow_bundle },
    activities: createActivities({ ...parts, error_docs_url, pay_url_base, dashboard_url }),
  });
  return runWorkers(worker);
}
