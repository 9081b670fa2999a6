// A collector of traces: what it was sent by OTLP over HTTP, and how its spans hang together.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { closeAfterFile } from '../../support/cleanup';

type Attribute = string | number | boolean;

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Ids of spans elsewhere. */
  readonly links: readonly string[];
  readonly has_failed: boolean;
}

export interface Collector {
  readonly spans: readonly ReceivedSpan[];
  /** All requests as they came. */
  readonly bodies: readonly string[];
  /** Takes them when left out. */
  answer: ((response: ServerResponse) => void) | undefined;
}

interface OtlpSpan extends Pick<ReceivedSpan, 'traceId' | 'spanId' | 'parentSpanId' | 'name'> {
  readonly attributes: readonly { key: string; value: Record<string, Attribute> }[];
  readonly links?: readonly { readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface Otlp {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const ERROR = 2;

/** The services that this file starts from now on with `traces` send to it, with these variables too. */
export async function startCollector(
  variables: Readonly<Record<string, string>> = {},
): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const collector: Collector = { spans, bodies, answer: undefined };
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      bodies.push(body);
      if (collector.answer) return collector.answer(response);
      spans.push(...readSpans(JSON.parse(body) as Otlp));
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '100' };
  Object.assign(process.env, settings, variables);
  return collector;
}

function readSpans({ resourceSpans }: Otlp): ReceivedSpan[] {
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    .map(({ attributes, links = [], status, ...span }) => ({
      ...span,
      attributes: Object.fromEntries(
        attributes.map(({ key, value }) => [key, Object.values(value)[0]!]),
      ),
      links: links.map(({ spanId }) => spanId),
      has_failed: status?.code === ERROR,
    }));
}

/** Returns the spans from the root to this one; undefined while one of them has not arrived. */
export function pathOf(
  collector: Collector,
  span: ReceivedSpan,
): readonly [ReceivedSpan, ...ReceivedSpan[]] | undefined {
  if (!span.parentSpanId) return [span];
  const parent = collector.spans.find(
    ({ traceId, spanId }) => traceId === span.traceId && spanId === span.parentSpanId,
  );
  const path = parent && pathOf(collector, parent);
  return path && [path[0], ...path.slice(1), span];
}
