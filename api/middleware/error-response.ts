// Turns every thrown error into the one error shape. Only what the error table says leaves the
// process: no stack, no SQL, no versions.

import { randomUUID } from 'node:crypto';
import { ERRORS, renderError } from '../../domain/errors';
import { ApiError } from '../api-error';
import type { ApiContext, ApiDependencies, ApiMiddleware, ApiState } from '../context';
import { errorDocsUrl } from '../docs/paths';
import { notBegun, outcomeUnknown, unavailable } from '../failures';
import { logFault } from '../log-fault';

const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

export function errorResponse(
  dependencies: Pick<ApiDependencies, 'config' | 'log'>,
): ApiMiddleware {
  const error_docs_url = errorDocsUrl(dependencies.config.public_url);
  return async (ctx, next) => {
    try {
      await next();
      refuseUnrouted(ctx);
    } catch (thrown) {
      const error = toApiError(thrown, ctx, dependencies.log);
      // Set by a middleware that this may be around.
      const request_id = ctx.state.request_id ?? randomUUID();
      ctx.body = renderError(error.code, { request_id, error_docs_url }, error.about);
      ctx.status = ERRORS[error.code].status;
      ctx.type = 'application/json; charset=utf-8';
      // What a page or a file of the pay page allowed does not hold for an error.
      ctx.set({ ...HEADERS, 'X-Request-Id': request_id, ...error.headers });
    }
  };
}

// The router leaves these without a body. RFC 9110, section 15.5.6: a 405 names the methods that are
// allowed; where none is, the answer is 404.
function refuseUnrouted(ctx: ApiContext): void {
  if (ctx.status === 404 && ctx.body === undefined) throw new ApiError('not_found');
  // The pay page answers 405 with a page of its own.
  if (ctx.body || (ctx.status !== 405 && ctx.status !== 501)) return;
  throw new ApiError(ctx.response.get('Allow') === '' ? 'not_found' : 'method_not_allowed');
}

function toApiError(thrown: unknown, ctx: ApiContext, log: ApiDependencies['log']): ApiError {
  if (thrown instanceof ApiError) return thrown;
  // Koa and its router throw for malformed paths, with a status and without one of our codes.
  if (thrown instanceof Error && (thrown as { status?: unknown }).status === 400) {
    return new ApiError('not_found');
  }
  const isUnavailable = logFault(log, ctx, thrown);
  return isUnavailable ? unavailableFor(ctx.state) : new ApiError('internal_error');
}

function unavailableFor({ idempotency_key, has_own_key, is_begun }: ApiState): ApiError {
  if (idempotency_key === undefined) return unavailable();
  return is_begun ? outcomeUnknown() : notBegun(has_own_key === true);
}
