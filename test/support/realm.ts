// Jest runs tests in a context of its own, where errors made by Node itself (a refused connection,
// a missing file) are no `instanceof Error`. Our code asks exactly that, and must see under test
// what it sees in production.

import { types } from 'node:util';

const ordinary = Function.prototype[Symbol.hasInstance];

Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    return (this === Error && types.isNativeError(value)) || ordinary.call(this as never, value);
  },
});
