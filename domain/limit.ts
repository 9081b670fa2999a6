// The one semaphore of this project: how much is done at once in this process, in all and under
// each key, which is an account, an address, a gateway. Work waits behind that of its own key
// first, and only then among the others, so callers take turns: one with much work holds up itself.

export interface Bounds {
  readonly at_once?: number;
  /** The same of each key. */
  readonly each?: number;
}

export interface Limit {
  /** Calls `work` when there is room for it. */
  run<T>(work: () => Promise<T>, key?: string): Promise<T>;
  /** Null when there is no room now: then nothing was called. */
  tryRun<T>(work: () => Promise<T>, key?: string): Promise<T | null>;
  /** Undefined when there is no room now; otherwise what gives it back, to be called once. */
  enter(key?: string): (() => void) | undefined;
}

interface Gate {
  taken: number;
  readonly waiting: (() => void)[];
}

export function createLimit({ at_once = Infinity, each = Infinity }: Bounds): Limit {
  const all: Gate = { taken: 0, waiting: [] };
  const by_key = new Map<string, Gate>();

  const gateOf = (key: string): Gate => {
    const gate = by_key.get(key) ?? { taken: 0, waiting: [] };
    by_key.set(key, gate);
    return gate;
  };
  const leave = (key: string, own: Gate): void => {
    passOn(all);
    passOn(own);
    if (own.taken === 0) by_key.delete(key);
  };

  const enter: Limit['enter'] = (key = '') => {
    if (all.taken >= at_once || (by_key.get(key)?.taken ?? 0) >= each) return undefined;
    const own = gateOf(key);
    own.taken += 1;
    all.taken += 1;
    return () => leave(key, own);
  };

  return {
    enter,
    async run(work, key = '') {
      const own = gateOf(key);
      await pass(own, each);
      await pass(all, at_once);
      try {
        return await work();
      } finally {
        leave(key, own);
      }
    },
    async tryRun(work, key) {
      const exit = enter(key);
      if (!exit) return null;
      try {
        return await work();
      } finally {
        exit();
      }
    },
  };
}

/** Calls `work` for each item, for so many at once. After one that throws no other is begun. */
export async function forEach<Item>(
  items: readonly Item[],
  at_once: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const limit = createLimit({ at_once });
  let has_failed = false;
  const begin = async (item: Item): Promise<void> => {
    if (has_failed) return;
    try {
      await work(item);
    } catch (error) {
      has_failed = true;
      throw error;
    }
  };
  await Promise.all(items.map((item) => limit.run(() => begin(item))));
}

async function pass(gate: Gate, most: number): Promise<void> {
  if (gate.taken < most) gate.taken += 1;
  else await new Promise<void>((resolve) => gate.waiting.push(resolve));
}

/** Passes the place on to the caller that waits for longest. */
function passOn(gate: Gate): void {
  const next = gate.waiting.shift();
  if (next) next();
  else gate.taken -= 1;
}
