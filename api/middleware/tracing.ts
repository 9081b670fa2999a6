// One span for each request, named by its route as the table of routes has it. What callers say of traces of
// their own is not believed: they would decide what is kept.

import type { Tracing } from '../../telemetry/trace';
import type { ApiMiddleware } from '../context';
import { PREFIX } from '../prefix';

/** Asked every few seconds by whatever watches the process. */
const UNTRACED: ReadonlySet<string> = new Set(['/ready', `${PREFIX}/health`]);

export function traceRequests(tracing: Tracing): ApiMiddleware {
  return (ctx, next) => {
    if (UNTRACED.has(ctx.path)) return next();
    const attributes = { 'http.request.method': ctx.method };
    return tracing.span({ name: ctx.method, kind: 'server', attributes }, async (span) => {
      ctx.state.trace_id = tracing.traceId();
      await next();
      const route = ctx.state.route ?? 'unmatched';
      span.rename(`${ctx.method} ${route}`);
      span.note('http.route', route);
      span.note('http.response.status_code', ctx.status);
      span.note('request_id', ctx.state.request_id);
      if (ctx.status >= 500) span.fail(String(ctx.status));
    });
  };
}
