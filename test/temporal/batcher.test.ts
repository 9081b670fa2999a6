import { createBatcher } from '../../temporal/batcher';

const FAR = Date.now() + 60_000;

interface TestBatcherOptions {
  readonly slots: number;
  readonly max_items?: number;
  /** An item takes as many bytes as its number says. */
  readonly max_bytes?: number;
}

/** Records the batches that are sent; the test ends each. */
function buildBatcher({ slots, max_items = 10, max_bytes = 1_000 }: TestBatcherOptions) {
  const sent: { items: readonly number[]; end: (error?: Error) => void }[] = [];
  const batcher = createBatcher<number, string>({
    slots,
    max_items,
    max_bytes,
    sizeOf: (item) => item,
    send: (items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void =>
          error ? reject(error) : resolve(items.map((item) => `sent ${item}`));
        sent.push({ items, end });
      }),
  });
  return { sent, submit: (item: number, deadline = FAR) => batcher.submit(item, deadline) };
}

describe('a batcher', () => {
  it('sends an item that finds a free slot at once and alone', () => {
    const { sent, submit } = buildBatcher({ slots: 2 });
    void submit(1);
    void submit(2);
    expect(sent.map(({ items }) => items)).toEqual([[1], [2]]);
  });

  it('sends the waiting items together, in order of arrival, each with its own result', async () => {
    const { sent, submit } = buildBatcher({ slots: 1 });
    const results = [1, 2, 3, 4].map((item) => submit(item));
    expect(sent).toHaveLength(1);
    sent[0]!.end();
    expect(await results[0]).toBe('sent 1');
    expect(sent[1]!.items).toEqual([2, 3, 4]);
    sent[1]!.end();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4].map((item) => `sent ${item}`));
  });

  it('puts no more items into a batch than it may have', async () => {
    const { sent, submit } = buildBatcher({ slots: 1, max_items: 2 });
    const results = [1, 2, 3, 4].map((item) => submit(item));
    for (const expected of [[1], [2, 3], [4]]) {
      const { items, end } = sent.at(-1)!;
      expect(items).toEqual(expected);
      end();
      await results[items.at(-1)! - 1];
    }
  });

  it('puts no more bytes into a batch than it may have, and sends a larger item alone', async () => {
    const { sent, submit } = buildBatcher({ slots: 1, max_bytes: 10 });
    const results = [1, 4, 6, 1, 11, 2].map((item) => submit(item));
    const batches = [[1], [4, 6], [1], [11], [2]];
    let ended = 0;
    for (const expected of batches) {
      const { items, end } = sent.at(-1)!;
      expect(items).toEqual(expected);
      end();
      ended += items.length;
      await results[ended - 1];
    }
  });

  it('drops an item that has waited until its deadline, and no other', async () => {
    const { sent, submit } = buildBatcher({ slots: 1 });
    const first = submit(1);
    const late = submit(2, Date.now() + 5);
    const patient = submit(3);
    expect(await late).toBeUndefined();
    sent[0]!.end();
    await first;
    expect(sent[1]!.items).toEqual([3]);
    sent[1]!.end();
    expect(await patient).toBe('sent 3');
  });

  it('fails the items of a failed batch only, and gives its slot to the next', async () => {
    const { sent, submit } = buildBatcher({ slots: 1 });
    const first = submit(1);
    const second = submit(2);
    sent[0]!.end(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    sent[1]!.end();
    expect(await second).toBe('sent 2');
  });
});
