// Turns whatever was thrown into the one error shape. Only what the table says leaves the process:
// no stack, no SQL, no versions.

import { isDatabaseUnavailable } from '../../db/connect';
import { ERRORS, renderError } from '../../domain/errors';
import { ApiError } from '../api-error';
import type { ApiContext, ApiDependencies, ApiMiddleware } from '../context';

/** What a caller told 503 or 409 should wait, in seconds. */
const RETRY_AFTER_SECONDS = 1;

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
      const context = { request_id: ctx.state.request_id, error_docs_url };
      ctx.body = renderError(error.code, context, error.about);
      ctx.status = ERRORS[error.code].status;
      ctx.type = 'application/json; charset=utf-8';
      ctx.set(error.headers);
    }
  };
}

// What the router leaves without a body. RFC 9110, section 15.5.6: a 405 names the methods that are
// allowed; where there are none, there is nothing at all.
function refuseUnrouted(ctx: ApiContext): void {
  if (ctx.status === 404 && ctx.body === undefined) throw new ApiError('not_found');
  // A page of our own may say the same in HTML.
  if (ctx.body || (ctx.status !== 405 && ctx.status !== 501)) return;
  throw new ApiError(ctx.response.get('Allow') === '' ? 'not_found' : 'method_not_allowed');
}

export function errorDocsUrl(public_url: string): string {
  return `${public_url}/docs/errors`;
}

export function unavailable(message?: string): ApiError {
  return new ApiError('unavailable', {
    ...(message === undefined ? {} : { message }),
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}

/**
 * For what is read after something was set going: a database that is away now does not mean that
 * nothing was changed.
 */
export async function orUnknown<T>(message: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isDatabaseUnavailable(error) ? unavailable(message) : error;
  }
}

export function inProgress(): ApiError {
  return new ApiError('idempotency_in_progress', {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}

function toApiError(thrown: unknown, ctx: ApiContext, log: ApiDependencies['log']): ApiError {
  if (thrown instanceof ApiError) return thrown;
  // Koa and its router throw for malformed paths; they name the status, not one of our codes.
  if (thrown instanceof Error && (thrown as { status?: unknown }).status === 400) {
    return new ApiError('not_found');
  }
  const isUnavailable = isDatabaseUnavailable(thrown);
  log({
    request_id: ctx.state.request_id,
    route: ctx.state.route,
    unavailable: isUnavailable,
    error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
  });
  return isUnavailable ? unavailable() : new ApiError('internal_error');
}
