// How an endpoint does while it is delivered to, and what that allows: how many at once, how many a
// second, and when nothing for a while.

import { pauseAskedFor, planPause, PROBE_AFTER_FAILURES } from '../../domain/webhook';
import type { SendResult } from '../../webhooks/send';

/** At first; one more for each that arrives, so that an endpoint which hangs holds few sockets. */
const FIRST_WINDOW = 4;
/** Timers of a busy process come later by as much. */
const LATE_MS = 100;

/** How the endpoint does, and what that allows. */
export function createEndpointHealth(endpoint_id: string, concurrency: number) {
  const first_window = Math.min(FIRST_WINDOW, concurrency);
  let failures = 0;
  let paused_until = 0;
  let asked_until = 0;
  const health = {
    window: first_window,
    /** Also when it gets another address: the one before says nothing of it. */
    begin(consecutive_failures: number): void {
      failures = consecutive_failures;
      paused_until = 0;
      asked_until = 0;
      health.window = failures > 0 ? 1 : first_window;
    },
    pause(ms: number): void {
      paused_until = Math.max(paused_until, performance.now() + ms);
    },
    get is_paused(): boolean {
      return performance.now() < paused_until;
    },
    /** That is left. */
    get pause_ms(): number {
      return Math.max(0, Math.ceil(paused_until - performance.now()));
    },
    saw(result: SendResult): void {
      if (result.outcome === 'delivered') {
        failures = 0;
        // But what the endpoint asked for holds.
        paused_until = asked_until;
        health.window = Math.min(health.window + 1, concurrency);
        return;
      }
      failures += 1;
      health.window =
        failures >= PROBE_AFTER_FAILURES ? 1 : Math.max(1, Math.floor(health.window / 2));
      asked_until = Math.max(asked_until, performance.now() + pauseAskedFor(result));
      health.pause(planPause(endpoint_id, failures, result));
    },
  };
  return health;
}

export type EndpointHealthNow = ReturnType<typeof createEndpointHealth>;

export interface Allowance {
  readonly per_second: number | null;
  /** 0 when one may be sent now, else how long to wait. */
  take(): number;
}

/** Evenly, without a burst: the next turn knows nothing of what this one has sent. */
export function createAllowance(per_second: number | null): Allowance {
  let next_at = 0;
  return {
    per_second,
    take() {
      if (per_second === null) return 0;
      const now = performance.now();
      if (now < next_at) return Math.ceil(next_at - now);
      // A late timer is made up for, a rest is not.
      next_at = (now - next_at > LATE_MS ? now : next_at) + 1_000 / per_second;
      return 0;
    },
  };
}
