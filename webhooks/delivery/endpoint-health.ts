// How an endpoint responds while a run delivers to it, and what follows from that: how many requests
// may be under way at once, when to pause, and how many may be sent in a second.

import { pauseAskedFor, planPause, PROBE_AFTER_FAILURES } from '../../domain/webhook';
import type { SendResult } from '../send';

/**
 * Requests at once at first; one more for each delivery that arrives. So an endpoint that hangs
 * holds few sockets.
 */
const FIRST_WINDOW = 4;
/** The timers of a busy process fire late by as much. */
const LATE_MS = 100;

export interface EndpointHealth {
  /** How many requests may be under way at once. */
  readonly window: number;
  readonly is_paused: boolean;
  /** The rest of the pause. */
  readonly pause_ms: number;
  /** Begins anew. Called for a new address too: the results of the old one say nothing of it. */
  reset(consecutive_failures: number): void;
  pause(ms: number): void;
  report(result: SendResult): void;
}

export function createEndpointHealth(endpoint_id: string, concurrency: number): EndpointHealth {
  const first_window = Math.min(FIRST_WINDOW, concurrency);
  let window = first_window;
  let failures = 0;
  let paused_until = 0;
  /** The end of the pause that the endpoint itself asked for. */
  let asked_until = 0;
  const pause = (ms: number): void => {
    paused_until = Math.max(paused_until, performance.now() + ms);
  };
  return {
    get window() {
      return window;
    },
    get is_paused() {
      return performance.now() < paused_until;
    },
    get pause_ms() {
      return Math.max(0, Math.ceil(paused_until - performance.now()));
    },
    reset(consecutive_failures) {
      failures = consecutive_failures;
      paused_until = 0;
      asked_until = 0;
      window = failures > 0 ? 1 : first_window;
    },
    pause,
    report(result) {
      if (result.outcome === 'delivered') {
        failures = 0;
        // A success ends our own pause, but not the one that the endpoint asked for.
        paused_until = asked_until;
        window = Math.min(window + 1, concurrency);
        return;
      }
      failures += 1;
      window = failures >= PROBE_AFTER_FAILURES ? 1 : Math.max(1, Math.floor(window / 2));
      asked_until = Math.max(asked_until, performance.now() + pauseAskedFor(result));
      pause(planPause(endpoint_id, failures, result));
    },
  };
}

export interface RateLimit {
  readonly max_per_second: number | null;
  /** 0 when one more may be sent now, and then it counts; else how long to wait. */
  take(): number;
}

/**
 * Spreads deliveries evenly, without a burst: the next run does not know what this one has sent.
 */
export function createRateLimit(max_per_second: number | null): RateLimit {
  let next_at = 0;
  return {
    max_per_second,
    take() {
      if (max_per_second === null) return 0;
      const now = performance.now();
      if (now < next_at) return Math.ceil(next_at - now);
      // Time lost to a late timer is made up for, idle time is not.
      next_at = (now - next_at > LATE_MS ? now : next_at) + 1_000 / max_per_second;
      return 0;
    },
  };
}
