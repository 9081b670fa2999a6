// Carries traces through Temporal: a start, a signal or an update takes the caller's `traceparent`
// along in a header, workflows hand it to their activities (workflows/tracing.ts), and each
// activity goes on in that trace. Spans have the names that Temporal's own interceptors give them.

import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory, InjectedSinks, WorkerOptions } from '@temporalio/worker';
import { contextOf, failSpan, inSpan, recordSpan, SpanKind, traceparent } from '../telemetry/spans';
import { readTrace, spanIdOfRun, withTrace, type TraceSinks } from '../workflows/messages';

const CLIENT = { kind: SpanKind.CLIENT, attributes: { 'rpc.system.name': 'temporal' } };

function called<Input extends { readonly headers: Headers }, Result>(
  name: string,
  input: Input,
  next: (input: Input) => Promise<Result>,
): Promise<Result> {
  return inSpan(name, CLIENT, () => next(withTrace(input, traceparent())));
}

/** The interceptor for the client of a process. */
export const TRACED_CALLS: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => called(`StartWorkflow:${input.workflowType}`, input, next),
  signalWithStart: (input, next) =>
    called(`SignalWithStartWorkflow:${input.workflowType}`, input, next),
  signal: (input, next) => called(`SignalWorkflow:${input.signalName}`, input, next),
  startUpdate: (input, next) => called(`UpdateWorkflow:${input.updateName}`, input, next),
};

/** A workflow that no traced request has started begins a trace with each activity. */
const tracedActivity: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      const attributes = {
        'temporal.workflow.type': info.workflowType ?? '',
        'temporal.run.id': info.workflowExecution?.runId ?? '',
        'temporal.attempt': info.attempt,
      };
      const run = (): Promise<unknown> => next(input);
      const parent = contextOf(readTrace(input.headers));
      return inSpan(`RunActivity:${info.activityType}`, { attributes }, run, parent);
    },
  },
});

const sinks: InjectedSinks<TraceSinks> = {
  traces: {
    ended: {
      callDuringReplay: false,
      fn({ workflowType, runId, runStartTime: startTime }, { parent, failed }) {
        const attributes = { 'temporal.run.id': runId };
        const options = { startTime, attributes };
        const span = recordSpan(`RunWorkflow:${workflowType}`, spanIdOfRun(runId), parent, options);
        if (failed) failSpan(span, 'workflow_failed');
        span.end();
      },
    },
  },
};

/**
 * The interceptors of a process's workers. One without a collector goes on with workflows of one
 * that has it.
 */
export const TRACED_WORKER: Pick<WorkerOptions, 'interceptors' | 'sinks'> = {
  interceptors: { activity: [tracedActivity] },
  sinks,
};
