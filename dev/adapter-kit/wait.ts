import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;

/** The first value that is not undefined; undefined when there is none in time. */
export async function waitFor<Value>(
  look: () => Value | undefined,
  limit_ms: number,
): Promise<Value | undefined> {
  const limit = Date.now() + limit_ms;
  for (;;) {
    const value = look();
    if (value !== undefined || Date.now() > limit) return value;
    await delay(POLL_MS);
  }
}
