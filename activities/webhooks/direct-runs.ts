// Delivery runs that no workflow has asked for: to endpoints that respond well and have an event now and
// then. A workflow for each of those costs as much as ten deliveries. Whatever is not over at once is handed
// to the endpoint's workflow: a retry, an endpoint that hangs, one that turns out to be busy. When the
// process dies, its lease ends, and the sweeper wakes the workflow.

import { hasPendingDeliveries } from '../../db/webhooks/webhook-delivery-runs';
import { FIRST_RUN_MS, runDeliveries, type DeliveryRunDependencies } from './delivery-run';

export interface DirectRuns {
  /** A commit added a delivery for the endpoint, and no run holds its lease. Returns at once. */
  begin(endpoint_id: string): void;
  /** Resolves when all have ended, which `ActiveRuns.stop` makes them do. */
  flush(): Promise<void>;
}

export interface DirectRunsOptions extends Omit<DeliveryRunDependencies, 'kind'> {
  /** Wakes workflows. */
  readonly wake: (endpoint_ids: readonly string[]) => void;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  /** AT_ONCE if left out. */
  readonly at_once?: number;
}

/** Endpoints that begin to hang must leave room: what finds none here is done by a workflow. */
const AT_ONCE = 200;
/** The next run costs little, so this one waits for no more than what is committed about now. */
const LINGER_MS = 200;

export function createDirectRuns(options: DirectRunsOptions): DirectRuns {
  const { active_runs, deliveries, log, wake, at_once = AT_ONCE } = options;
  const pace = { ...deliveries.pace, linger_ms: Math.min(deliveries.pace.linger_ms, LINGER_MS) };
  const deps = { ...options, deliveries: { ...deliveries, pace }, kind: 'direct' as const };
  const under_way = new Map<string, Promise<void>>();

  const run = async (endpoint_id: string): Promise<void> => {
    try {
      if (await needsWorkflow(deps, endpoint_id)) wake([endpoint_id]);
    } catch (error) {
      log({ part: 'webhook-delivery', endpoint_id, error: String(error) });
      wake([endpoint_id]);
    } finally {
      under_way.delete(endpoint_id);
    }
  };
  return {
    begin(endpoint_id) {
      // The run under way claims again, or, if it has just ended, the workflow is woken.
      if (under_way.has(endpoint_id)) active_runs.notify(endpoint_id);
      else if (under_way.size >= at_once || active_runs.is_stopping) wake([endpoint_id]);
      else under_way.set(endpoint_id, run(endpoint_id));
    },
    async flush() {
      await Promise.all(under_way.values());
    },
  };
}

/** Delivers. True when something is left to do, or more is coming all the time. */
async function needsWorkflow(deps: DeliveryRunDependencies, endpoint_id: string): Promise<boolean> {
  const began = performance.now();
  const { ended } = await runDeliveries(deps, endpoint_id);
  if (ended === 'closed') return false;
  // A run that began meanwhile may have claimed before this commit.
  if (ended !== 'done' || performance.now() - began >= FIRST_RUN_MS) return true;
  return hasPendingDeliveries(deps.db, endpoint_id);
}
