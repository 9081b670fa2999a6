import { createBatcher } from '../../temporal/batcher';

const FAR = Date.now() + 60_000;

interface TestBatcherOptions {
  readonly slots: number;
  readonly max_items?: number;
  /** An item takes as many bytes as its number says. */
  readonly max_bytes?: number;
  /** Everything belongs to one owner when left out. */
  readonly ownerOf?: (item: number) => string;
  readonly max_waiting?: number;
  readonly patience_ms?: number;
}

/** Longer than any test waits. */
const NEVER_MS = 1_000_000;

/** Records the batches that are sent; the test ends each. */
function buildBatcher({
  slots,
  max_items = 10,
  max_bytes = 1_000,
  ownerOf = () => 'alice',
  max_waiting = 100,
  patience_ms = NEVER_MS,
}: TestBatcherOptions) {
  const sent: { items: readonly number[]; end: (error?: Error) => void }[] = [];
  const batcher = createBatcher<number, string>({
    slots,
    max_items,
    max_bytes,
    sizeOf: (item) => item,
    ownerOf,
    max_waiting,
    patience_ms,
    send: (items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void =>
          error ? reject(error) : resolve(items.map((item) => `sent ${item}`));
        sent.push({ items, end });
      }),
  });
  return { sent, submit: (item: number, deadline = FAR) => batcher.submit(item, deadline) };
}

// Time stands still unless a test moves it.
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a batcher', () => {
  it('sends an item at once and alone when nothing is under way', () => {
    const { sent, submit } = buildBatcher({ slots: 2 });
    void submit(1);
    expect(sent.map(({ items }) => items)).toEqual([[1]]);
  });

  it('counts a batch as full by its bytes, too', () => {
    const { sent, submit } = buildBatcher({ slots: 2, max_bytes: 10 });
    for (const item of [1, 4]) void submit(item);
    expect(sent).toHaveLength(1);
    void submit(6);
    expect(sent.map(({ items }) => items)).toEqual([[1], [4, 6]]);
  });

  it('has no more batches under way than slots, however many items wait', () => {
    const { sent, submit } = buildBatcher({ slots: 2, max_items: 2, patience_ms: 0 });
    for (let item = 1; item <= 9; item += 1) void submit(item);
    expect(sent).toHaveLength(2);
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
    jest.advanceTimersByTime(5);
    expect(await late).toBe('too_late');
    sent[0]!.end();
    await first;
    jest.advanceTimersByTime(8);
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

  it('takes turns between owners, so that one with many items delays nobody', async () => {
    // Hundreds are Mallory's, those below are Alice's and Bob's.
    const ownerOf = (item: number): string =>
      item >= 100 ? 'mallory' : item < 50 ? 'alice' : 'bob';
    const { sent, submit } = buildBatcher({ slots: 1, max_items: 4, max_bytes: 1e6, ownerOf });
    const first = submit(1);
    for (const item of [100, 101, 102, 103, 104, 105]) void submit(item);
    const [alices] = [2, 3, 50].map((item) => submit(item));
    sent[0]!.end();
    await first;
    expect(sent[1]!.items).toEqual([100, 2, 50, 101]);
    sent[1]!.end();
    await alices;
    // The owner whose turn it was last comes last.
    expect(sent[2]!.items).toEqual([3, 102, 103, 104]);
  });

  it('lets an owner wait with so many items and no more, and others with theirs', async () => {
    const ownerOf = (item: number): string => (item >= 100 ? 'mallory' : 'alice');
    const { sent, submit } = buildBatcher({ slots: 1, max_bytes: 1e6, max_waiting: 2, ownerOf });
    const [first, ...rest] = [100, 101, 102, 103, 1].map((item) => submit(item));
    expect(await rest[2]).toBe('too_many');
    sent[0]!.end();
    expect(await first).toBe('sent 100');
    expect(sent[1]!.items).toEqual([101, 1, 102]);
    sent[1]!.end();
    expect(await rest[3]).toBe('sent 1');
    // There is room again.
    void submit(104);
    expect(sent[2]!.items).toEqual([104]);
  });
});

describe('a batcher with time', () => {
  it('lets no item wait longer than its patience for a batch that hangs', () => {
    const { sent, submit } = buildBatcher({ slots: 2, patience_ms: 100 });
    for (const item of [1, 2]) void submit(item);
    jest.advanceTimersByTime(50);
    void submit(3);
    jest.advanceTimersByTime(49);
    expect(sent).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(sent[1]!.items).toEqual([2, 3]);
  });

  it('waits after a batch for those who were answered, and leaves as soon as they are back', async () => {
    const { sent, submit } = buildBatcher({ slots: 2, patience_ms: 100 });
    const first = submit(1);
    const together = [2, 3].map((item) => submit(item));
    jest.advanceTimersByTime(40);
    sent[0]!.end();
    await first;
    expect(sent).toHaveLength(1);
    // The one who was answered is back, and those who were left over wait too.
    void submit(4);
    expect(sent[1]!.items).toEqual([2, 3, 4]);
    jest.advanceTimersByTime(40);
    sent[1]!.end();
    await Promise.all(together);
    for (const item of [5, 6]) void submit(item);
    expect(sent).toHaveLength(2);
    void submit(7);
    expect(sent[2]!.items).toEqual([5, 6, 7]);
  });

  it('waits one and a half times as long as the batch took for those who do not come back', async () => {
    const { sent, submit } = buildBatcher({ slots: 2, patience_ms: 100 });
    const first = submit(1);
    void submit(2);
    jest.advanceTimersByTime(40);
    sent[0]!.end();
    await first;
    jest.advanceTimersByTime(59);
    expect(sent).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(sent[1]!.items).toEqual([2]);
  });
});
