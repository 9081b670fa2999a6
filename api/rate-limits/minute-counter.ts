// Counts requests by name over the last minute, in this process's memory.

const MINUTE_MS = 60_000;
/**
 * Most names counted one by one in a minute. Further ones share one count, so that a caller with millions
 * of addresses fills neither the memory nor the limits of others.
 */
const MAX_NAMES = 20_000;
const OTHERS = 'others';

export interface MinuteCounter {
  /** Counts one. Zero when it is allowed, else the whole seconds after which one will be. */
  take(name: string): number;
  /** Takes back one count. */
  giveBack(name: string): void;
}

/**
 * A sliding window from two minutes' counts: the last minute counts for the part of it that is less
 * than 60 s ago. Refused requests are not counted. Each minute's map is dropped as a whole.
 */
/** @param now milliseconds that only ever grow */
export function createMinuteCounter(limit: number, now: () => number): MinuteCounter {
  let minute = 0;
  let current = new Map<string, number>();
  let last = new Map<string, number>();
  /** The part of this minute that has passed. */
  const advance = (): number => {
    const at = now();
    const passed = Math.floor(at / MINUTE_MS) - minute;
    if (passed > 0) {
      last = passed === 1 ? current : new Map();
      current = new Map();
      minute += passed;
    }
    return (at % MINUTE_MS) / MINUTE_MS;
  };
  const nameOf = (given: string): string =>
    current.has(given) || current.size < MAX_NAMES ? given : OTHERS;
  return {
    take(given) {
      const part = advance();
      const name = nameOf(given);
      const counts = { last: last.get(name) ?? 0, current: current.get(name) ?? 0 };
      const wait = minutesToWait(counts, part, limit);
      if (wait > 0) return Math.ceil(wait * 60);
      current.set(name, counts.current + 1);
      return 0;
    },
    giveBack(given) {
      advance();
      const name = nameOf(given);
      const count = current.get(name);
      if (count !== undefined && count > 0) current.set(name, count - 1);
    },
  };
}

/** Minutes until one more request fits; zero when it fits now. */
function minutesToWait(
  { last, current }: { readonly last: number; readonly current: number },
  part: number,
  limit: number,
): number {
  if (last * (1 - part) + current + 1 <= limit) return 0;
  const room = limit - 1 - current;
  // Within this minute, enough of the last one has to pass; else enough of this one in the next.
  if (room >= 0) return 1 - room / last - part;
  return 1 - part + (1 - (limit - 1) / current);
}
