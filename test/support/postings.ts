// Transfer requests as the API makes them, with every field open to the test, and their posting.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { isDatabaseUnavailable } from '../../db/errors';
import { postTransfers } from '../../db/transfers';
import type { Currency } from '../../domain/currency';
import {
  renderResponseFormats,
  renderTransferResponses,
  type ResponseFormats,
  type TransferRequest,
  type TransferResponses,
  type TransferResult,
} from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeTransferReference } from '../../secrets/random';
import type { TestUser } from './users';

export const ERROR_DOCS = 'https://pay.example.com/docs/errors';

export interface TransferRequestOptions extends Partial<
  Omit<TransferRequest, 'sender_id' | 'sender_username'>
> {
  readonly from: TestUser;
  /** Or `to_username`. */
  readonly to?: TestUser;
  readonly amount: bigint;
  readonly currency?: Currency;
}

/** Live XOF, a fresh key and a minute to accept it, unless the options say otherwise. */
export function buildTransferRequest({
  from,
  to,
  amount,
  ...fields
}: TransferRequestOptions): TransferRequest {
  const { currency = 'XOF', to_username = to?.username ?? '' } = fields;
  const amount_minor = amount.toString();
  return {
    reference: makeTransferReference(),
    environment: 'live',
    sender_id: from.id,
    sender_username: from.username,
    key: randomUUID(),
    fingerprint: fingerprintFields({ to_username, currency, amount: amount_minor }),
    request_id: randomUUID(),
    accept_before: new Date(Date.now() + 60_000).toISOString(),
    to_username,
    currency,
    amount_minor,
    ...fields,
  };
}

export function responsesOf(request: TransferRequest): TransferResponses {
  return renderTransferResponses(request, ERROR_DOCS);
}

/** All in one call of the database. */
export function post(db: Db, requests: readonly TransferRequest[]): Promise<TransferResult[]> {
  return postTransfers(db, requests, ERROR_DOCS);
}

export async function postOne(db: Db, options: TransferRequestOptions): Promise<TransferResult> {
  const [result] = await post(db, [buildTransferRequest(options)]);
  return result!;
}

/**
 * Does the same again until Postgres has answered, as a workflow does: on a busy machine a connection or a
 * lock may come too late. A deadlock is no such thing, and is thrown.
 */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isDeadlock = (error as { code?: unknown }).code === '40P01';
      if (isDeadlock || !isDatabaseUnavailable(error)) throw error;
    }
  }
}

/** The arguments of SQL's `post_transfer_batch`, for tests that call it themselves. */
export function postingValues(
  requests: readonly object[],
  formats: Partial<ResponseFormats> = renderResponseFormats(ERROR_DOCS),
): [requests: string, responses: string] {
  return [JSON.stringify(requests), JSON.stringify(formats)];
}
