// Hands the trace of whoever started a workflow, or sent it a message, to its activities, and reports the end
// of each run. Nothing of it is a command: a history is the same with it and without, but for the headers, which
// no replay compares. A workflow without a header, as all are when nobody collects traces, does nothing here.

import { defaultPayloadConverter, TemporalFailure, type Headers } from '@temporalio/common';
import {
  ContinueAsNew,
  proxySinks,
  workflowInfo,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import { TRACE_HEADER, type TraceSinks } from './messages';

/** Of a trace that is sent to the collector. */
const KEPT = '-01';
const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-(0[01])$/;

export const interceptors: WorkflowInterceptorsFactory = () => {
  /** What activities get: the run's own span, or the message that came last from another trace. */
  let current: string | undefined;

  const keep = (headers: Headers): void => {
    const given = readHeader(headers);
    if (given !== undefined && traceOf(given) !== traceOf(current)) current = given;
  };
  const add = <Input extends { readonly headers: Headers }>(input: Input): Input =>
    current === undefined ? input : { ...input, headers: withHeader(input.headers, current) };

  return {
    inbound: [
      {
        execute(input, next) {
          const parent = readHeader(input.headers);
          if (parent === undefined) return next(input);
          const own = spanOfRun(parent);
          current = own;
          const result = next(input);
          if (own.endsWith(KEPT)) reportEnd(result, own, parent);
          return result;
        },
        handleSignal(input, next) {
          keep(input.headers);
          return next(input);
        },
        handleUpdate(input, next) {
          keep(input.headers);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(add(input)),
        scheduleLocalActivity: (input, next) => next(add(input)),
        continueAsNew: (input, next) => next(add(input)),
      },
    ],
  };
};

/** Beside the result, which takes not a turn longer for it: the order of commands stays. */
function reportEnd(result: Promise<unknown>, traceparent: string, parent: string): void {
  const { traces } = proxySinks<TraceSinks>();
  const report = (failed: boolean): void => traces.ended({ traceparent, parent, failed });
  result.then(
    () => report(false),
    (error: unknown) => {
      if (error instanceof ContinueAsNew) report(false);
      // Any other error fails the workflow task, which is tried again.
      else if (error instanceof TemporalFailure) report(true);
    },
  );
}

function readHeader({ [TRACE_HEADER]: payload }: Headers): string | undefined {
  if (!payload) return undefined;
  try {
    const text = defaultPayloadConverter.fromPayload<unknown>(payload);
    return typeof text === 'string' && TRACEPARENT.test(text) ? text : undefined;
  } catch {
    // Not ours to fail a workflow for.
    return undefined;
  }
}

function withHeader(headers: Headers, traceparent: string): Headers {
  return { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(traceparent) };
}

function traceOf(traceparent: string | undefined): string | undefined {
  return traceparent && TRACEPARENT.exec(traceparent)?.[1];
}

/** Made of the run's id, so that every process that replays the run gets the same, and without randomness. */
function spanOfRun(parent: string): string {
  const [, trace, flags] = TRACEPARENT.exec(parent)!;
  const span = workflowInfo().runId.replaceAll('-', '').slice(-16);
  return `00-${trace}-${span}-${flags}`;
}
