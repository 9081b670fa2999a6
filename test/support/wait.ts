// Waiting for something to become true, with a limit. No test sleeps for a fixed time.

import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** What is true soon is seen soon. What takes seconds is asked for less often: each look costs the time of the machine. */
const POLL = { first_ms: 20, growth: 1.25, longest_ms: 100 } as const;
/** Limits what the message shows of what a condition saw. */
const MAX_SHOWN = 2_000;

type Seen = Map<string, unknown>;

const seeing = new AsyncLocalStorage<Seen>();

/**
 * Called by what conditions read (HTTP responses, rows), so that a condition that never became true
 * can say what it saw at last.
 */
export function noteSeen(what: string, value: unknown): void {
  seeing.getStore()?.set(what, value);
}

/** Reached only when something hangs, and before jest ends the test, so that the message is told. */
const LIMIT_MS = 150_000;

/** Resolves with the first value that is neither undefined nor false. */
export async function waitFor<T>(
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  limit_ms = LIMIT_MS,
): Promise<T> {
  const limit = Date.now() + limit_ms;
  for (let pause_ms: number = POLL.first_ms; ; pause_ms *= POLL.growth) {
    const seen: Seen = new Map();
    const value = await seeing.run(seen, condition);
    if (value !== undefined && value !== false) return value;
    if (Date.now() > limit) {
      throw new Error(`Not true within ${limit_ms} ms: ${condition.toString()}${describe(seen)}`);
    }
    await delay(Math.min(pause_ms, POLL.longest_ms));
  }
}

function describe(seen: Seen): string {
  const lines = [...seen].map(([what, value]) => `  ${what} → ${JSON.stringify(value, asText)}`);
  if (lines.length === 0) return '';
  return `\nIt last saw:\n${lines.join('\n').slice(0, MAX_SHOWN)}`;
}

function asText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
