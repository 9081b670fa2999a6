// One span for each request, named by its route as the table of routes has it. What callers say of
// traces of their own is not believed: they would decide what is kept.

import { failSpan, inSpan, SpanKind } from '../../telemetry/spans';
import type { HttpMiddleware } from '../context';
import { PREFIX } from '../prefix';

/** Probes, every few seconds. */
const UNTRACED: ReadonlySet<string> = new Set(['/ready', `${PREFIX}/health`]);

export const traceRequests: HttpMiddleware = (ctx, next) => {
  if (UNTRACED.has(ctx.path)) return next();
  const attributes = { 'http.request.method': ctx.method };
  return inSpan(ctx.method, { kind: SpanKind.SERVER, attributes }, async (span) => {
    await next();
    const route = ctx.state.route ?? 'unmatched';
    span.updateName(`${ctx.method} ${route}`).setAttributes({
      'http.route': route,
      'http.response.status_code': ctx.status,
      request_id: ctx.state.request_id,
    });
    if (ctx.status >= 500) failSpan(span, String(ctx.status));
  });
};
