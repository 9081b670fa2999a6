// Requests of this process that wait for something which may happen in this process: the shortest
// way from commit to answer. Postgres and Temporal know everything in here as well.

export interface Waiters<Outcome> {
  /** Resolves when it happens here; never, when it happens elsewhere. Several may wait for one. */
  expect(id: string): Promise<Outcome>;
  /** Each who expects forgets. */
  forget(id: string): void;
  publish(id: string, outcome: Outcome): void;
}

interface Waiting<Outcome> {
  readonly promise: Promise<Outcome>;
  readonly resolve: (outcome: Outcome) => void;
  count: number;
}

export function createWaiters<Outcome>(): Waiters<Outcome> {
  const waiting = new Map<string, Waiting<Outcome>>();
  return {
    expect(id) {
      let known = waiting.get(id);
      if (!known) {
        const { promise, resolve } = withResolvers<Outcome>();
        known = { promise, resolve, count: 0 };
        waiting.set(id, known);
      }
      known.count += 1;
      return known.promise;
    },
    forget(id) {
      const known = waiting.get(id);
      if (!known) return;
      known.count -= 1;
      if (known.count === 0) waiting.delete(id);
    },
    publish: (id, outcome) => waiting.get(id)?.resolve(outcome),
  };
}

// `Promise.withResolvers` is not in Node 20.
function withResolvers<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
