// Saved histories replayed with the workflow code of today: a change that breaks running workflows
// fails here and needs `patched()`, not a new history.

import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { TRACED_WORKER } from '../../temporal/tracing';
import { TRACE_HEADER } from '../../workflows/messages';
import { readStack } from '../support/stack';
import { readHistory, SAVED } from './saved-histories';

// Each replaying worker would log its start, its end and the mismatch that a test causes.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'error' } },
});

const {
  EVENT_TYPE_TIMER_STARTED: TIMER_STARTED,
  EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW: CONTINUED_AS_NEW,
} = temporal.api.enums.v1.EventType;

type History = ReturnType<typeof readHistory>;

const replayed = new Map<string, unknown>();

/** One worker replays all of them; a history that does not fit leaves its error. */
beforeAll(async () => {
  const { workflow_bundle } = readStack();
  const { sinks = {} } = TRACED_WORKER;
  const options = { workflowBundle: { codePath: workflow_bundle }, sinks };
  const histories = Object.entries(HISTORIES).map(([workflowId, make]) => {
    return { workflowId, history: make() };
  });
  for await (const { workflowId, error } of Worker.runReplayHistories(options, histories)) {
    replayed.set(workflowId, error);
  }
});

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

/** It goes on in a new run in place of its pause, and of all that came after that. */
function continued(suggestContinueAsNew: boolean): History {
  const history = readHistory('pursue-refund');
  const { events } = history;
  const at = events.findIndex((event) => event.timerStartedEventAttributes);
  const [task, paused] = [events[at - 2]!, events[at]!];
  task.workflowTaskStartedEventAttributes!.suggestContinueAsNew = suggestContinueAsNew;
  const { workflowTaskCompletedEventId = null } = paused.timerStartedEventAttributes!;
  delete paused.timerStartedEventAttributes;
  paused.eventType = CONTINUED_AS_NEW;
  paused.workflowExecutionContinuedAsNewEventAttributes = { workflowTaskCompletedEventId };
  events.length = at + 1;
  return history;
}

/** It has a timer where our code sets a search attribute. */
function withTimer(): History {
  const history = readHistory('transfers-completed');
  const upsert = history.events.find(
    (event) => event.upsertWorkflowSearchAttributesEventAttributes,
  )!;
  const { workflowTaskCompletedEventId = null } =
    upsert.upsertWorkflowSearchAttributesEventAttributes!;
  delete upsert.upsertWorkflowSearchAttributesEventAttributes;
  upsert.eventType = TIMER_STARTED;
  upsert.timerStartedEventAttributes = { timerId: '1', workflowTaskCompletedEventId };
  return history;
}

const HISTORIES: Readonly<Record<string, () => History>> = {
  ...Object.fromEntries(SAVED.map((name) => [name, () => readHistory(name)])),
  ...Object.fromEntries(SAVED.map((name) => [`traced ${name}`, () => traced(readHistory(name))])),
  continued: () => continued(true),
  'continued too early': () => continued(false),
  'with a timer': withTimer,
};

/** One of each way through a workflow. */
const KEPT = [
  'identity-check-approved',
  'late-notification',
  'mail-sent-late',
  'payment-intent-abandoned',
  'payment-intent-canceled',
  'payment-intent-continued-again',
  'payment-intent-declined-then-paid',
  'payment-intent-early',
  'payment-intent-expired-late',
  'payment-intent-notified-twice',
  'payment-intent-opened-late-504',
  'payment-intent-refused',
  'payment-intent-renewed',
  'payout-batch',
  'pursue-after-people',
  'pursue-refund',
  'reversal-completed',
  'sweep-notifications',
  'transfer-batch',
  'transfers-completed',
];

describe('a saved history', () => {
  it.each(KEPT)('replays: %s', (name) => {
    expect(readHistory(name).events.length).toBeGreaterThan(5);
    expect(replayed.has(name)).toBe(true);
    expect(replayed.get(name)).toBeUndefined();
  });

  it.each(SAVED)('replays as if it had been traced: %s', (name) => {
    expect(replayed.has(`traced ${name}`)).toBe(true);
    expect(replayed.get(`traced ${name}`)).toBeUndefined();
  });

  it('is listed', () => {
    expect([...SAVED].sort()).toEqual(KEPT);
  });

  it('of a pursuit goes on in a new run for the same row when Temporal suggests it', () => {
    expect(replayed.has('continued')).toBe(true);
    expect(replayed.get('continued')).toBeUndefined();
    expect(String(replayed.get('continued too early'))).toMatch(/[Nn]ondeterminism/);
  });

  it('does not replay when the workflow would do something else', () => {
    expect(String(replayed.get('with a timer'))).toMatch(/[Nn]ondeterminism/);
  });
});
