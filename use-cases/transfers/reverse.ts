// Gives a received transfer back, whole or in parts: for a caller with an API key, or a person who
// is signed in. As with a transfer, no failure is returned while the reversal can still happen, and
// every other response was first committed under the idempotency key.

import type { Caller } from '../../db/keys/api-keys';
import { findStoredResponse } from '../../db/requests/idempotency';
import type { IdempotencyScope, StoredResponse } from '../../domain/idempotency';
import { formatAmount, MAX_MINOR } from '../../domain/money';
import { isStoredReversal, type ReversalRequest, type ReversalResult } from '../../domain/reversal';
import { ACCEPT_WITHIN_MS, type TransferView } from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeReversalReference } from '../../secrets/random';
import { invalidAmount, readAmount } from '../requests/amounts';
import { Refusal } from '../../domain/refusal';
import type { OrderDependencies } from '../requests/dependencies';
import { inProgress, notBegun, nothingChanged } from '../requests/failures';
import { storedResponse, type OrderResponse } from '../requests/stored-response';
import { resolveRequest } from '../requests/resolve-outcome';

export interface ReversalOrder {
  /** The caller, with the database's clock and the response that the key has already. */
  readonly caller: Pick<Caller, 'user_id' | 'username' | 'environment' | 'now' | 'stored'>;
  /** One of the caller's own. */
  readonly transfer: Pick<TransferView, 'reference' | 'currency' | 'direction'>;
  /** The amount as it was written, a plain decimal; undefined: what is left. */
  readonly amount_text: string | undefined;
  readonly reason: string | null;
  readonly key: string;
  /** The key may have been sent before. */
  readonly has_own_key: boolean;
  readonly request_id: string;
}

/** The response that is stored for the key. @throws Refusal */
export async function reverseTransfer(
  dependencies: OrderDependencies,
  order: ReversalOrder,
): Promise<OrderResponse> {
  const request = readReversal(order);
  const { stored } = order.caller;
  if (stored) return storedResponse(stored, request.fingerprint, { is_replay: true });
  const { breakers, reversal_workflows } = dependencies;
  if (!breakers[request.environment].allowsRequests()) throw notBegun(order.has_own_key);
  const deadline = Date.now() + ACCEPT_WITHIN_MS;
  const result = await reversal_workflows.post(request, deadline);
  if (result === 'already_running') {
    const theirs = await findStored(dependencies, request);
    // Without a stored response a repetition of this request may try.
    if (!theirs) throw inProgress();
    return storedResponse(theirs, request.fingerprint, { is_replay: true });
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
  const is_replay = !response.body.includes(own);
  return storedResponse(response, request.fingerprint, { is_replay });
}

function readReversal({ caller, transfer, amount_text, ...order }: ReversalOrder): ReversalRequest {
  if (transfer.direction !== 'in') {
    throw new Refusal('forbidden', {
      message: 'Only the recipient of a transfer can reverse it. Ask them to.',
    });
  }
  const { user_id, username, environment, now } = caller;
  const { reference: transfer_reference, currency } = transfer;
  const { reason, key, request_id } = order;
  const amount_minor =
    amount_text === undefined ? null : readAmount(amount_text, currency, MAX_MINOR).toString();
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
    fingerprint: fingerprintFields({
      transfer: transfer_reference,
      amount: String(amount_minor),
      reason: JSON.stringify(reason),
    }),
    // The moment is of the database's clock, which will also judge it.
    accept_before: new Date(Date.parse(now) + ACCEPT_WITHIN_MS).toISOString(),
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
    case 'balance_limit':
      return invalidAmount("amount is more than the sender's wallet can hold.");
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
