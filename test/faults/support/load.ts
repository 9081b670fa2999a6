// A closed loop of callers, each with one transfer under way, and an open one, which begins something at a fixed pace,
// until they are stopped.

import { setInterval as ticks } from 'node:timers/promises';
import { perform, recordOf, type CallOptions, type OperationRecord } from './caller';
import type { Operation } from './operations';

export interface LoadOptions extends Omit<CallOptions, 'give_up_at'> {
  readonly next: () => Operation;
  readonly callers: number;
  readonly records: OperationRecord[];
}

export interface Load {
  /** Begins nothing new, and waits for what is under way to get its final response. */
  stop(): Promise<void>;
}

/** Any operation ends sooner after the load is stopped and all is healed. */
const DRAIN_LIMIT_MS = 45_000;

export function startLoad({ next, callers, records, ...options }: LoadOptions): Load {
  let stopped_at: number | undefined;
  const call = {
    ...options,
    get give_up_at() {
      return stopped_at === undefined ? Infinity : stopped_at + DRAIN_LIMIT_MS;
    },
  };
  const loop = async (): Promise<void> => {
    while (stopped_at === undefined) {
      const record = recordOf(next());
      records.push(record);
      await perform(record, call);
    }
  };
  const loops = Array.from({ length: callers }, loop);
  return {
    async stop() {
      stopped_at ??= Date.now();
      await Promise.all(loops);
    },
  };
}

export interface OpenLoad {
  readonly per_second: number;
  /** A pace that the service cannot keep up with would only measure itself. */
  readonly max_under_way: number;
  readonly begin: () => Promise<void>;
  readonly onStop?: () => void;
}

/** Begins something at a fixed pace, however what was begun before goes on. */
export function startOpenLoad({ per_second, max_under_way, begin, onStop }: OpenLoad): Load {
  const under_way = new Set<Promise<void>>();
  const clock = new AbortController();
  const pace = async (): Promise<void> => {
    for await (const _ of ticks(1_000 / per_second)) {
      if (clock.signal.aborted) return;
      if (under_way.size >= max_under_way) continue;
      const running = begin().finally(() => under_way.delete(running));
      under_way.add(running);
    }
  };
  const pacing = pace();
  return {
    async stop() {
      if (!clock.signal.aborted) onStop?.();
      clock.abort();
      await pacing;
      await Promise.all(under_way);
    },
  };
}
