// Counts every request that nothing vouches for against its address, and refuses those over the
// limit (docs/decisions/keys-and-limits.md).

import type { HttpContext, HttpMiddleware } from '../context';
import { strangerLimited } from '../strangers';
import type { StrangerKind, Strangers } from '../strangers';

/** @throws Refusal rate_limited */
export function countStranger(
  strangers: Strangers,
  { state }: HttpContext,
  kind: StrangerKind = 'request',
): void {
  state.is_counted = true;
  state.is_probe = kind === 'health';
  const seconds = strangers.take(kind, state.ip);
  if (seconds > 0) throw strangerLimited(seconds);
}

/** Limits the requests to a route that needs no key. */
export function limitStrangers(strangers: Strangers, kind: StrangerKind): HttpMiddleware {
  return (ctx, next) => {
    countStranger(strangers, ctx, kind);
    return next();
  };
}

/**
 * Counts, around all routes, what no route has counted, such as unknown paths. So a new route that
 * forgets to count is limited all the same.
 */
export function countTheRest(strangers: Strangers): HttpMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } finally {
      // Over the limit, 429 takes the place of the response or of the error.
      if (ctx.state.is_counted !== true) countStranger(strangers, ctx);
    }
  };
}
