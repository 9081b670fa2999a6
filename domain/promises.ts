// Promises that are settled from outside.

export interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** `Promise.withResolvers`, which is not in Node 20. */
export function withResolvers<T = void>(): Resolvers<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- passed on as it was thrown
    reject = no;
  });
  return { promise, resolve, reject };
}
