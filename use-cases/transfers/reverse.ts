// Gives a received transfer back, whole or in parts: for a caller with an API key, or a person who
// is signed in. As with a transfer, no failure is returned while the reversal can still happen, and
// every other response was first committed under the idempotency key.

import { findStoredResponse } from '../../db/requests/orders';
import type { TransferView } from '../../db/transfers/transfers';
import type { IdempotencyScope, StoredResponse } from '../../domain/idempotency';
import { formatAmount, MAX_MINOR } from '../../domain/money';
import { isStoredReversal, type ReversalRequest, type ReversalResult } from '../../domain/reversal';
import { ACCEPT_WITHIN_MS, CARRY_OUT_WITHIN_MS } from '../../domain/transfer';
import { makeReversalReference } from '../../secrets/random';
import { limitExceeded } from '../requests/account-limit';
import { readAmount } from '../requests/amounts';
import { Refusal } from '../../domain/refusal';
import type { OrderDependencies } from '../requests/dependencies';
import { inProgress, notBegun, nothingChanged } from '../requests/failures';
import {
  answerOnce,
  keyedRow,
  type Answered,
  type NamedOrder,
  type OrderResponse,
} from '../requests/orders';
import { resolveRequest } from '../requests/resolve-outcome';

export interface ReversalOrder extends NamedOrder {
  /** One of the caller's own. */
  readonly transfer: Pick<TransferView, 'reference' | 'currency' | 'direction'>;
  /** The amount as it was written, a plain decimal; undefined: what is left. */
  readonly amount_text: string | undefined;
  readonly reason: string | null;
}

/** The response that is stored for the key. @throws Refusal */
export async function reverseTransfer(
  dependencies: OrderDependencies,
  order: ReversalOrder,
): Promise<OrderResponse> {
  const request = readReversal(order);
  return answerOnce(order, request, () => post(dependencies, request, order));
}

async function post(
  dependencies: OrderDependencies,
  request: ReversalRequest,
  { has_own_key }: ReversalOrder,
): Promise<Answered> {
  const { breakers, reversal_workflows } = dependencies;
  if (!breakers[request.environment].allowsRequests()) throw notBegun(has_own_key);
  const deadline = Date.now() + ACCEPT_WITHIN_MS;
  const result = await reversal_workflows.post(request, deadline);
  if (result === 'already_running') {
    const theirs = await findStored(dependencies, request);
    // Without a stored response a repetition of this request may try.
    if (!theirs) throw inProgress();
    return { response: theirs, is_replay: true };
  }
  if (result && !isStoredReversal(result.outcome)) throw refusalOf(result, request);
  const response =
    (result && (await findStored(dependencies, request))) ??
    (await resolveRequest(dependencies, {
      scope: scopeOf(request),
      request_id: request.request_id,
      accept_before: request.accept_before,
      deadline,
    }));
  // A reversal's names its reference, a refusal the request that got it first.
  const own = response.status === 201 ? request.reference : request.request_id;
  return { response, is_replay: !response.body.includes(own) };
}

function readReversal(order: ReversalOrder): ReversalRequest {
  const { caller, transfer, amount_text, reason, key, request_id } = order;
  if (transfer.direction !== 'in') {
    throw new Refusal('forbidden', {
      message: 'Only the recipient of a transfer can reverse it. Ask them to.',
    });
  }
  const { user_id, username, environment } = caller;
  const { reference: transfer_reference, currency } = transfer;
  const amount_minor =
    amount_text === undefined ? null : readAmount(amount_text, currency, MAX_MINOR).toString();
  const { fingerprint, accept_before } = keyedRow(
    'reversal',
    order,
    {
      transfer: transfer_reference,
      amount: String(amount_minor),
      reason: JSON.stringify(reason),
    },
    CARRY_OUT_WITHIN_MS,
  );
  return {
    reference: makeReversalReference(),
    environment,
    user_id,
    username,
    transfer_reference,
    currency,
    amount_minor,
    reason,
    key,
    request_id,
    fingerprint,
    accept_before,
  };
}

/**
 * Temporal keeps the outcome, Postgres the response. A look-up that fails ends in `resolveRequest`.
 */
function findStored(
  { db }: OrderDependencies,
  request: ReversalRequest,
): Promise<StoredResponse | undefined> {
  return findStoredResponse(db, scopeOf(request)).catch(() => undefined);
}

function scopeOf({ user_id, environment, key }: ReversalRequest): IdempotencyScope {
  return { user_id, environment, operation: 'reversal', key };
}

function refusalOf(
  { outcome, left_minor }: ReversalResult,
  { currency }: ReversalRequest,
): Refusal {
  switch (outcome) {
    case 'lapsed':
      return nothingChanged();
    case 'transfer_not_found':
    case 'account_frozen':
    case 'kyc_required':
      return new Refusal(outcome);
    case 'limit_exceeded':
      return limitExceeded({ limit_name: 'recipient' }, currency);
    case 'reversal_exceeds_transfer': {
      const left = BigInt(left_minor ?? '0');
      return new Refusal(outcome, {
        param: 'amount',
        message:
          left === 0n
            ? 'Nothing of this transfer is left to reverse.'
            : `At most ${formatAmount(left)} ${currency} of this transfer can still be reversed.`,
      });
    }
    default:
      // `not_posted`: a fault of ours.
      return new Refusal('internal_error');
  }
}
