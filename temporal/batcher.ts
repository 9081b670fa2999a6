// Group commit: items that arrive while a batch is under way wait and share the next one. A batch
// costs much and an item in it little, so the next one leaves as full as it can be: when the one
// before has ended and as many items wait as were answered or left over then, because a caller who
// was answered comes back with the next. An item that finds none before it is sent at once and
// alone. Items that wait have not been started, so refusing one of them is safe.
//
// Owners take turns: a batch takes one item of each owner that waits, then the next of each, so
// that an owner with a thousand items does not delay one with a single item. Alone, an owner gets
// it all.

export interface Batcher<Item, Result> {
  /**
   * `too_late`: `deadline` came before the item got a slot. `too_many`: its owner has as many items
   * waiting as it may have. Nothing of it was started then.
   */
  submit(item: Item, deadline: number): Promise<Result | 'too_late' | 'too_many'>;
}

export interface BatcherOptions<Item, Result> {
  /** Batches under way at once. More than a handful only compete for the processor. */
  readonly slots: number;
  readonly max_items: number;
  /** Bytes that an item takes of what a batch may hold. */
  readonly sizeOf: (item: Item) => number;
  /** A single item is sent whatever its size. */
  readonly max_bytes: number;
  readonly ownerOf: (item: Item) => string;
  /** Most items of one owner that wait. What is under way does not count. */
  readonly max_waiting: number;
  /** The longest that an item waits for company while a slot is free. */
  readonly patience_ms: number;
  /** Resolves when the slot is free again, with the results in the order of the items. */
  readonly send: (items: readonly Item[]) => Promise<readonly Result[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly owner: string;
  readonly size: number;
  /** Times here are of the monotonic clock: one that is set back must not hold items up. */
  readonly since: number;
  readonly resolve: (result: Result | 'too_late' | 'too_many') => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * How long the next batch waits for those who were answered, in times of what the last one took: a
 * busy machine takes longer for a batch, and longer to bring the answered back. Those who come back
 * end the wait; it is long where others come at moments of their own. Then half took 1.2 cores for
 * a hundred transfers a second, and this takes 0.94
 * (docs/decisions/transfers.md).
 */
const AWAITED = 1.5;

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  const { slots, max_items, max_bytes, patience_ms } = options;
  const queue = createQueue<Item, Result>(options);
  let under_way = 0;
  /** Until `awaited_until` the next batch waits for as many items as `expected`. */
  let expected = 0;
  let awaited_until = 0;
  let alarm: NodeJS.Timeout | undefined;

  const startNext = (): void => {
    clearTimeout(alarm);
    while (queue.count() > 0 && under_way < slots) {
      const wait = waitOfNext();
      if (wait > 0) {
        alarm = setTimeout(startNext, wait).unref();
        return;
      }
      void send(queue.take());
    }
  };

  /**
   * A time in ms. A second batch leaves beside the first only when it is full, or when the first
   * takes long.
   */
  const waitOfNext = (): number => {
    if (queue.count() >= max_items || queue.bytes() >= max_bytes) return 0;
    const now = performance.now();
    const patience = queue.oldest() + patience_ms - now;
    if (under_way > 0) return patience;
    return queue.count() >= expected ? 0 : Math.min(patience, awaited_until - now);
  };

  const send = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    under_way += 1;
    const began = performance.now();
    for (const { timer } of batch) clearTimeout(timer);
    try {
      const results = await options.send(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, i) => resolve(results[i]!));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    under_way -= 1;
    expected = batch.length + queue.count();
    const ended = performance.now();
    awaited_until = ended + (ended - began) * AWAITED;
    startNext();
  };

  return {
    submit: (item, deadline) => {
      const owner = options.ownerOf(item);
      if (queue.countOf(owner) >= options.max_waiting) return Promise.resolve('too_many');
      return new Promise((resolve, reject) => {
        const expire = (): void => {
          queue.remove(waiting);
          resolve('too_late');
        };
        const since = performance.now();
        const timer = setTimeout(expire, Math.max(0, deadline - Date.now())).unref();
        const size = options.sizeOf(item);
        const waiting = { item, owner, size, since, resolve, reject, timer };
        queue.add(waiting);
        startNext();
      });
    },
  };
}

interface Queue<Item, Result> {
  count(): number;
  bytes(): number;
  countOf(owner: string): number;
  /** The time at which the item that waits longest came. */
  oldest(): number;
  add(waiting: Waiting<Item, Result>): void;
  remove(waiting: Waiting<Item, Result>): void;
  /** The owners' oldest items in turns, as many as one batch may hold. */
  take(): Waiting<Item, Result>[];
}

function createQueue<Item, Result>({
  max_items,
  max_bytes,
}: BatcherOptions<Item, Result>): Queue<Item, Result> {
  /** Items in the order of arrival. */
  const all = new Set<Waiting<Item, Result>>();
  /**
   * Items by owner: who comes next in the next batch stands first. None of the sets is empty, and
   * each keeps the order of arrival and lets an item in the middle leave.
   */
  const owners = new Map<string, Set<Waiting<Item, Result>>>();
  let bytes = 0;

  const remove = (waiting: Waiting<Item, Result>): void => {
    const { owner, size } = waiting;
    const own = owners.get(owner);
    if (!own?.delete(waiting)) return;
    if (own.size === 0) owners.delete(owner);
    all.delete(waiting);
    bytes -= size;
  };

  return {
    count: () => all.size,
    bytes: () => bytes,
    countOf: (owner) => owners.get(owner)?.size ?? 0,
    oldest: () => {
      const [first] = all;
      return first?.since ?? Infinity;
    },
    add: (waiting) => {
      const own = owners.get(waiting.owner) ?? new Set();
      owners.set(waiting.owner, own.add(waiting));
      all.add(waiting);
      bytes += waiting.size;
    },
    remove,
    take: () => {
      const batch: Waiting<Item, Result>[] = [];
      let taken = 0;
      // An owner that has had its turn is put at the end of the map, where this loop meets it
      // again.
      for (const [owner, items] of owners) {
        const [waiting] = items;
        taken += waiting!.size;
        if (batch.length === max_items || (batch.length > 0 && taken > max_bytes)) break;
        batch.push(waiting!);
        remove(waiting!);
        owners.delete(owner);
        if (items.size > 0) owners.set(owner, items);
      }
      return batch;
    },
  };
}
