// Traces, where an endpoint for them is set.

import type { TraceStatement } from '../db/connect';
import type { Tracing } from '../telemetry/trace';
import type * as tracing_module from '../telemetry/tracing';
import type { ServiceOptions } from './service';

/** Without an endpoint nothing of it is loaded. */
export function loadTracing(
  { config: { traces }, roles }: ServiceOptions,
  told: Pick<tracing_module.TracingOptions, 'metrics' | 'log'>,
): Tracing | undefined {
  if (traces === undefined) return undefined;
  // Not by `import`, which would load it always.
  const { startTracing } = require('../telemetry/tracing') as typeof tracing_module;
  const service_name = traces.service_name ?? (roles.api ? 'payment-api' : 'payment-worker');
  return startTracing({ ...told, ...traces, service_name });
}

export function traceStatements(tracing: Tracing): TraceStatement {
  const attributes = { 'db.system.name': 'postgresql' };
  // What a process does by itself is no part of a trace, nor what a request leaves behind for later, such as
  // the rows of the access log: one write for many requests.
  return (name, run) =>
    tracing.traceId() === undefined
      ? run()
      : tracing.span({ name, kind: 'client', attributes }, run);
}
