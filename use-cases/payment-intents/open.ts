// Starts an intent's workflow and waits for its checkout: in this process when it is opened here,
// by an update when it may be opened in another.

import type { Db } from '../../db/connect';
import { findStoredResponse } from '../../db/requests/orders';
import type { NewIntent } from '../../db/payment-intents/intents';
import type { IdempotencyScope, StoredResponse } from '../../domain/idempotency';
import type { CheckoutOutcome, IntentStep } from '../../domain/intent';
import { within } from '../../temporal/calls';
import { NO_RESPONSE } from '../../temporal/circuit-breaker';
import type { IntentRun } from '../../temporal/payment-intents';
import { Refusal } from '../../domain/refusal';
import type { OrderDependencies } from '../requests/dependencies';
import { orUnknown, unavailable } from '../requests/failures';

/** Longer than a gateway's own deadline, shorter than callers and proxies wait. */
export const OPEN_WITHIN_MS = 10_000;

export const MAY_BE_CREATED =
  'The payment intent may yet be created. Repeat with the same Idempotency-Key.';

export interface OpenOptions {
  readonly intent: NewIntent;
  readonly expires_at: string;
  /** The merchant's username, for operators who read Temporal's UI. */
  readonly username: string;
  readonly deadline: number;
}

type OpenDependencies = Pick<
  OrderDependencies,
  'db' | 'log' | 'breakers' | 'intent_workflows' | 'pending_checkouts'
>;

/**
 * The response stored for the intent's key, whichever request opened the checkout. `abandoned` when
 * the workflow that was opening it gave up: the caller's request may begin anew.
 */
export async function openIntent(
  dependencies: OpenDependencies,
  options: OpenOptions,
): Promise<StoredResponse | 'abandoned'> {
  const { pending_checkouts } = dependencies;
  const { intent, deadline } = options;
  const opened = pending_checkouts.expect(intent.id);
  try {
    const run = await start(dependencies, options);
    if (run === undefined) throw unavailable(MAY_BE_CREATED);
    const here = run === 'eager' ? await within(deadline - Date.now(), opened) : 'elsewhere';
    const outcome = here === 'elsewhere' ? await awaitElsewhere(dependencies, options) : here;
    if (typeof outcome === 'object' && 'body' in outcome) return outcome;
    // The stored response has the last word: it may be there although its message was lost.
    const stored = await findOpened(dependencies.db, intent);
    if (stored) return stored;
    if (!outcome || Date.now() >= deadline) throw new Refusal('gateway_timeout');
    if (outcome === 'abandoned') return outcome;
    throw gatewayFailure(outcome.fault);
  } finally {
    pending_checkouts.forget(intent.id);
  }
}

export function gatewayFailure(fault: NonNullable<IntentStep['fault']>): Refusal {
  if (fault === 'timeout') return new Refusal('gateway_timeout');
  return new Refusal(
    'gateway_error',
    fault === 'refused' ? { message: 'The payment gateway refused this payment.' } : {},
  );
}

async function start(
  { intent_workflows, breakers, log }: OpenDependencies,
  { intent, expires_at, username, deadline }: OpenOptions,
): Promise<IntentRun | undefined> {
  const breaker = breakers[intent.environment];
  try {
    const run = await intent_workflows.start({ ...intent, expires_at, username }, deadline);
    if (run === undefined) breaker.reportFailure(NO_RESPONSE);
    return run;
  } catch (error) {
    breaker.reportFailure(error);
    const { request_id } = intent;
    log({ part: 'intents', request_id, unavailable: true, error: String(error) });
    return undefined;
  }
}

/** Waits until the workflow has opened the checkout, has failed once more, or has given up. */
async function awaitElsewhere(
  { intent_workflows, log }: OpenDependencies,
  { intent, deadline }: OpenOptions,
): Promise<Extract<CheckoutOutcome, { fault: unknown }> | 'abandoned' | undefined> {
  try {
    const step = await intent_workflows.awaitCheckout(intent, deadline);
    if (step === 'not_running' || step?.status === 'abandoned') return 'abandoned';
    return step?.fault && { fault: step.fault };
  } catch (error) {
    // Temporal cannot be reached: the stored response decides.
    log({ part: 'intents', request_id: intent.request_id, error: String(error) });
    return undefined;
  }
}

/** The response that is stored for an intent whose checkout another request opens, or has opened. */
export function findOpened(db: Db, intent: NewIntent): Promise<StoredResponse | undefined> {
  return orUnknown(MAY_BE_CREATED, () => findStoredResponse(db, scopeOf(intent)));
}

function scopeOf(intent: NewIntent): IdempotencyScope {
  const { user_id, environment, idempotency_key: key } = intent;
  return { user_id, environment, operation: 'payment_intent', key };
}
