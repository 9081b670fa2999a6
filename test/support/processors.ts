// Processors that have no time left.

import { cpus } from 'node:os';
import { Worker } from 'node:worker_threads';

/** With two threads for each of them. Returns the function that gives them back. */
export function occupyProcessors(): () => Promise<unknown> {
  const threads = cpus().flatMap(() => [1, 2].map(() => new Worker('for (;;);', { eval: true })));
  return () => Promise.all(threads.map((thread) => thread.terminate()));
}
