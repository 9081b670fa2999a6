// What the rooms may say to a tracer. They are given none when nobody collects traces.

export type Value = string | number | boolean;

export interface SpanOf {
  /** From our own lists. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes?: Readonly<Record<string, Value>>;
  /** The `traceparent` of another process or request; the span that is open here if left out. */
  readonly parent?: string | undefined;
  /** The `traceparent` of others that it also works for. */
  readonly links?: readonly string[];
}

/** A span while it is open. */
export interface OpenSpan {
  note(name: string, value: Value): void;
  rename(name: string): void;
  /** To the `traceparent` of a span elsewhere. */
  link(traceparent: string): void;
  /** For what ends badly and throws nothing. */
  fail(type: string): void;
}

/** A span that is over, with an id that others already named as their parent. */
export interface EndedSpan {
  readonly name: string;
  /** Its own `traceparent`: what its children were given. */
  readonly traceparent: string;
  /** The `traceparent` of its parent. */
  readonly parent: string;
  readonly attributes: Readonly<Record<string, Value>>;
  /** ms since the epoch. */
  readonly started: number;
  readonly failed: boolean;
}

export interface Tracing {
  /** Runs it in a span. What it throws leaves the kind of error in the span, never its message. */
  span<T>(of: SpanOf, run: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** What runs another thing later as if it were here. */
  bind(): <T>(run: () => T) => T;
  record(span: EndedSpan): void;
  /** The `traceparent` of the span that is open here, kept or not. */
  current(): string | undefined;
  /** Of the span that is open here; undefined once it has ended, and when its trace is not kept. */
  traceId(): string | undefined;
  /** Sends what is left, for as long as the exporter tries: ten seconds by default. */
  close(): Promise<void>;
}
