// The deliveries of a process. It takes endpoints that have something to deliver, by the lease of each, and runs until
// nothing is left for now. A commit that adds a delivery notifies every process through Postgres; what no process hears,
// and every retry, is found by looking for what is due.

import { findDueEndpoints } from '../../db/webhooks/webhook-delivery-runs';
import { runDeliveries, type DeliveryRunDependencies, type RunNews } from './delivery-run';
import { createWakeup } from './wakeup';

export interface DeliveryLoop {
  /** A commit added a delivery for the endpoint. */
  notify(endpoint_id: string): void;
  /** Begins a run for each endpoint that has something due. Called again and again. */
  poll(): Promise<void>;
  /** Runs end, and what they have under way is recorded. */
  stop(): Promise<void>;
}

export interface DeliveryLoopOptions extends DeliveryRunDependencies {
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** A run mostly waits, for its receiver or for new deliveries: there is room for many that hang. */
const AT_ONCE = 2_000;
const FOUND_AT_ONCE = 500;
/** An endpoint whose secret cannot be opened fails each time. */
const FAILED_REST_MS = 5_000;

export function createDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  const { db, log } = options;
  const { pace } = options.deliveries;
  const runs = new Map<string, { readonly news: RunNews; readonly ended: Promise<void> }>();
  /** Left alone until then: another process has them and hears what is new for them, or the last run has failed. */
  const resting = new Map<string, number>();
  let is_stopping = false;

  const run = async (id: string, news: RunNews): Promise<void> => {
    try {
      let end;
      do {
        end = await runDeliveries(options, id, news);
        // A notification may have come between the last claim and the end of the lease.
      } while (end === 'done' && news.must_poll && !news.is_stopping);
      if (end === 'busy') rest(id, pace.poll_ms);
    } catch (error) {
      rest(id, FAILED_REST_MS);
      log({ part: 'webhook-delivery', endpoint_id: id, error: String(error) });
    } finally {
      runs.delete(id);
    }
  };
  const rest = (id: string, ms: number): void => void resting.set(id, performance.now() + ms);
  const begin = (id: string): void => {
    if (is_stopping || runs.has(id) || runs.size >= AT_ONCE || resting.has(id)) return;
    const news: RunNews = { wakeup: createWakeup(), must_poll: true, is_stopping: false };
    runs.set(id, { news, ended: run(id, news) });
  };

  return {
    notify(id) {
      const under_way = runs.get(id);
      if (!under_way) return begin(id);
      under_way.news.must_poll = true;
      under_way.news.wakeup.notify();
    },
    async poll() {
      const now = performance.now();
      for (const [id, until] of resting) if (until <= now) resting.delete(id);
      const room = Math.min(AT_ONCE - runs.size, FOUND_AT_ONCE);
      if (room > 0) (await findDueEndpoints(db, room)).forEach(begin);
    },
    async stop() {
      is_stopping = true;
      for (const { news } of runs.values()) {
        news.is_stopping = true;
        news.wakeup.notify();
      }
      await Promise.all([...runs.values()].map(({ ended }) => ended));
    },
  };
}
