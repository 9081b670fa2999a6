// Sends money to another user, and shows what became of it.

import { findTransfer } from '../../db/transfers';
import { TRANSFER_REFERENCE_PATTERN } from '../../domain/ids';
import { presentTransfer, type TransferView } from '../../domain/transfer';
import { ApiError } from '../api-error';
import type { ApiDependencies, ApiRequest, Handler } from '../context';
import { readMetadata } from '../payment-intents/create';
import { success } from '../success';
import { reverseTransfer } from './reverse';
import type { CreateReversalBody, CreateTransferBody } from './schema';
import { sendTransfer } from './send';

export const createTransfer: Handler<unknown, CreateTransferBody> = (
  dependencies,
  { body, numbers, caller, request_id, idempotency_key, has_own_key },
) =>
  sendTransfer(dependencies, {
    sender: caller,
    to_username: body.to_username,
    currency: body.currency,
    amount_text: numbers.get('/amount') ?? '',
    description: body.description,
    metadata: body.metadata && readMetadata(body.metadata, numbers),
    // The API makes one when the caller sends none: nothing is deduplicated then, but a retry is safe.
    key: idempotency_key!,
    has_own_key,
    request_id,
  });

const REFERENCE = new RegExp(TRANSFER_REFERENCE_PATTERN);

export const getTransfer: Handler = async (dependencies, request) =>
  success(presentTransfer(await findNamed(dependencies, request)));

async function findNamed(
  { db }: ApiDependencies,
  { caller, params }: ApiRequest,
): Promise<TransferView> {
  const reference = params['reference'] ?? '';
  const row = REFERENCE.test(reference)
    ? await findTransfer(db, caller.user_id, caller.environment, reference)
    : undefined;
  if (!row) throw new ApiError('transfer_not_found');
  return row;
}

export const createReversal: Handler<unknown, CreateReversalBody> = async (
  dependencies,
  request,
) => {
  const { caller, body, numbers, request_id, idempotency_key, has_own_key } = request;
  return reverseTransfer(dependencies, {
    caller,
    transfer: await findNamed(dependencies, request),
    amount_text: numbers.get('/amount'),
    reason: body.reason ?? null,
    key: idempotency_key!,
    has_own_key,
    request_id,
  });
};
