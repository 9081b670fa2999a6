// The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header; its length as Stripe's).

import { randomUUID } from 'node:crypto';
import { IDEMPOTENCY_KEY_PATTERN } from '../../domain/ids';
import { differingFields, type Fingerprint, type StoredResponse } from '../../domain/idempotency';
import { ApiError } from '../api-error';
import type { ApiResponse, ApiContext, ApiMiddleware } from '../context';

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
 * Every answer names the key to ask again with, also a 503 from before the handler; where the caller
 * sent none, one of ours.
 */
export function nameIdempotencyKey(): ApiMiddleware {
  return (ctx, next) => {
    const hasHeader = ctx.req.headers['idempotency-key'] !== undefined;
    const key = hasHeader ? findIdempotencyKey(ctx) : randomUUID();
    if (key !== undefined) {
      ctx.state.idempotency_key = key;
      ctx.set('Idempotency-Key', key);
    }
    return next();
  };
}

/** The stored answer for a repeated key, byte for byte; refused when the bodies differ. */
export function replay(stored: StoredResponse, fingerprint: Fingerprint): ApiResponse {
  refuseOtherBody(stored.fingerprint, fingerprint);
  return {
    status: stored.status,
    body: stored.body,
    headers: { 'Idempotent-Replayed': 'true' },
  };
}

export function refuseOtherBody(first: Fingerprint, second: Fingerprint): void {
  const fields = differingFields(first, second);
  if (fields.length === 0) return;
  throw new ApiError('idempotency_key_reuse', {
    message: `This Idempotency-Key was used with another body: ${fields.join(', ')} differ${fields.length === 1 ? 's' : ''}.`,
    param: fields[0]!,
    details: fields.map((param) => ({ param, message: 'differs from the first request' })),
  });
}
