// The headers of a response about the caller's limits: the IETF draft's (draft-ietf-httpapi-ratelimit-headers) and the
// older X-RateLimit-* that most clients read. The counting itself is in the SQL function `authenticate`.

import type { Caller } from '../../db/keys/api-keys';
import { Refusal } from '../../domain/refusal';
import type { HttpContext } from '../../http/context';

const WINDOW_SECONDS = 60;

export function setRateLimitHeaders(
  ctx: HttpContext,
  caller: Caller,
  rate: 'read' | 'write',
): void {
  // The tighter of the two windows that count this request.
  const isWriteTighter = rate === 'write' && caller.write_remaining < caller.request_remaining;
  const limit = isWriteTighter ? caller.write_limit : caller.request_limit;
  const remaining = isWriteTighter ? caller.write_remaining : caller.request_remaining;
  const reset = caller.allowed ? WINDOW_SECONDS : caller.retry_after_seconds;
  const policies = `"requests";q=${caller.request_limit};w=${WINDOW_SECONDS}`;
  ctx.set(
    'RateLimit-Policy',
    rate === 'write'
      ? `${policies}, "writes";q=${caller.write_limit};w=${WINDOW_SECONDS}`
      : policies,
  );
  ctx.set('RateLimit', `"${isWriteTighter ? 'writes' : 'requests'}";r=${remaining};t=${reset}`);
  ctx.set('X-RateLimit-Limit', String(limit));
  ctx.set('X-RateLimit-Remaining', String(remaining));
  ctx.set('X-RateLimit-Reset', String(reset));
}

export function rateLimited(caller: Caller): Refusal {
  return new Refusal('rate_limited', {
    retry_after_seconds: Math.max(1, caller.retry_after_seconds),
  });
}
