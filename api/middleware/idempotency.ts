// The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header; its length as Stripe's).

import { randomUUID } from 'node:crypto';
import { IDEMPOTENCY_KEY_PATTERN } from '../../domain/ids';
import { ApiError } from '../api-error';
import type { ApiContext, ApiMiddleware } from '../context';

/** The header, when it is well-formed; `readIdempotencyKey` refuses one that is not. */
export function findIdempotencyKey(ctx: ApiContext): string | undefined {
  const header = ctx.req.headers['idempotency-key'];
  return typeof header === 'string' && IDEMPOTENCY_KEY_PATTERN.test(header) ? header : undefined;
}

/** Undefined when the header is absent; an empty one is a mistake that would lose the protection. */
export function readIdempotencyKey(ctx: ApiContext): string | undefined {
  const key = findIdempotencyKey(ctx);
  if (key === undefined && ctx.req.headers['idempotency-key'] !== undefined) {
    throw new ApiError('invalid_idempotency_key', { param: 'Idempotency-Key' });
  }
  return key;
}

/**
 * Every response names the key to retry with, also a 503 from before the handler. When the caller sent
 * no key, the API generates one.
 */
export function nameIdempotencyKey(): ApiMiddleware {
  return (ctx, next) => {
    const hasHeader = ctx.req.headers['idempotency-key'] !== undefined;
    const key = hasHeader ? findIdempotencyKey(ctx) : randomUUID();
    if (key !== undefined) {
      ctx.state.idempotency_key = key;
      ctx.state.has_own_key = hasHeader;
      ctx.set('Idempotency-Key', key);
    }
    return next();
  };
}
