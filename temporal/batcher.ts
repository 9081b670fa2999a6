// Group commit: a few batches are under way at once, and items that arrive meanwhile wait and share
// the next batch. An item that finds a free slot is sent at once and alone. Items that wait have not
// been started, so refusing one of them is safe.
//
// Owners take turns: a batch takes one item of each owner that waits, then the next of each, so that
// an owner with a thousand items does not delay one with a single item. Alone, an owner gets it all.

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
  /** Resolves when the slot is free again, with the results in the order of the items. */
  readonly send: (items: readonly Item[]) => Promise<readonly Result[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | 'too_late' | 'too_many') => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * By owner: who comes next in the next batch stands first. None of the sets is empty, and each keeps
 * the order of arrival and lets an item in the middle leave.
 */
type Queue<Item, Result> = Map<string, Set<Waiting<Item, Result>>>;

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  let free_slots = options.slots;
  const queue: Queue<Item, Result> = new Map();

  const sendNext = async (): Promise<void> => {
    free_slots -= 1;
    const batch = takeBatch(queue, options);
    for (const { timer } of batch) clearTimeout(timer);
    try {
      const results = await options.send(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, i) => resolve(results[i]!));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    free_slots += 1;
    if (queue.size > 0) void sendNext();
  };

  return {
    submit: (item, deadline) => {
      const owner = options.ownerOf(item);
      if ((queue.get(owner)?.size ?? 0) >= options.max_waiting) return Promise.resolve('too_many');
      return new Promise((resolve, reject) => {
        const expire = (): void => {
          remove(queue, owner, waiting);
          resolve('too_late');
        };
        const timer = setTimeout(expire, Math.max(0, deadline - Date.now()));
        const waiting = { item, resolve, reject, timer };
        const own = queue.get(owner) ?? new Set();
        queue.set(owner, own.add(waiting));
        if (free_slots > 0) void sendNext();
      });
    },
  };
}

/** The owners' oldest items in turns, as many as one batch may hold. */
function takeBatch<Item, Result>(
  queue: Queue<Item, Result>,
  { max_items, sizeOf, max_bytes }: BatcherOptions<Item, Result>,
): Waiting<Item, Result>[] {
  const batch: Waiting<Item, Result>[] = [];
  let bytes = 0;
  // An owner that has had its turn is put at the end of the map, where this loop meets it again.
  for (const [owner, items] of queue) {
    const [waiting] = items;
    bytes += sizeOf(waiting!.item);
    if (batch.length === max_items || (batch.length > 0 && bytes > max_bytes)) break;
    batch.push(waiting!);
    queue.delete(owner);
    items.delete(waiting!);
    if (items.size > 0) queue.set(owner, items);
  }
  return batch;
}

function remove<Item, Result>(
  queue: Queue<Item, Result>,
  owner: string,
  waiting: Waiting<Item, Result>,
): void {
  const items = queue.get(owner);
  items?.delete(waiting);
  if (items?.size === 0) queue.delete(owner);
}
