// Sends money to another user, and shows what became of it.

import { findTransfer } from '../../db/transfers';
import { TRANSFER_REFERENCE_PATTERN } from '../../domain/ids';
import { amountJson, subtractMinor, type Minor } from '../../domain/money';
import { ACCEPT_WITHIN_MS, type TransferRequest } from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeTransferReference } from '../../secrets/random';
import { readAmount } from '../amounts';
import { ApiError } from '../api-error';
import type { ApiDependencies, ApiRequest, Handler } from '../context';
import { success } from '../success';
import { storedResponse } from '../idempotent-response';
import { refusalOf } from './refusals';
import type { CreateTransferBody } from './schema';
import { submitTransfer } from './submit';

export const createTransfer: Handler<unknown, CreateTransferBody> = async (
  dependencies,
  request,
) => {
  const transfer = readTransfer(dependencies, request);
  // A key that has its response needs no workflow.
  const { stored } = request.caller;
  if (stored) return storedResponse(stored, transfer.fingerprint, { replayed: true });
  const { response, is_replay } = await submitTransfer(dependencies, transfer, {
    has_own_key: request.has_own_key,
  });
  return storedResponse(response, transfer.fingerprint, { replayed: is_replay });
};

function readTransfer(
  { config }: ApiDependencies,
  { body, numbers, caller, request_id, idempotency_key }: ApiRequest<unknown, CreateTransferBody>,
): TransferRequest {
  const { currency } = body;
  const amount = readAmount(numbers.get('/amount') ?? '', currency, config.max_transfer[currency]);
  // Usernames are stored in lower case; case does not distinguish users.
  const to_username = body.to_username.toLowerCase();
  if (to_username === caller.username) throw refusalOf('self_transfer');
  const amount_minor = amount.toString();
  return {
    reference: makeTransferReference(),
    environment: caller.environment,
    sender_id: caller.user_id,
    sender_username: caller.username,
    // The API makes one when the caller sends none: nothing is deduplicated then, but a retry is safe.
    key: idempotency_key!,
    fingerprint: fingerprintFields({ to_username, currency, amount: amount_minor }),
    request_id,
    // From the database's clock, which will also judge it.
    accept_before: new Date(Date.parse(caller.now) + ACCEPT_WITHIN_MS).toISOString(),
    to_username,
    currency,
    amount_minor,
  };
}

const REFERENCE = new RegExp(TRANSFER_REFERENCE_PATTERN);

export const getTransfer: Handler = async ({ db }, { caller, params }) => {
  const reference = params['reference'] ?? '';
  const row = REFERENCE.test(reference)
    ? await findTransfer(db, caller.user_id, caller.environment, reference)
    : undefined;
  if (!row) throw new ApiError('transfer_not_found');
  const { amount_minor, fee_minor, created_at, ...fields } = row;
  return success({
    ...fields,
    amount: amountJson(amount_minor),
    fee: amountJson(fee_minor),
    net_amount: amountJson(subtractMinor(amount_minor as Minor, fee_minor as Minor)),
    created_at,
  });
};
