// Counts attempts by name over the last minute, in this process's memory.

const MINUTE_MS = 60_000;
/**
 * With more names a new minute begins early, and the counts of the last but one are forgotten, so
 * that callers with millions of addresses fill no memory. They lose nothing by it: so many are
 * within their limits.
 */
const MAX_NAMES = 20_000;

/** One name may take so much in a minute. */
export interface Allowance {
  readonly name: string;
  readonly most: number;
}

export interface MinuteCounter {
  /**
   * Counts one under each name. Zero when all allow it, else the whole seconds after which they
   * will.
   */
  take(...allowances: readonly Allowance[]): number;
  /** Takes back one count. */
  giveBack(...allowances: readonly Allowance[]): void;
}

/**
 * A sliding window from two minutes' counts: the last minute counts for the part of it that is less
 * than 60 s ago. Refused attempts are not counted. Each minute's map is dropped as a whole.
 * @param now milliseconds that only ever grow
 */
export function createMinuteCounter(now: () => number): MinuteCounter {
  let began = now();
  let current = new Map<string, number>();
  let last = new Map<string, number>();

  const begin = (at: number, before: Map<string, number>): void => {
    began = at;
    last = before;
    current = new Map();
  };
  /** The part of this minute that has passed. */
  const advance = (): number => {
    const at = now();
    if (at - began >= 2 * MINUTE_MS) begin(at, new Map());
    else if (at - began >= MINUTE_MS) begin(began + MINUTE_MS, current);
    if (current.size >= MAX_NAMES) begin(at, current);
    return (at - began) / MINUTE_MS;
  };
  return {
    take(...allowances) {
      const part = advance();
      const minutes = allowances.map(({ name, most }) =>
        minutesToWait(last.get(name) ?? 0, current.get(name) ?? 0, part, most),
      );
      const wait = Math.max(...minutes);
      if (wait > 0) return Math.ceil(wait * 60);
      for (const { name } of allowances) current.set(name, (current.get(name) ?? 0) + 1);
      return 0;
    },
    giveBack(...allowances) {
      for (const { name } of allowances) {
        const count = current.get(name) ?? 0;
        if (count > 0) current.set(name, count - 1);
      }
    },
  };
}

/** Minutes until one more attempt fits; zero when it fits now. */
function minutesToWait(last: number, current: number, part: number, most: number): number {
  if (last * (1 - part) + current + 1 <= most) return 0;
  const room = most - 1 - current;
  // Within this minute, enough of the last one has to pass; else enough of this one in the next.
  if (room >= 0) return 1 - room / last - part;
  return 1 - part + (1 - (most - 1) / current);
}
