// Traces by OpenTelemetry: from a request through the start of a workflow and its activities to SQL and
// webhooks. This file and its packages are loaded only when OTEL_EXPORTER_OTLP_ENDPOINT is set. Spans have names
// from our own lists and no values of people: no SQL parameter, amount, user, key, address or path.

import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type Span,
  type SpanContext,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { RandomIdGenerator, TracerProvider, type IdGenerator } from '@opentelemetry/sdk-trace';
import { createSampler, type SamplerSettings } from './sampler';
import { createSpanQueue, type SpanQueueOptions } from './span-queue';
import type { EndedSpan, OpenSpan, SpanOf, Tracing } from './trace';

export interface TracingOptions extends SpanQueueOptions {
  readonly service_name: string;
  readonly sampler: SamplerSettings;
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const;

export function startTracing(options: TracingOptions): Tracing {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const ids = createIds();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service_name }),
    sampler: createSampler(options.sampler),
    idGenerator: ids,
    spanProcessors: [createSpanQueue(options)],
  });
  const tracer = provider.getTracer('payment-api');

  async function span<T>(of: SpanOf, run: (span: OpenSpan) => Promise<T>): Promise<T> {
    const parent = of.parent === undefined ? context.active() : contextOf(of.parent);
    const { attributes = {}, links = [] } = of;
    const opened = tracer.startSpan(
      of.name,
      { kind: KINDS[of.kind], attributes, links: links.flatMap(linkTo) },
      parent,
    );
    try {
      return await context.with(trace.setSpan(parent, opened), () => run(handleOf(opened)));
    } catch (error) {
      fail(opened, kindOf(error));
      throw error;
    } finally {
      opened.end();
    }
  }

  function record({ name, traceparent, parent, attributes, started, failed }: EndedSpan): void {
    const { spanId } = readTraceparent(traceparent) ?? {};
    if (spanId === undefined) return;
    ids.useNext(spanId);
    const ended = tracer.startSpan(name, { attributes, startTime: started }, contextOf(parent));
    if (failed) fail(ended, 'workflow_failed');
    ended.end();
  }

  return {
    span,
    record,
    bind() {
      const here = context.active();
      return (run) => context.with(here, run);
    },
    current() {
      const open = trace.getSpanContext(context.active());
      return open && `00-${open.traceId}-${open.spanId}-${isSampled(open) ? '01' : '00'}`;
    },
    traceId() {
      const open = trace.getSpan(context.active());
      return open?.isRecording() === true ? open.spanContext().traceId : undefined;
    },
    // What could not be sent was counted and logged.
    close: () => provider.shutdown().catch(() => undefined),
  };
}

function handleOf(span: Span): OpenSpan {
  return {
    note: (name, value) => void span.setAttribute(name, value),
    rename: (name) => void span.updateName(name),
    link: (traceparent) => void span.addLinks(linkTo(traceparent)),
    fail: (type) => fail(span, type),
  };
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** A code such as ECONNREFUSED or 23505, or the error's class: its message may quote what was sent. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? code : error.name;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function readTraceparent(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return { traceId, spanId, traceFlags, isRemote: true };
}

/** What is no `traceparent` is the beginning of a trace of its own. */
function contextOf(traceparent: string): Context {
  const parent = readTraceparent(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

function linkTo(traceparent: string): Link[] {
  const linked = readTraceparent(traceparent);
  return linked ? [{ context: linked }] : [];
}

function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** Random, but for a span whose children were there before it. */
function createIds(): IdGenerator & { useNext(span_id: string): void } {
  const random = new RandomIdGenerator();
  let next: string | undefined;
  return {
    useNext(span_id) {
      next = span_id;
    },
    generateTraceId: () => random.generateTraceId(),
    generateSpanId() {
      const id = next ?? random.generateSpanId();
      next = undefined;
      return id;
    },
  };
}
