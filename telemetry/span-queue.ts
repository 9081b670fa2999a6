// Spans that have ended wait here for the collector, up to a fixed number: whatever it does, requests neither
// wait for it nor fail, and what finds no room is dropped, counted, and said in the log.

import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import type { Metrics } from './metrics';

export interface SpanQueueOptions {
  /** Those that are being sent included. */
  readonly max_waiting: number;
  readonly metrics: Pick<Metrics, 'countDroppedSpans'>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** How long a span waits for company; less is lost with a process that is killed. */
const SEND_AFTER_MS = 1_000;
/** Said once in so long while spans are dropped. */
const LOG_EVERY_MS = 60_000;

export function createSpanQueue(options: SpanQueueOptions): SpanProcessor {
  const { max_waiting } = options;
  const drop = createDropLog(options);
  // It reads the OTEL_EXPORTER_OTLP_… variables itself, as it does in other programs.
  const exporter = new OTLPTraceExporter();
  let waiting = 0;
  const counted: SpanExporter = {
    export(spans, done) {
      exporter.export(spans, (result) => {
        waiting -= spans.length;
        if (result.code !== SUCCESS) drop('not_sent', spans.length, result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
  const batches = new BatchSpanProcessor({
    exporter: counted,
    maxQueueSize: max_waiting,
    scheduledDelayMillis: SEND_AFTER_MS,
  });
  return {
    onStart: () => {},
    onEnd(span: ReadableSpan) {
      if ((span.spanContext().traceFlags & SAMPLED) === 0) return;
      if (waiting >= max_waiting) return drop('queue_full', 1);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

/** OpenTelemetry's codes, which the packages that we use do not export. */
const SUCCESS = 0;
const SAMPLED = 1;

type Drop = (reason: 'queue_full' | 'not_sent', spans: number, error?: Error) => void;

function createDropLog({ metrics, log }: SpanQueueOptions): Drop {
  let since_last = 0;
  let silent_until = 0;
  return (reason, spans, error) => {
    metrics.countDroppedSpans(reason, spans);
    since_last += spans;
    // The monotonic clock: one that is set back must not silence it.
    const now = performance.now();
    if (now < silent_until) return;
    silent_until = now + LOG_EVERY_MS;
    const why = error === undefined ? {} : { error: describe(error) };
    const line = { part: 'traces', reason, dropped: since_last, ...why };
    // It is about no trace, least of all that of whoever came by.
    context.with(ROOT_CONTEXT, () => log(line));
    since_last = 0;
  };
}

/** Without what the collector answered. */
function describe(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'number') return `the collector answered ${code}`;
  return typeof code === 'string' ? code : error.message;
}
