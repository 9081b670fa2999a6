// Group commit: a few batches are under way at once, and items that arrive meanwhile wait and share
// the next batch. An item that finds a free slot is sent at once and alone. Items that wait have not
// been started, so refusing one of them is safe.

export interface Batcher<Item, Result> {
  /** Undefined when `deadline` came before the item got a slot: nothing of it was started. */
  submit(item: Item, deadline: number): Promise<Result | undefined>;
}

export interface BatcherOptions<Item, Result> {
  /** Batches under way at once. More than a handful only compete for the processor. */
  readonly slots: number;
  readonly max_items: number;
  /** Bytes that an item takes of what a batch may hold. */
  readonly sizeOf: (item: Item) => number;
  /** A single item is sent whatever its size. */
  readonly max_bytes: number;
  /** Resolves when the slot is free again, with the results in the order of the items. */
  readonly send: (items: readonly Item[]) => Promise<readonly Result[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  let free_slots = options.slots;
  // A set keeps the order of arrival and lets an item in the middle leave.
  const queue = new Set<Waiting<Item, Result>>();

  const sendNext = async (): Promise<void> => {
    free_slots -= 1;
    const batch = takeBatch(queue, options);
    for (const { timer } of batch) clearTimeout(timer);
    try {
      const results = await options.send(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, i) => resolve(results[i]));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    free_slots += 1;
    if (queue.size > 0) void sendNext();
  };

  return {
    submit: (item, deadline) =>
      new Promise((resolve, reject) => {
        const expire = (): void => {
          queue.delete(waiting);
          resolve(undefined);
        };
        const timer = setTimeout(expire, Math.max(0, deadline - Date.now()));
        const waiting = { item, resolve, reject, timer };
        queue.add(waiting);
        if (free_slots > 0) void sendNext();
      }),
  };
}

/** The oldest items of the queue, as many as one batch may hold. */
function takeBatch<Item, Result>(
  queue: Set<Waiting<Item, Result>>,
  { max_items, sizeOf, max_bytes }: BatcherOptions<Item, Result>,
): Waiting<Item, Result>[] {
  const batch: Waiting<Item, Result>[] = [];
  let bytes = 0;
  for (const waiting of queue) {
    bytes += sizeOf(waiting.item);
    if (batch.length === max_items || (batch.length > 0 && bytes > max_bytes)) break;
    queue.delete(waiting);
    batch.push(waiting);
  }
  return batch;
}
