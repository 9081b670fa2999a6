import { createBatcher } from '../../temporal/batcher';

const FAR = Date.now() + 60_000;

/** Batches as they leave, each ended by hand. */
function openBatcher(places: number, size = 10) {
  const departed: { items: readonly number[]; end: (error?: Error) => void }[] = [];
  const batcher = createBatcher<number, string>({
    places,
    size,
    carry: (items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void =>
          error ? reject(error) : resolve(items.map((item) => `carried ${item}`));
        departed.push({ items, end });
      }),
  });
  return { departed, submit: (item: number, deadline = FAR) => batcher.submit(item, deadline) };
}

describe('a batcher', () => {
  it('carries whoever finds a free place at once and alone', () => {
    const { departed, submit } = openBatcher(2);
    void submit(1);
    void submit(2);
    expect(departed.map(({ items }) => items)).toEqual([[1], [2]]);
  });

  it('carries those who waited together, in order of arrival, each with its own result', async () => {
    const { departed, submit } = openBatcher(1);
    const results = [1, 2, 3, 4].map((item) => submit(item));
    expect(departed).toHaveLength(1);
    departed[0]!.end();
    expect(await results[0]).toBe('carried 1');
    expect(departed[1]!.items).toEqual([2, 3, 4]);
    departed[1]!.end();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4].map((item) => `carried ${item}`));
  });

  it('fills a batch no further than its size', async () => {
    const { departed, submit } = openBatcher(1, 2);
    const results = [1, 2, 3, 4].map((item) => submit(item));
    for (const expected of [[1], [2, 3], [4]]) {
      const { items, end } = departed.at(-1)!;
      expect(items).toEqual(expected);
      end();
      await results[items.at(-1)! - 1];
    }
  });

  it('lets go whoever has waited until its deadline, and nobody else', async () => {
    const { departed, submit } = openBatcher(1);
    const first = submit(1);
    const late = submit(2, Date.now() + 5);
    const patient = submit(3);
    expect(await late).toBeUndefined();
    departed[0]!.end();
    await first;
    expect(departed[1]!.items).toEqual([3]);
    departed[1]!.end();
    expect(await patient).toBe('carried 3');
  });

  it('fails a batch alone: its place is given to the next', async () => {
    const { departed, submit } = openBatcher(1);
    const first = submit(1);
    const second = submit(2);
    departed[0]!.end(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    departed[1]!.end();
    expect(await second).toBe('carried 2');
  });
});
