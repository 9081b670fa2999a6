// Many requests, a few at a time.

/** Enough to be quick, few enough to leave the machine to others. */
const WORKERS = 8;

export async function inParallel<T>(
  items: readonly T[],
  work: (item: T, turn: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const turn = next;
      next += 1;
      await work(items[turn]!, turn);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}
