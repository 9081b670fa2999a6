// Counts every request that nobody vouches for against its address, and refuses those over the limit
// (docs/decisions/0038-strangers.md).

import type { ApiContext, ApiMiddleware } from '../context';
import { strangerLimited } from '../rate-limits/headers';
import type { StrangerKind, Strangers } from '../rate-limits/strangers';

/** @throws ApiError rate_limited */
export function countStranger(
  strangers: Strangers,
  { state }: ApiContext,
  kind: StrangerKind = 'request',
): void {
  state.is_counted = true;
  state.is_probe = kind === 'health';
  const seconds = strangers.take(kind, state.ip);
  if (seconds > 0) throw strangerLimited(seconds);
}

/** Before a route that needs no key. */
export function limitStrangers(strangers: Strangers, kind: StrangerKind): ApiMiddleware {
  return (ctx, next) => {
    countStranger(strangers, ctx, kind);
    return next();
  };
}

/**
 * Around all routes: counts what no route has counted, such as unknown paths. So a new route that
 * forgets to count is limited all the same.
 */
export function countTheRest(strangers: Strangers): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } finally {
      // Over the limit, 429 takes the place of the response or of the error.
      if (ctx.state.is_counted !== true) countStranger(strangers, ctx);
    }
  };
}
