// Checks what an intent's workflow is started with: a person may have started it by hand, and a
// malformed value would make each of its tasks fail, and Temporal repeat them without end.

import { ApplicationFailure } from '@temporalio/workflow';
import type { IntentStart } from './messages';

/** The type of the failure, as Temporal's UI shows it. */
const MALFORMED = 'malformed_start';
/**
 * The first task of a run has fewer: a run that ended there would be followed by the next without
 * end.
 */
const SHORTEST_RUN_EVENTS = 10;

/** The id is not looked at: each activity that takes it asks for its row. */
export function requireIntentStart(start: unknown): asserts start is IntentStart {
  const { expires_at, give_up_after_ms, continue_after_events, carried } = fieldsOf(start);
  const { notifications, give_up_at } = fieldsOf(carried);
  const is_well_formed =
    isTime(expires_at) &&
    isAbsent(Number.isFinite)(give_up_after_ms) &&
    isAbsent(isRunLength)(continue_after_events) &&
    isAbsent(isTime)(give_up_at) &&
    (carried === undefined || isTexts(notifications));
  if (!is_well_formed) {
    throw ApplicationFailure.nonRetryable('this is no payment intent', MALFORMED);
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Record<string, unknown>;
}

function isAbsent(is: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || is(value);
}

function isRunLength(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) >= SHORTEST_RUN_EVENTS;
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && Number.isFinite(Date.parse(value));
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
