// From a validated transfer to its final answer, through a workflow. The order of steps is the
// safety: nothing is answered as failed while it can still happen, and whatever is answered was
// first committed under the idempotency key.

import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { findStoredAnswer, settleAttempt, type KeyScope } from '../../db/idempotency';
import { idempotencyToken, transferWorkflowId } from '../../domain/ids';
import { formatAmount } from '../../domain/money';
import {
  ACCEPT_WITHIN_MS,
  isFinal,
  type StoredAnswer,
  type TransferOutcome,
  type TransferRequest,
} from '../../domain/transfer';
import { sha256Hex } from '../../secrets/hash';
import { searchAttributes, type TransferResult } from '../../workflows/messages';
import { ApiError } from '../api-error';
import type { ApiDependencies } from '../context';
import { RETRY_AFTER_SECONDS, unavailable } from '../middleware/error-response';

/** An eagerly started workflow posts here; only a lost task makes it take longer than this. */
const LOCAL_ANSWER_MS = 1_000;
/** A lost workflow task is tried again after this; shorter would punish a busy worker. */
const WORKFLOW_TASK_TIMEOUT_MS = 5_000;
/** Longest we look after `accept_before`: a database that is away may be back by then. */
const SETTLE_MS = 2_500;
const SETTLE_PAUSE_MS = 200;

/** The stored answer, or what the ledger refused without storing it. */
export type Submission =
  | ({ readonly stored: true; readonly replayed: boolean } & StoredAnswer)
  | { readonly stored: false; readonly outcome: 'balance_limit' | 'self_transfer' };

export interface SubmitOptions {
  readonly request: TransferRequest;
  /** For operators' eyes in Temporal's UI. */
  readonly sender_username: string;
}

export async function submitTransfer(
  dependencies: ApiDependencies,
  options: SubmitOptions,
): Promise<Submission> {
  const { gate, waiters } = dependencies;
  const { request } = options;
  // Nothing is started behind a closed gate, so nothing can happen after this 503.
  if (!gate.isOpen()) throw unavailable();
  const deadline = Date.now() + ACCEPT_WITHIN_MS;
  const posted = waiters.expect(request.attempt);
  try {
    let started = await startInTurn(dependencies, options, posted, deadline);
    if (started === 'running') {
      const theirs = await attach(dependencies, request, deadline);
      if ('body' in theirs) return { stored: true, ...theirs, replayed: true };
      // Theirs ended without an answer for the key, and is over: it is our turn.
      started = await startInTurn(dependencies, options, posted, deadline);
      if (started === 'running') throw inProgress();
    }
    const outcome =
      typeof started === 'object'
        ? started
        : await laterOutcome(dependencies, request, posted, deadline);
    if (outcome) return fromOutcome(outcome);
    return await settle(dependencies, request, deadline);
  } finally {
    waiters.forget(request.attempt);
  }
}

/** The usual way, start to finish; whatever takes longer waits outside, to hold up nobody. */
async function startInTurn(
  dependencies: ApiDependencies,
  options: SubmitOptions,
  posted: Promise<TransferOutcome>,
  deadline: number,
): Promise<Started | TransferOutcome> {
  const { admission } = dependencies;
  if (!(await admission.enter(deadline))) throw unavailable();
  try {
    const started = await startTransfer(dependencies, options, deadline);
    if (started !== 'eager') return started;
    return (await within(LOCAL_ANSWER_MS, posted)) ?? started;
  } finally {
    admission.leave();
  }
}

type Started = 'eager' | 'remote' | 'running' | 'unknown';

