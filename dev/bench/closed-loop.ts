// The same load for every contestant: a fixed number of clients, each sending its next request when
// the last one is answered, after a warm-up that is not counted.

import { performance } from 'node:perf_hooks';
import { summarize, type Summary } from './stats';

export interface LoopOptions {
  readonly clients: number;
  readonly warmup_seconds: number;
  readonly seconds: number;
  /** One request of one client. */
  readonly once: (client: number) => Promise<void>;
}

export async function runClosedLoop({
  clients,
  warmup_seconds,
  seconds,
  once,
}: LoopOptions): Promise<Summary> {
  const begin = performance.now() + warmup_seconds * 1000;
  const end = begin + seconds * 1000;
  const latencies: number[] = [];
  const client = async (index: number): Promise<void> => {
    for (;;) {
      const started = performance.now();
      if (started >= end) return;
      await once(index);
      // Counted where it ends, so that rates add up over the measured window.
      const done = performance.now();
      if (done >= begin && done < end) latencies.push(done - started);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return summarize(latencies, seconds);
}
