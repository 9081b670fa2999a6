// Spans by OpenTelemetry's API: from a request through the start of a workflow and its activities
// to SQL and webhooks. Without a collector (tracing.ts) the API makes none. Spans have names from
// our own lists and no values of people: no SQL parameter, amount, user, key, address or path.

import {
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';

export { SpanKind } from '@opentelemetry/api';

// Asked each time: a tracer keeps the provider that it has met first.
const tracer = () => trace.getTracer('payment-api');

/** Runs it in a span. What it throws leaves the kind of error in the span, never its message. */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  run: (span: Span) => Promise<T>,
  parent: Context = context.active(),
): Promise<T> {
  return tracer().startActiveSpan(name, options, parent, async (span) => {
    try {
      return await run(span);
    } catch (error) {
      failSpan(span, kindOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Marks a span of what ends badly and throws nothing. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * A code such as ECONNREFUSED or 23505, or the error's class: its message may quote what was sent.
 */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? code : error.name;
}

/**
 * Runs what was asked for in several contexts: in the first whose trace is kept, in a span with
 * links to and from the others.
 */
export function inSharedSpan<T>(
  name: string,
  contexts: readonly Context[],
  run: () => Promise<T>,
): Promise<T> {
  const [first = contexts[0]!, ...others] = contexts.filter((one) => spanOf(one)?.isRecording());
  if (contexts.length === 1) return context.with(first, run);
  const links = others.map((one) => ({ context: spanOf(one)!.spanContext() }));
  const attributes = { [`${name}.count`]: contexts.length };
  const linked = (own: Span): Promise<T> => {
    for (const one of others) spanOf(one)!.addLink({ context: own.spanContext() });
    return run();
  };
  return context.with(first, () => inSpan(name, { links, attributes }, linked));
}

const spanOf = (of: Context): Span | undefined => trace.getSpan(of);

/**
 * The trace of the span that is open here; undefined once it has ended, and when its trace is not
 * kept.
 */
export function traceId(): string | undefined {
  const open = trace.getActiveSpan();
  return open?.isRecording() === true ? open.spanContext().traceId : undefined;
}

/** The `traceparent` of the span that is open here, kept or not; undefined without a collector. */
export function traceparent(): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/** Without a valid `traceparent` a trace of its own begins. */
export function contextOf(parent: string | undefined): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent: parent });
}

export const SPAN_ID = createContextKey('the id that the next span gets');

/** A span that is over, with an id that others have named as their parent before. */
export function recordSpan(name: string, id: string, parent: string, options: SpanOptions): Span {
  const given = ROOT_CONTEXT.setValue(SPAN_ID, id);
  return context.with(given, () => tracer().startSpan(name, options, contextOf(parent)));
}
