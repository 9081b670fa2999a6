// The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header; its length as Stripe's).

import { randomUUID } from 'node:crypto';
import { IDEMPOTENCY_KEY_PATTERN } from '../../domain/ids';
import { Refusal } from '../../domain/refusal';
import type { HttpContext, HttpMiddleware } from '../../http/context';

/**
 * The header, when it is well-formed; `readIdempotencyKey` refuses one that is not. Node and many
 * clients join repeated lines with a comma and a space: if a retry layer adds a key of its own to
 * the caller's, each try would be a new operation.
 */
export function findIdempotencyKey(ctx: HttpContext): string | undefined {
  const header = ctx.req.headers['idempotency-key'];
  if (typeof header !== 'string' || header.includes(', ')) return undefined;
  return IDEMPOTENCY_KEY_PATTERN.test(header) ? header : undefined;
}

/**
 * Undefined when the header is absent; an empty one is a mistake that would lose the protection.
 */
export function readIdempotencyKey(ctx: HttpContext): string | undefined {
  const key = findIdempotencyKey(ctx);
  if (key === undefined && ctx.req.headers['idempotency-key'] !== undefined) {
    throw new Refusal('invalid_idempotency_key', { param: 'Idempotency-Key' });
  }
  return key;
}

/**
 * Every response names the key to retry with, also a 503 from before the handler. When the caller
 * sent no key, the API generates one.
 */
export function nameIdempotencyKey(): HttpMiddleware {
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
