// From a validated transfer to its final answer, through a workflow. The order of steps is the
// safety: nothing is answered as failed while it can still happen, and whatever is answered was
// first committed under the idempotency key.

import { setTimeout as delay } from 'node:timers/promises';
import { findStoredResponse, settleAttempt } from '../../db/idempotency';
import type { IdempotencyScope } from '../../domain/idempotency';
import {
  ACCEPT_WITHIN_MS,
  isFinal,
  type TransferOutcome,
  type TransferRequest,
} from '../../domain/transfer';
import type { StoredResponse } from '../../domain/idempotency';
import type { TransferResult } from '../../workflows/messages';
import { ApiError } from '../api-error';
import type { ApiDependencies } from '../context';
import { inProgress, unavailable } from '../middleware/error-response';
import type { StartOptions, TransferRun } from '../../temporal/transfers';
import { within } from '../../temporal/ask';

/** What a start may take. A transfer whose turn comes later than this allows is not started. */
const START_WITHIN_MS = 1_000;
/** Longest we look after `accept_before`: a database that is away may be back by then. */
const SETTLE_MS = 2_500;
const SETTLE_PAUSE_MS = 200;

/** The stored answer, or what the ledger refused without storing it. */
export type Submission =
  | ({ readonly stored: true; readonly replayed: boolean } & StoredResponse)
  | { readonly stored: false; readonly outcome: 'balance_limit' | 'self_transfer' };

export async function submitTransfer(
  dependencies: ApiDependencies,
  { request, sender_username }: Pick<StartOptions, 'request' | 'sender_username'>,
): Promise<Submission> {
  const { gate, waiters, starters } = dependencies;
  // Nothing is started behind a closed gate, so nothing can happen after this 503.
  if (!gate.isOpen()) throw unavailable();
  const deadline = Date.now() + ACCEPT_WITHIN_MS;
  const posted = waiters.expect(request.attempt);
  const start = async (): Promise<TransferRun | TransferOutcome> => {
    const options = { request, sender_username, posted, deadline };
    const latest = deadline - START_WITHIN_MS;
    const started = await starters[request.environment].submit(options, latest);
    if (!started) throw unavailable();
    return started;
  };
  try {
    let started = await start();
    if (isRunning(started)) {
      // Another request with this key: its outcome may be ours, when it comes in time.
      const theirs = await remoteOutcome(dependencies, request, started, deadline);
      if (!theirs) throw inProgress();
      if ('body' in theirs) return { stored: true, ...theirs, replayed: true };
      // Theirs ended without an answer for the key, and is over: it is our turn.
      started = await start();
      if (isRunning(started)) throw inProgress();
    }
    const outcome =
      'outcome' in started
        ? started
        : await laterOutcome(dependencies, request, started, posted, deadline);
    if (outcome) return fromOutcome(outcome);
    return await settle(dependencies, request, deadline);
  } finally {
    waiters.forget(request.attempt);
  }
}

function isRunning(started: TransferRun | TransferOutcome): started is TransferRun {
  return 'state' in started && started.state === 'running';
}

/** The posting's outcome by whichever way knows first; undefined when none does in time. */
async function laterOutcome(
  dependencies: ApiDependencies,
  request: TransferRequest,
  run: TransferRun,
  posted: Promise<TransferOutcome>,
  deadline: number,
): Promise<TransferOutcome | undefined> {
  // Temporal not knowing is no outcome: the posting may still be told to this process.
  const remote = remoteOutcome(dependencies, request, run, deadline).then(
    (found) => found ?? posted,
  );
  return within(deadline - Date.now(), Promise.race([posted, remote]));
}

async function remoteOutcome(
  dependencies: ApiDependencies,
  request: TransferRequest,
  run: TransferRun,
  deadline: number,
): Promise<TransferOutcome | undefined> {
  const result = await workflowResult(dependencies, request, run, deadline);
  if (!result) return undefined;
  const { outcome, reference } = result;
  if (!isFinal(outcome)) return { outcome };
  // Not an outcome either: a look-up that fails must end in the last look, not in "nothing changed".
  const stored = await findStoredResponse(dependencies.db, scopeOf(request)).catch(() => undefined);
  return stored && { outcome, reference, replayed: reference !== request.attempt, ...stored };
}

async function workflowResult(
  { temporal, log }: ApiDependencies,
  { request_id }: TransferRequest,
  { workflow_id, position }: TransferRun,
  deadline: number,
): Promise<TransferResult | undefined> {
  const handle = temporal.workflow.getHandle(workflow_id);
  try {
    const result = await temporal.connection.withDeadline(
      deadline,
      () => handle.result() as Promise<TransferResult | readonly TransferResult[]>,
    );
    return [result].flat()[position];
  } catch (error) {
    // Not an outcome: the deadline, or Temporal out of reach. The database is asked next.
    log({ request_id, error: String(error) });
    return undefined;
  }
}

function fromOutcome(outcome: TransferOutcome): Submission {
  if ('body' in outcome) return { stored: true, ...outcome };
  if (outcome.outcome === 'lapsed') throw unavailable();
  if (outcome.outcome === 'not_posted') throw new ApiError('internal_error');
  return { stored: false, outcome: outcome.outcome };
}

/**
 * The last look: past `accept_before` nothing of this attempt is written any more, and the look
 * waits for a posting that is being committed. Only then is "it did not happen" true.
 */
async function settle(
  { db, log }: ApiDependencies,
  request: TransferRequest,
  deadline: number,
): Promise<Submission> {
  await delay(Math.max(0, deadline - Date.now()));
  while (Date.now() < deadline + SETTLE_MS) {
    try {
      const looking = settleAttempt(db, scopeOf(request), request.accept_before);
      const settlement = await within(deadline + SETTLE_MS - Date.now(), looking);
      if (!settlement) break;
      if (settlement.state === 'answered') return { stored: true, replayed: false, ...settlement };
      if (settlement.state === 'lapsed') throw unavailable();
    } catch (error) {
      if (error instanceof ApiError) throw error;
      log({ request_id: request.request_id, unavailable: true, error: String(error) });
    }
    await delay(SETTLE_PAUSE_MS);
  }
  throw unavailable(
    'The outcome is not known yet. Repeat the request with the same Idempotency-Key.',
  );
}

function scopeOf(request: TransferRequest): IdempotencyScope {
  const { sender_id, environment, key } = request;
  return { user_id: sender_id, environment, operation: 'transfer', key };
}
