// Temporal's worker versioning, for who replaces a whole fleet at once (docs/operations.md).
// Without it any worker takes any workflow, and saved histories are replayed in tests instead.

import type { WorkerOptions } from '@temporalio/worker';
import type { Config } from '../config/load';

/**
 * The options of workers that run workflows. Those that only run activities of another queue need
 * no version.
 */
export function workerVersion({
  worker_version,
}: Pick<Config, 'worker_version'>): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (worker_version === undefined) return {};
  const { deployment_name, build_id } = worker_version;
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: { deploymentName: deployment_name, buildId: build_id },
      // Links, endpoints and batches live for days: they go on with the newest version. Transfers
      // end where they began (workflows/transfers.ts).
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}
