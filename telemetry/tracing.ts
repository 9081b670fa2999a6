// Sends spans to a collector, by OpenTelemetry's SDK and its environment variables. This file and
// its packages are loaded only when there is one. Spans wait in a queue of fixed size: whatever the
// collector does, requests neither wait for it nor fail, and what finds no room or is not taken is
// dropped and counted.

import {
  context,
  createNoopMeter,
  diag,
  DiagLogLevel,
  propagation,
  trace,
  type Attributes,
} from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  RandomIdGenerator,
  type BufferConfig,
} from '@opentelemetry/sdk-trace-node';
import type { Metrics } from './metrics';
import { SPAN_ID } from './spans';

export interface TracingOptions {
  /** The name that spans have when OTEL_SERVICE_NAME is not set. */
  readonly service_name: string;
  readonly metrics: Pick<Metrics, 'countDroppedSpans'>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** A collector that is away would fill the log. */
const LOG_EVERY_MS = 60_000;

/** The function that is returned sends what is left, for as long as the exporter tries. */
export function startTracing({ service_name, metrics, log }: TracingOptions): () => Promise<void> {
  let silent_until = 0;
  const say = (error: string): void => {
    // The monotonic clock: one that is set back must not silence it.
    const now = performance.now();
    if (now < silent_until) return;
    silent_until = now + LOG_EVERY_MS;
    log({ part: 'traces', error });
  };
  const ignore = (): void => {};
  const logger = { error: say, warn: say, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  setGlobalErrorHandler((error) => say(describe(error)));

  const random = new RandomIdGenerator();
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service_name }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    idGenerator: {
      generateTraceId: () => random.generateTraceId(),
      generateSpanId: () =>
        (context.active().getValue(SPAN_ID) as string | undefined) ?? random.generateSpanId(),
    },
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(), countDrops(metrics))],
  });
  provider.register();
  return () => {
    // A span that could not be sent is counted and logged.
    const sent = provider.shutdown().catch(ignore);
    // They are disabled before it is sent: later, they may be those of a service that was started
    // since.
    for (const api of [trace, context, propagation]) api.disable();
    return sent;
  };
}

/** The processor tells what becomes of its spans by a meter, of which its type does not speak. */
function countDrops({ countDroppedSpans }: TracingOptions['metrics']): BufferConfig {
  const meter = createNoopMeter();
  const count = (spans: number, { 'error.type': type }: Attributes = {}): void => {
    if (type !== undefined) countDroppedSpans(type === 'queue_full' ? type : 'not_sent', spans);
  };
  meter.createCounter = () => ({ add: count });
  return { selfObsMeterProvider: { getMeter: () => meter } } as BufferConfig;
}

/** Describes an error without what the collector answered. */
function describe(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: string };
  if (typeof code === 'number') return `the collector answered ${code}`;
  return typeof code === 'string' ? code : String(message);
}
