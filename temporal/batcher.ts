// Group commit for transfers. A few batches are under way at once; whoever arrives meanwhile waits,
// and all who waited leave together in the next one. Alone, nobody waits: the batch is one. Those
// that wait have not been started, so refusing one is safe.

export interface Batcher<Item, Result> {
  /** Undefined when `deadline` came before the item's turn: nothing of it was started. */
  submit(item: Item, deadline: number): Promise<Result | undefined>;
}

export interface BatcherOptions<Item, Result> {
  /** Batches under way at once. Beyond a handful, they only take the processor from each other. */
  readonly places: number;
  /** Most items of a batch. */
  readonly size: number;
  /** Settles when the place may be given away; results in the order of the items. */
  readonly carry: (items: readonly Item[]) => Promise<readonly Result[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

export function createBatcher<Item, Result>({
  places,
  size,
  carry,
}: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  let free = places;
  // A set keeps the order of arrival and lets one in the middle go.
  const queue = new Set<Waiting<Item, Result>>();

  const depart = async (): Promise<void> => {
    free -= 1;
    const batch = [...queue].slice(0, size);
    for (const waiting of batch) {
      queue.delete(waiting);
      clearTimeout(waiting.timer);
    }
    try {
      const results = await carry(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, i) => resolve(results[i]));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    free += 1;
    if (queue.size > 0) void depart();
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
        if (free > 0) void depart();
      }),
  };
}
