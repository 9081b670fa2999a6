// Processors that have no time left.

import { constants, cpus } from 'node:os';
import { Worker } from 'node:worker_threads';

const { PRIORITY_LOW, PRIORITY_NORMAL } = constants.priority;

// A thread has a priority of its own on Linux only.
const busyWith = (priority: number) =>
  `if (process.platform === 'linux') require('node:os').setPriority(${priority}); for (;;);`;

export interface BusyOptions {
  /** Measurements show them busy, and every other process has their time before these threads. */
  readonly yields?: boolean;
}

/** Starts two threads for each of them. Returns the function that ends the threads. */
export function occupyProcessors({ yields = false }: BusyOptions = {}): () => Promise<unknown> {
  const code = busyWith(yields ? PRIORITY_LOW : PRIORITY_NORMAL);
  const threads = cpus().flatMap(() => [1, 2].map(() => new Worker(code, { eval: true })));
  return () => Promise.all(threads.map((thread) => thread.terminate()));
}
