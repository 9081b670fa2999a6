// Saved histories replayed with the workflow code of today: a change that breaks running workflows
// fails here and needs `patched()`, not a new history.

import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { TRACED_WORKER } from '../../temporal/tracing';
import { TRACE_HEADER } from '../../workflows/messages';
import { readStack } from '../support/stack';
import { readHistory, SAVED } from './saved-histories';

// Each replay is a worker, which would log its start, its end and the mismatch that a test causes.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'error' } },
});

const {
  EVENT_TYPE_TIMER_STARTED: TIMER_STARTED,
  EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW: CONTINUED_AS_NEW,
} = temporal.api.enums.v1.EventType;

type History = ReturnType<typeof readHistory>;

function replay(history: History): Promise<void> {
  const { workflow_bundle } = readStack();
  const { sinks = {} } = TRACED_WORKER;
  return Worker.runReplayHistory({ workflowBundle: { codePath: workflow_bundle }, sinks }, history);
}

/** Adds the traces of every process that started, signalled or asked the workflow. */
function traced(history: History): History {
  let n = 0;
  const header = () => {
    n += 1;
    const trace = n.toString(16).padStart(32, '0');
    const traceparent = defaultPayloadConverter.toPayload(`00-${trace}-00f067aa0ba902b7-01`);
    return { fields: { [TRACE_HEADER]: traceparent } };
  };
  for (const event of history.events) {
    const { workflowExecutionStartedEventAttributes: started } = event;
    const { workflowExecutionSignaledEventAttributes: signaled } = event;
    const { workflowExecutionUpdateAcceptedEventAttributes: accepted } = event;
    if (started) started.header = header();
    if (signaled) signaled.header = header();
    if (accepted?.acceptedRequest?.input) accepted.acceptedRequest.input.header = header();
  }
  expect(n).toBeGreaterThan(0);
  return history;
}

describe('a saved history', () => {
  it.each(SAVED)('replays: %s', async (name) => {
    const history = readHistory(name);
    expect(history.events.length).toBeGreaterThan(5);
    await replay(history);
  });

  it.each(SAVED)('replays as if it had been traced: %s', async (name) => {
    await replay(traced(readHistory(name)));
  });

  it.each([
    'identity-check-approved',
    'late-notification',
    'mail-sent-late',
    'payment-intent-abandoned',
    'payment-intent-canceled',
    'payment-intent-continued',
    'payment-intent-continued-again',
    'payment-intent-declined-then-paid',
    'payment-intent-early',
    'payment-intent-expired',
    'payment-intent-expired-late',
    'payment-intent-failed',
    'payment-intent-notified-twice',
    'payment-intent-opened-late-502',
    'payment-intent-opened-late-504',
    'payment-intent-pending-then-failed',
    'payment-intent-pending-then-paid',
    'payment-intent-processing-succeeded',
    'payment-intent-refused',
    'payment-intent-renewed',
    'payment-intent-restarted',
    'payment-intent-succeeded',
    'payout-batch',
    'pursue-after-people',
    'pursue-payment-attempt',
    'pursue-payout',
    'pursue-refund',
    'pursue-suspense-refund',
    'reversal-completed',
    'sweep-notifications',
    'transfer-batch',
    'transfers-batch',
    'transfers-completed',
    'transfers-insufficient-funds',
    'transfers-lapsed',
    'transfers-recipient-not-found',
    'transfers-retried-after',
    'transfers-retried-before',
  ])('is kept of %s', (name) => {
    expect(SAVED).toContain(name);
  });

  it('of a pursuit goes on in a new run for the same row when Temporal suggests it', async () => {
    const history = readHistory('pursue-refund');
    const { events } = history;
    // In place of the pause, and of all that came after it.
    const at = events.findIndex((event) => event.timerStartedEventAttributes);
    const [task, paused] = [events[at - 2]!, events[at]!];
    task.workflowTaskStartedEventAttributes!.suggestContinueAsNew = true;
    const { workflowTaskCompletedEventId = null } = paused.timerStartedEventAttributes!;
    delete paused.timerStartedEventAttributes;
    paused.eventType = CONTINUED_AS_NEW;
    paused.workflowExecutionContinuedAsNewEventAttributes = { workflowTaskCompletedEventId };
    events.length = at + 1;
    await replay(history);
    task.workflowTaskStartedEventAttributes!.suggestContinueAsNew = false;
    await expect(replay(history)).rejects.toThrow(/[Nn]ondeterminism/);
  });

  it('does not replay when the workflow would do something else', async () => {
    const history = readHistory('transfers-completed');
    // The history has a timer where our code sets a search attribute.
    const upsert = history.events.find(
      (event) => event.upsertWorkflowSearchAttributesEventAttributes,
    )!;
    const { workflowTaskCompletedEventId = null } =
      upsert.upsertWorkflowSearchAttributesEventAttributes!;
    delete upsert.upsertWorkflowSearchAttributesEventAttributes;
    upsert.eventType = TIMER_STARTED;
    upsert.timerStartedEventAttributes = { timerId: '1', workflowTaskCompletedEventId };
    await expect(replay(history)).rejects.toThrow(/[Nn]ondeterminism/);
  });
});
