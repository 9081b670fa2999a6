// Waits for what another process does, by asking the database again and again.

import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;

/** Polls until there is a value; returns undefined after `within_ms`. */
export async function waitUntil<T>(
  within_ms: number,
  find: () => Promise<T | undefined>,
  poll_ms = POLL_MS,
): Promise<T | undefined> {
  const end = performance.now() + within_ms;
  for (;;) {
    const found = await find();
    if (found !== undefined || performance.now() > end) return found;
    await delay(poll_ms);
  }
}
