// A closed loop of callers, each with one transfer under way, until it is stopped.

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
