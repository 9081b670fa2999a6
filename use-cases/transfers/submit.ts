// Leads a validated transfer to its result, through a workflow. The order of the steps is the
// safety: no failure is returned while the transfer can still happen, and every other response was
// first committed under the idempotency key.

import { findKeyLimit } from '../../db/keys/daily-limits';
import { findStoredResponse } from '../../db/requests/orders';
import type { IdempotencyScope, StoredResponse } from '../../domain/idempotency';
import {
  ACCEPT_WITHIN_MS,
  isFinal,
  type TransferRequest,
  type TransferResult,
} from '../../domain/transfer';
import { within } from '../../temporal/calls';
import type { PendingTransfer, TransferRun } from '../../temporal/transfers';
import { limitExceeded } from '../requests/account-limit';
import type { OrderDependencies } from '../requests/dependencies';
import { inProgress, notBegun } from '../requests/failures';
import { keyLimitExceeded } from '../requests/key-limit';
import type { Answered, Order } from '../requests/orders';
import { resolveRequest } from '../requests/resolve-outcome';
import { refusalOf } from './refusals';

/** The longest start. A transfer that gets its slot later than this allows is not started. */
const START_WITHIN_MS = 1_000;

/**
 * `unasked`: nothing was written, and others are to be asked about it first.
 * @throws Refusal for an outcome that is not stored, and while the outcome is not known
 */
export async function submitTransfer(
  dependencies: OrderDependencies,
  request: TransferRequest,
  { has_own_key }: Pick<Order, 'has_own_key'>,
): Promise<Answered | 'unasked'> {
  const { breakers, local_transfers } = dependencies;
  // Nothing is started while the breaker is open.
  if (!breakers[request.environment].allowsRequests()) throw notBegun(has_own_key);
  const deadline = Date.now() + ACCEPT_WITHIN_MS;
  const posted = local_transfers.expect(request.reference);
  const transfer: PendingTransfer = { request, posted, deadline };
  try {
    let run = await start(dependencies, transfer, has_own_key);
    if (run.state === 'already_running') {
      // Another request with this key: its outcome may be ours, when it comes in time.
      const theirs = await resultFromTemporal(dependencies, transfer, run);
      if (!theirs) throw inProgress();
      if (theirs.response) return { response: theirs.response, is_replay: true };
      // It has finished and left no response for the key: now this request may try.
      run = await start(dependencies, transfer, has_own_key);
      if (run.state === 'already_running') throw inProgress();
    }
    const result = run.result ?? (await firstResult(dependencies, transfer, run));
    if (!result) return { response: await resolve(dependencies, transfer), is_replay: false };
    const { outcome, response, is_replay, over } = result;
    if (outcome === 'limit_exceeded') {
      const { limited_key, currency } = request;
      if (over) throw limitExceeded(over, currency);
      throw keyLimitExceeded(await findKeyLimit(dependencies.db, limited_key, currency));
    }
    if (outcome === 'unasked') return outcome;
    if (!response) throw refusalOf(outcome);
    return { response, is_replay };
  } finally {
    local_transfers.forget(request.reference);
  }
}

async function start(
  { transfer_workflows }: OrderDependencies,
  transfer: PendingTransfer,
  has_own_key: boolean,
): Promise<TransferRun> {
  const run = await transfer_workflows.start(transfer, transfer.deadline - START_WITHIN_MS);
  if (run === 'too_late') throw notBegun(has_own_key);
  if (run === 'too_many') throw notBegun(has_own_key, TOO_MANY);
  return run;
}

const TOO_MANY =
  'Too many transfers of this account are waiting to be carried out: send fewer at a time.';

/** The first result from this process or from Temporal; undefined when neither has one in time. */
async function firstResult(
  dependencies: OrderDependencies,
  transfer: PendingTransfer,
  run: TransferRun,
): Promise<TransferResult | undefined> {
  const { posted, deadline } = transfer;
  // When Temporal does not know, the posting may still happen in this process.
  const remote = resultFromTemporal(dependencies, transfer, run).then((found) => found ?? posted);
  return within(deadline - Date.now(), Promise.race([posted, remote]));
}

/** Temporal keeps the outcome, Postgres the response that goes with it. */
async function resultFromTemporal(
  { db, transfer_workflows }: OrderDependencies,
  transfer: PendingTransfer,
  run: TransferRun,
): Promise<TransferResult | undefined> {
  const result = await transfer_workflows.result(run, transfer);
  if (!result) return undefined;
  if (!isFinal(result.outcome)) {
    // A start that Temporal did not confirm may be yet to come: what is found under its ID is then
    // an earlier request's, and "it lapsed" says nothing about this one.
    return run.state === 'unknown' ? undefined : result;
  }
  // A look-up that fails must end in `resolve`, and not in "nothing was changed".
  const response = await findStoredResponse(db, scopeOf(transfer.request)).catch(() => undefined);
  return response && { ...result, response };
}

function resolve(
  dependencies: OrderDependencies,
  { request, deadline }: PendingTransfer,
): Promise<StoredResponse> {
  const { request_id, accept_before } = request;
  return resolveRequest(dependencies, {
    scope: scopeOf(request),
    request_id,
    accept_before,
    deadline,
  });
}

function scopeOf(request: TransferRequest): IdempotencyScope {
  const { sender_id: user_id, environment, key } = request;
  return { user_id, environment, operation: 'transfer', key };
}
