// Traces of transfers that share a workflow. A workflow is part of one trace, so that of each other transfer in
// it has a link to it, and it has one to each of theirs.

import type { OpenSpan, Tracing } from '../telemetry/trace';

export interface TracedTransfer {
  readonly traceparent: string;
  readonly span: OpenSpan;
  /** Where the span is open. */
  readonly inside: <T>(run: () => T) => T;
}

/** From asking for a slot to the result. Costs nothing when nobody collects traces. */
export function traceTransfer<Result>(
  tracing: Tracing | undefined,
  run: (traced?: TracedTransfer) => Promise<Result>,
): Promise<Result> {
  if (!tracing) return run();
  return tracing.span({ name: 'transfer', kind: 'internal' }, (span) => {
    const traceparent = tracing.current();
    return traceparent === undefined ? run() : run({ traceparent, span, inside: tracing.bind() });
  });
}

/** Whoever makes a batch leave, be it a timer or another request that has ended, it belongs to one of its own. */
export function traceBatch<Result>(
  tracing: Tracing | undefined,
  batch: readonly { readonly traced?: TracedTransfer }[],
  run: () => Promise<Result>,
): Promise<Result> {
  const all = batch.flatMap(({ traced }) => (traced ? [traced] : []));
  const kept = all.filter(({ traceparent }) => KEPT.test(traceparent));
  const [first = all[0], ...others] = kept;
  if (!tracing || !first) return run();
  if (batch.length === 1) return first.inside(run);
  const of = {
    name: 'transfers',
    kind: 'internal',
    links: others.map(({ traceparent }) => traceparent),
    attributes: { 'transfers.count': batch.length },
  } as const;
  return first.inside(() =>
    tracing.span(of, () => {
      const own = tracing.current();
      for (const { span } of others) if (own !== undefined) span.link(own);
      return run();
    }),
  );
}

/** Sampled: sent to the collector. */
const KEPT = /-01$/;
