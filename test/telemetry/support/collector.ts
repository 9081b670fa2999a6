// A collector of traces: what it was sent by OTLP over HTTP, and how its spans hang together.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeAfterFile } from '../../support/cleanup';

type Attribute = string | number | boolean;

export interface ReceivedSpan {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_id: string | undefined;
  readonly name: string;
  /** Of the process. */
  readonly service: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Ids of spans elsewhere. */
  readonly links: readonly string[];
  readonly has_failed: boolean;
}

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** All requests as they came. */
  readonly bodies: readonly string[];
  /** Takes them when left out. */
  answer: ((response: ServerResponse) => void) | undefined;
}

interface Otlp {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, Attribute>>;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly links?: readonly { readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

const ERROR = 2;

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      bodies.push(body);
      spans.push(...readSpans(JSON.parse(body) as Otlp));
      if (collector.answer) return collector.answer(response);
      response.setHeader('Content-Type', 'application/json');
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterFile(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const collector: Collector = { url, spans, bodies, answer: undefined };
  return collector;
}

function readSpans({ resourceSpans }: Otlp): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(readAttributes(resource.attributes)['service.name']);
    return scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        trace_id: span.traceId,
        span_id: span.spanId,
        parent_id: span.parentSpanId === '' ? undefined : span.parentSpanId,
        name: span.name,
        service,
        attributes: readAttributes(span.attributes),
        links: (span.links ?? []).map(({ spanId }) => spanId),
        has_failed: span.status?.code === ERROR,
      })),
    );
  });
}

function readAttributes(attributes: readonly OtlpAttribute[]): Record<string, Attribute> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]!]));
}

/** The names from the root to the span; undefined while one of them has not arrived. */
export function pathOf(
  { spans }: Collector,
  span: ReceivedSpan,
): readonly [ReceivedSpan, ...ReceivedSpan[]] | undefined {
  const path: [ReceivedSpan, ...ReceivedSpan[]] = [span];
  for (;;) {
    const [{ trace_id, parent_id }] = path;
    if (parent_id === undefined) return path;
    const parent = spans.find((one) => one.trace_id === trace_id && one.span_id === parent_id);
    if (!parent) return undefined;
    path.unshift(parent);
  }
}
