// Hands the trace of the caller that started a workflow, or sent it a message, to its activities,
// and reports the end of each run. No part of it is a command: a history is the same with it and
// without, but for the headers, which no replay compares. A workflow without a header, which all
// are without a collector, does nothing here.

import { TemporalFailure, type Headers } from '@temporalio/common';
import {
  ContinueAsNew,
  proxySinks,
  workflowInfo,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import { readTrace, spanIdOfRun, withTrace, type TraceSinks } from './messages';

export const interceptors: WorkflowInterceptorsFactory = () => {
  /** Activities get it: the run's own span, or the message that came last from another trace. */
  let current: string | undefined;

  const keep = (headers: Headers): void => {
    const given = readTrace(headers);
    if (given !== undefined && traceOf(given) !== traceOf(current)) current = given;
  };
  const add = <Input extends { readonly headers: Headers }>(input: Input): Input =>
    withTrace(input, current);

  return {
    inbound: [
      {
        execute(input, next) {
          const parent = readTrace(input.headers);
          if (parent === undefined) return next(input);
          // The run's own span, which every process that replays the run names alike.
          const own = spanIdOfRun(workflowInfo().runId);
          current = parent.slice(0, SPAN_AT) + own + parent.slice(SPAN_AT + own.length);
          const result = next(input);
          reportEnd(result, parent);
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

/** The place of the span's id in a `traceparent`: behind the version and the id of the trace. */
const SPAN_AT = '00-'.length + 32 + '-'.length;

function traceOf(traceparent: string | undefined): string | undefined {
  return traceparent?.slice(0, SPAN_AT);
}

/** Reports beside the result, which takes not a turn longer for it: the order of commands stays. */
function reportEnd(result: Promise<unknown>, parent: string): void {
  const { traces } = proxySinks<TraceSinks>();
  const report = (failed: boolean): void => traces.ended({ parent, failed });
  result.then(
    () => report(false),
    (error: unknown) => {
      if (error instanceof ContinueAsNew) report(false);
      // Any other error fails the workflow task, which is tried again.
      else if (error instanceof TemporalFailure) report(true);
    },
  );
}
