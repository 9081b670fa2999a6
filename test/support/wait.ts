// Waiting for something to become true, with a limit. No test sleeps for a fixed time.

import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;

/** Resolves with the first value that is neither undefined nor false. */
export async function waitFor<T>(
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  limit_ms = 10_000,
): Promise<T> {
  const limit = Date.now() + limit_ms;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > limit) {
      throw new Error(`Not true within ${limit_ms} ms: ${condition.toString()}`);
    }
    await delay(POLL_MS);
  }
}
