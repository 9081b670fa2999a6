// Records each request in the access log, and counts it, once its response is decided.

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { traceId } from '../../telemetry/spans';
import type { AccessKind } from '../access-log';
import type { HttpContext, HttpDependencies, HttpMiddleware } from '../context';
import { keepCall, keepRefusal } from '../refused-request';

/**
 * Runs outside every other middleware except the request id, so that refusals and faults are logged
 * too.
 */
export function accessLog({
  access_log,
  metrics,
}: Pick<HttpDependencies, 'access_log' | 'metrics'>): HttpMiddleware {
  return async (ctx, next) => {
    const started = performance.now();
    const trace_id = traceId();
    await next();
    const duration_ms = performance.now() - started;
    // A fault on order is none of the service's; a bug is one at any time.
    if (ctx.state.is_fault_ordered !== true || ctx.status === 500) {
      metrics.countRequest({
        method: ctx.method,
        route: ctx.state.route,
        status: ctx.status,
        duration_ms,
      });
    }
    if (ctx.body instanceof Readable) {
      // A streamed response ends when it was sent or the caller has gone, and lasts until then.
      ctx.res.once('close', () => record(ctx, started, trace_id));
    } else {
      record(ctx, started, trace_id);
    }
  };

  function record(ctx: HttpContext, started: number, trace_id: string | undefined): void {
    const entry = {
      id: randomUUID(),
      at: new Date().toISOString(),
      ip: ctx.state.ip,
      key_id: ctx.state.caller?.key_id ?? ctx.state.refused_key_id ?? null,
      method: ctx.method,
      route: ctx.state.route,
      status: ctx.status,
      request_id: ctx.state.request_id,
      duration_ms: Math.round((performance.now() - started) * 1000) / 1000,
    };
    access_log.record(entry, kindOf(ctx), trace_id, {
      call: () => keepCall(ctx),
      refusal: () => keepRefusal(ctx),
    });
  }
}

function kindOf({ state, status }: HttpContext): AccessKind {
  if (state.look !== undefined && status === 204) return 'probe';
  if (state.caller || state.is_signed_in === true) return 'caller';
  if (state.is_probe === true && status < 400) return 'probe';
  return state.is_vouched_for === true ? 'gateway' : 'stranger';
}
