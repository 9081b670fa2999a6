// Turns every thrown error into the one error shape. Only what the error table says leaves the
// process: no stack, no SQL, no versions.

import { randomUUID } from 'node:crypto';
import { renderError } from '../../domain/error-body';
import { ERRORS } from '../../domain/errors';
import { Refusal } from '../../domain/refusal';
import { headersOf } from '../http-error';
import type { HttpContext, HttpDependencies, HttpMiddleware, HttpState } from '../context';
import { errorDocsUrl } from '../../domain/docs-paths';
import { notBegun, outcomeUnknown, unavailable } from '../../use-cases/requests/failures';
import { logFault } from '../log-fault';

const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

export function errorResponse(
  dependencies: Pick<HttpDependencies, 'config' | 'log'>,
): HttpMiddleware {
  const error_docs_url = errorDocsUrl(dependencies.config.public_url);
  return async (ctx, next) => {
    try {
      await next();
      refuseUnrouted(ctx);
    } catch (thrown) {
      const error = toRefusal(thrown, ctx, dependencies.log);
      // Set by a middleware that this may be around.
      const request_id = ctx.state.request_id ?? randomUUID();
      ctx.body = renderError(error.code, { request_id, error_docs_url }, error.about);
      ctx.status = ERRORS[error.code].status;
      ctx.type = 'application/json; charset=utf-8';
      // An error does not keep what a page or a file of the pay page allowed.
      ctx.set({ ...HEADERS, 'X-Request-Id': request_id, ...headersOf(error) });
    }
  };
}

// The router leaves these without a body. RFC 9110, section 15.5.6: a 405 names the methods that
// are allowed; where none is, the answer is 404.
function refuseUnrouted(ctx: HttpContext): void {
  if (ctx.status === 404 && ctx.body === undefined) throw new Refusal('not_found');
  // The pay page answers 405 with a page of its own.
  if (ctx.body || (ctx.status !== 405 && ctx.status !== 501)) return;
  throw new Refusal(ctx.response.get('Allow') === '' ? 'not_found' : 'method_not_allowed');
}

function toRefusal(thrown: unknown, ctx: HttpContext, log: HttpDependencies['log']): Refusal {
  if (thrown instanceof Refusal) return thrown;
  // Koa and its router throw for malformed paths, with a status and without one of our codes.
  if (thrown instanceof Error && (thrown as { status?: unknown }).status === 400) {
    return new Refusal('not_found');
  }
  const isUnavailable = logFault(log, ctx, thrown);
  return isUnavailable ? unavailableFor(ctx.state) : new Refusal('internal_error');
}

function unavailableFor({ idempotency_key, has_own_key, is_begun }: HttpState): Refusal {
  if (idempotency_key === undefined) return unavailable();
  return is_begun ? outcomeUnknown() : notBegun(has_own_key === true);
}