/** Asks for the first workflow task together with the start: no hop through task matching. */
async function startTransfer(
  { temporal, gate, config, log }: ApiDependencies,
  { request, sender_username }: SubmitOptions,
  deadline: number,
): Promise<Started> {
  const { environment, currency, to_username, attempt } = request;
  const amount = `${formatAmount(BigInt(request.amount_minor))} ${currency}`;
  try {
    const starting = temporal.connection.withDeadline(deadline, () =>
      temporal.workflow.start<(request: TransferRequest) => Promise<TransferResult>>('transfer', {
        workflowId: workflowIdOf(request),
        taskQueue: config.task_queue,
        args: [request],
        requestEagerStart: true,
        // Postgres alone decides whether a key is spent: a lapsed attempt may be tried again.
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
        staticSummary: `${amount} · ${sender_username} → ${to_username}`,
        staticDetails: `**${amount}** from \`${sender_username}\` to \`${to_username}\` (${environment}), reference \`${attempt}\`, request \`${request.request_id}\``,
        typedSearchAttributes: [
          { key: searchAttributes.environment, value: environment },
          { key: searchAttributes.account, value: sender_username },
          { key: searchAttributes.counterparty, value: to_username },
          { key: searchAttributes.currency, value: currency },
          { key: searchAttributes.reference, value: attempt },
          { key: searchAttributes.state, value: 'accepted' },
        ],
      }),
    );
    // The connection applies a deadline to each try, and tries again for 10 s and more.
    const handle = await within(deadline - Date.now(), starting);
    if (!handle) throw new Error('Temporal did not answer the start in time');
    return handle.eagerlyStarted ? 'eager' : 'remote';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'running';
    // The start may have arrived all the same: only the database can tell, and only later.
    gate.reportFailure();
    log({
      log: 'error',
      at: new Date().toISOString(),
      request_id: request.request_id,
      unavailable: true,
      error: String(error),
    });
    return 'unknown';
  }
}

/** The posting's outcome by whichever way knows first; undefined when none does in time. */
async function laterOutcome(
  dependencies: ApiDependencies,
  request: TransferRequest,
  posted: Promise<TransferOutcome>,
  deadline: number,
): Promise<TransferOutcome | undefined> {
  // Temporal not knowing is no outcome: the posting may still be told to this process.
  const remote = remoteOutcome(dependencies, request, deadline).then((found) => found ?? posted);
  return within(deadline - Date.now(), Promise.race([posted, remote]));
}

/** Undefined when the time is over first. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
  });
  try {
    return await Promise.race([promise, elapsed]);
  } finally {
    clearTimeout(timer);
  }
}

async function remoteOutcome(
  dependencies: ApiDependencies,
  request: TransferRequest,
  deadline: number,
): Promise<TransferOutcome | undefined> {
  const result = await workflowResult(dependencies, request, deadline);
  if (!result) return undefined;
  const { outcome, reference } = result;
  if (!isFinal(outcome)) return { outcome };
  // Not an outcome either: a look-up that fails must end in the last look, not in "nothing changed".
  const stored = await findStoredAnswer(dependencies.db, scopeOf(request)).catch(() => undefined);
  return stored && { outcome, reference, replayed: reference !== request.attempt, ...stored };
}

async function workflowResult(
  { temporal, log }: ApiDependencies,
  request: TransferRequest,
  deadline: number,
): Promise<TransferResult | undefined> {
  const handle = temporal.workflow.getHandle(workflowIdOf(request));
  try {
    return await temporal.connection.withDeadline(
      deadline,
      () => handle.result() as Promise<TransferResult>,
    );
  } catch (error) {
    // Not an outcome: the deadline, or Temporal out of reach. The database is asked next.
    log({
      log: 'error',
      at: new Date().toISOString(),
      request_id: request.request_id,
      error: String(error),
    });
    return undefined;
  }
}

function fromOutcome(outcome: TransferOutcome): Submission {
  if ('body' in outcome) return { stored: true, ...outcome };
  if (outcome.outcome === 'lapsed') throw unavailable();
  return { stored: false, outcome: outcome.outcome };
}

/** Another request with this key is running: its outcome may be ours, when it comes in time. */
async function attach(
  dependencies: ApiDependencies,
  request: TransferRequest,
  deadline: number,
): Promise<TransferOutcome> {
  const outcome = await remoteOutcome(dependencies, request, deadline);
  if (!outcome) throw inProgress();
  return outcome;
}

function inProgress(): ApiError {
  return new ApiError('idempotency_in_progress', {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
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
      log({
        log: 'error',
        at: new Date().toISOString(),
        request_id: request.request_id,
        unavailable: true,
        error: String(error),
      });
    }
    await delay(SETTLE_PAUSE_MS);
  }
  throw unavailable(
    'The outcome is not known yet. Repeat the request with the same Idempotency-Key.',
  );
}

function scopeOf(request: TransferRequest): KeyScope {
  const { sender_id, environment, key } = request;
  return { account_id: sender_id, environment, operation: 'transfer', key };
}

function workflowIdOf({ environment, sender_id, key }: TransferRequest): string {
  return transferWorkflowId(environment, sender_id, idempotencyToken(key, sha256Hex));
}
