// Who is calling, and may they call now: one statement answers both, before the body is read.

import { authenticate as findCaller, type RepeatableKey } from '../../db/api-keys';
import { hashApiKey, isWellFormedApiKey } from '../../secrets/api-key';
import { ApiError } from '../api-error';
import type { ApiContext, ApiDependencies, ApiMiddleware } from '../context';
import { findIdempotencyKey } from './idempotency';
import { setRateLimitHeaders, rateLimited } from './rate-limit';

const BEARER = /^Bearer +([^\s]+)$/i;

export function authenticate(
  { db, config }: Pick<ApiDependencies, 'db' | 'config'>,
  rate: 'read' | 'write',
  /** The operation whose idempotency keys this route takes. */
  operation?: RepeatableKey['operation'],
): ApiMiddleware {
  return async (ctx, next) => {
    const key = readKey(ctx, config.key_prefixes);
    // Missing, malformed, unknown and revoked answer the same bytes: nothing to learn from.
    const idempotency_key = operation && findIdempotencyKey(ctx);
    const caller =
      key === undefined
        ? undefined
        : await findCaller(
            db,
            hashApiKey(key),
            rate === 'write',
            operation && idempotency_key !== undefined
              ? { operation, key: idempotency_key }
              : undefined,
          );
    if (!caller) {
      throw new ApiError('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });
    }
    ctx.state.caller = caller;
    setRateLimitHeaders(ctx, caller, rate);
    if (!caller.allowed) throw rateLimited(caller);
    return next();
  };
}

// Only this header: a key in a URL ends up in logs. Node joins a repeated header with a comma,
// which no key contains, so two headers are refused too.
function readKey(ctx: ApiContext, prefixes: readonly string[]): string | undefined {
  const key = BEARER.exec(ctx.get('Authorization'))?.[1];
  return key !== undefined && isWellFormedApiKey(key, prefixes) ? key : undefined;
}
