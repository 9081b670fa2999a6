// Results of activities that run in this very process, handed to the requests that wait for them:
// the shortest way from commit to response. Postgres and Temporal know everything in here as well.

import { withResolvers } from '../domain/promises';

export interface LocalResults<Result> {
  /**
   * Resolves when the activity runs in this process, otherwise never. Several may expect one id.
   */
  expect(id: string): Promise<Result>;
  /** Each caller of `expect` calls it once, when it no longer waits. */
  forget(id: string): void;
  publish(id: string, result: Result): void;
}

interface Expected<Result> {
  readonly promise: Promise<Result>;
  readonly resolve: (result: Result) => void;
  count: number;
}

export function createLocalResults<Result>(): LocalResults<Result> {
  const expected = new Map<string, Expected<Result>>();
  return {
    expect(id) {
      let known = expected.get(id);
      if (!known) {
        const { promise, resolve } = withResolvers<Result>();
        known = { promise, resolve, count: 0 };
        expected.set(id, known);
      }
      known.count += 1;
      return known.promise;
    },
    forget(id) {
      const known = expected.get(id);
      if (!known) return;
      known.count -= 1;
      if (known.count === 0) expected.delete(id);
    },
    publish: (id, result) => expected.get(id)?.resolve(result),
  };
}
