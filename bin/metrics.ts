// Shows the metrics of a process (docs/decisions/production.md).

import { collectDefaultMetrics, Counter } from 'prom-client';
import type { Config } from '../config/load';
import type { Db } from '../db/connect';
import { readGauges } from '../db/health/gauges';
import { mayServe, type Readiness } from '../api/status/readiness';
import { addGauges } from '../telemetry/gauges';
import { startListener, type Listener } from '../telemetry/listener';
import type { Metrics } from '../telemetry/metrics';
import { countFailedTasks, readSdkMetrics } from '../telemetry/sdk-metrics';
import { within } from '../temporal/calls';
import type { ServiceOptions } from './service';

export interface MetricsOptions {
  readonly config: Pick<Config, 'metrics' | 'given'>;
  readonly metrics: Metrics;
  readonly db: Db;
  readonly roles: ServiceOptions['roles'];
  readonly findReadiness: () => Promise<Readiness>;
  /** The address at which the SDK's exporter listens. */
  readonly sdk_address: string;
}

/** Younger figures would cost Postgres more, and tell operators no more. */
const FIGURES_MS = 10_000;
/** A scrape that takes longer is given up by who asked. */
const WITHIN_MS = 2_500;

/**
 * A default port that is in use gives way to another one: several processes may run on one machine.
 */
export async function showMetrics({
  config,
  metrics,
  db,
  roles,
  findReadiness,
  sdk_address,
}: MetricsOptions): Promise<Listener> {
  const { registry } = metrics;
  collectDefaultMetrics({ register: registry });
  const failed_tasks = new Counter({
    name: 'payment_api_workflow_tasks_failed_total',
    help: 'Workflow tasks that failed on this process: code that cannot replay, or a fault of ours',
    labelNames: ['workflow_type'],
    registers: [registry],
  });
  const refresh = addGauges(registry, {
    readGauges: () => within(WITHIN_MS, readGauges(db, FIGURES_MS)),
    findChecks: async () => (await findReadiness()).checks,
    countConnections: () => countConnections(db),
  });
  const tell = async (isReady: (readiness: Readiness) => boolean) => {
    const readiness = await findReadiness();
    const status = isReady(readiness) ? 200 : 503;
    return { status, type: 'application/json', text: `${JSON.stringify(readiness)}\n` };
  };
  const pages = {
    async '/metrics'() {
      const [sdk] = await Promise.all([readSdkMetrics(sdk_address), refresh()]);
      failed_tasks.reset();
      for (const [workflow_type, count] of countFailedTasks(sdk)) {
        failed_tasks.inc({ workflow_type }, count);
      }
      const own = await registry.metrics();
      return { type: registry.contentType, text: `${own}${sdk}` };
    },
    '/live': () => Promise.resolve({ type: 'text/plain', text: 'ok\n' }),
    // A worker without Temporal has nothing to do.
    '/ready': () => tell(roles.api ? mayServe : isAllWell),
    '/ready?all': () => tell(isAllWell),
  };
  const { host, port } = config.metrics;
  try {
    return await startListener({ host, port, pages });
  } catch (error) {
    const is_taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!is_taken || config.given.has('METRICS_PORT')) throw error;
    return startListener({ host, port: 0, pages });
  }
}

function isAllWell({ ok }: Readiness): boolean {
  return ok;
}

function countConnections({
  pool: { totalCount, idleCount, waitingCount },
}: Db): Readonly<Record<'used' | 'free' | 'waiting', number>> {
  return { used: totalCount - idleCount, free: idleCount, waiting: waitingCount };
}
