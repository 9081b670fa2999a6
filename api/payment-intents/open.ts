// Starts an intent's workflow and waits for its checkout: in this process when the workflow runs
// here, by an update when it runs elsewhere.

import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type WorkflowHandle,
} from '@temporalio/client';
import type { IntentStep, OpeningOutcome } from '../../activities/payment-intents';
import { findStoredResponse } from '../../db/idempotency';
import type { IdempotencyScope } from '../../domain/idempotency';
import type { Db } from '../../db/connect';
import type { CreatedIntent, NewIntent } from '../../db/intents';
import type { StoredResponse } from '../../domain/idempotency';
import { awaitOpening } from '../../workflows/messages';
import { ApiError } from '../api-error';
import type { ApiDependencies } from '../context';
import { orUnknown, unavailable } from '../middleware/error-response';
import { within } from '../../temporal/ask';
import { intentWorkflow, type PaymentIntentWorkflow } from '../../temporal/payment-intents';

/** Longer than a gateway's own deadline, shorter than what callers and proxies wait for. */
export const OPEN_WITHIN_MS = 10_000;

const MAY_BE_CREATED =
  'The payment intent may yet be created. Repeat with the same Idempotency-Key.';

export interface OpenOptions {
  readonly intent: NewIntent;
  /** Its row. */
  readonly created: CreatedIntent;
  /** For operators' eyes in Temporal's UI. */
  readonly username: string;
  readonly deadline: number;
}

/**
 * The answer kept for the intent's key, whoever opened the checkout. `given_up` when the opening that
 * was under way ended without one: it is the caller's turn to begin anew.
 */
export async function openIntent(
  dependencies: ApiDependencies,
  options: OpenOptions,
): Promise<StoredResponse | 'given_up'> {
  const { openings, gate, just_created } = dependencies;
  const { intent, created, deadline } = options;
  const opened = openings.expect(intent.id);
  // Of a row that was there before, a workflow may be changing the state.
  if (created.is_new) just_created.set(intent.id, created);
  try {
    const started = await startIntent(dependencies, options);
    if (!started) {
      gate.reportFailure();
      throw unavailable(MAY_BE_CREATED);
    }
    const heard = started.is_eager
      ? await within(deadline - Date.now(), opened)
      : await hearElsewhere(dependencies, options, started.handle);
    if (typeof heard === 'object' && 'body' in heard) return heard;
    // What is kept for the key has the last word: it may be there, and the word of it lost.
    const stored = await findOpened(dependencies.db, intent);
    if (stored) return stored;
    if (!heard || Date.now() >= deadline) throw new ApiError('gateway_timeout');
    if (heard === 'given_up') return heard;
    throw gatewayFault(heard.fault);
  } finally {
    openings.forget(intent.id);
    just_created.delete(intent.id);
  }
}

export function gatewayFault(fault: NonNullable<IntentStep['fault']>): ApiError {
  if (fault === 'timeout') return new ApiError('gateway_timeout');
  return new ApiError(
    'gateway_error',
    fault === 'refused' ? { message: 'The payment gateway refused this payment.' } : {},
  );
}

interface Started {
  readonly handle: WorkflowHandle;
  readonly is_eager: boolean;
}

/** Undefined when Temporal did not say in time. */
async function startIntent(
  { temporal, config, log }: ApiDependencies,
  { intent, created: { expires_at }, username, deadline }: OpenOptions,
): Promise<Started | undefined> {
  const options = intentWorkflow({ ...intent, expires_at, username }, config.task_queue);
  try {
    const starting = temporal.connection.withDeadline(deadline, () =>
      temporal.workflow.start<PaymentIntentWorkflow>('paymentIntent', {
        ...options,
        requestEagerStart: true,
      }),
    );
    const handle = await within(deadline - Date.now(), starting);
    return handle && { handle, is_eager: handle.eagerlyStarted };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      return { handle: temporal.workflow.getHandle(options.workflowId), is_eager: false };
    }
    log({
      part: 'intents',
      request_id: intent.request_id,
      unavailable: true,
      error: String(error),
    });
    return undefined;
  }
}

/** Waits until the workflow has opened the checkout, has failed to once more, or has given up. */
async function hearElsewhere(
  { temporal, log }: ApiDependencies,
  { intent, deadline }: OpenOptions,
  handle: WorkflowHandle,
): Promise<OpeningOutcome | 'given_up' | undefined> {
  try {
    const asking = temporal.connection.withDeadline(deadline, () =>
      handle.executeUpdate(awaitOpening),
    );
    const step = await within(deadline - Date.now(), asking);
    if (step?.status === 'abandoned') return 'given_up';
    return step?.fault && { fault: step.fault };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'given_up';
    // Out of reach: what is kept for the key tells.
    log({ part: 'intents', request_id: intent.request_id, error: String(error) });
    return undefined;
  }
}

/** What is kept for the key of an intent that somebody is opening, or has opened. */
export function findOpened(db: Db, intent: NewIntent): Promise<StoredResponse | undefined> {
  return orUnknown(MAY_BE_CREATED, () => findStoredResponse(db, scopeOf(intent)));
}

function scopeOf(intent: NewIntent): IdempotencyScope {
  const { user_id, environment, idempotency_key: key } = intent;
  return { user_id, environment, operation: 'payment_intent', key };
}
