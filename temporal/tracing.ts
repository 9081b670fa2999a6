// Carries traces through Temporal: a start, a signal or an update takes the caller's `traceparent` along in a
// header, workflows hand it to their activities (workflows/tracing.ts), and each activity goes on in that trace.
// Spans have the names that Temporal's own interceptors give them.

import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type {
  ActivityInterceptorsFactory,
  InjectedSinks,
  WorkerInterceptors,
} from '@temporalio/worker';
import type { SpanOf, Tracing } from '../telemetry/trace';
import { TRACE_HEADER, type TraceSinks } from '../workflows/messages';

/** For the workers of a process. */
export interface WorkerTracing {
  readonly interceptors: WorkerInterceptors;
  readonly sinks: InjectedSinks<TraceSinks>;
}

/** A process without tracing takes workflows over from one with it. */
export function traceWorkers(tracing: Tracing | undefined): WorkerTracing {
  return {
    interceptors: tracing ? { activity: [traceActivities(tracing)] } : {},
    sinks: {
      traces: {
        ended: {
          callDuringReplay: false,
          fn({ workflowType, runId, runStartTime }, span) {
            tracing?.record({
              ...span,
              name: `RunWorkflow:${workflowType}`,
              started: runStartTime.getTime(),
              attributes: { 'temporal.run.id': runId },
            });
          },
        },
      },
    },
  };
}

const CLIENT = { kind: 'client', attributes: { 'rpc.system.name': 'temporal' } } as const;

export function traceCalls(tracing: Tracing): WorkflowClientInterceptor {
  const called = <Input extends { readonly headers: Headers }, Result>(
    name: string,
    input: Input,
    next: (input: Input) => Promise<Result>,
  ): Promise<Result> =>
    tracing.span({ ...CLIENT, name }, () => {
      const header = defaultPayloadConverter.toPayload(tracing.current());
      return next({ ...input, headers: { ...input.headers, [TRACE_HEADER]: header } });
    });
  return {
    startWithDetails: (input, next) => called(`StartWorkflow:${input.workflowType}`, input, next),
    signalWithStart: (input, next) =>
      called(`SignalWithStartWorkflow:${input.workflowType}`, input, next),
    signal: (input, next) => called(`SignalWorkflow:${input.signalName}`, input, next),
    startUpdate: (input, next) => called(`UpdateWorkflow:${input.updateName}`, input, next),
  };
}

function traceActivities(tracing: Tracing): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      execute(input, next) {
        const of: SpanOf = {
          name: `RunActivity:${info.activityType}`,
          kind: 'internal',
          parent: readHeader(input.headers) ?? NONE,
          attributes: {
            'temporal.workflow.type': info.workflowType ?? '',
            'temporal.run.id': info.workflowExecution?.runId ?? '',
            'temporal.attempt': info.attempt,
          },
        };
        return tracing.span(of, () => next(input));
      },
    },
  });
}

/** Its workflow was started by a process without tracing, or by nobody's request: a trace of its own. */
const NONE = '';

/** Whoever can start workflows can write anything into it: what is no text is no header. */
function readHeader({ [TRACE_HEADER]: payload }: Headers): string | undefined {
  if (!payload) return undefined;
  try {
    const text = defaultPayloadConverter.fromPayload<unknown>(payload);
    return typeof text === 'string' ? text : undefined;
  } catch {
    // Of an encoding that we do not know. A trace is no reason to fail an activity.
    return undefined;
  }
}
