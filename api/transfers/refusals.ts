// The errors for outcomes of a transfer that are not stored: nothing was written, the key stays free.

import { findUnknownRecipientWait } from '../../db/transfers';
import type { Db } from '../../db/connect';
import {
  RECIPIENT_FULL,
  UNKNOWN_RECIPIENTS,
  type TransferRequest,
  type TransferResult,
} from '../../domain/transfer';
import { invalidAmount } from '../amounts';
import { ApiError, invalidRequest } from '../api-error';
import { nothingChanged } from '../failures';

export function refusalOf(outcome: TransferResult['outcome']): ApiError {
  switch (outcome) {
    case 'self_transfer':
      return invalidRequest(
        'to_username',
        'to_username must be another user: you cannot send money to yourself.',
      );
    case 'balance_limit':
      return invalidAmount(RECIPIENT_FULL);
    case 'account_frozen':
      return new ApiError('account_frozen');
    case 'lapsed':
      // Past `accept_before`, under the key's lock. Earlier requests with the key lapsed earlier.
      return nothingChanged();
    default:
      // `not_posted`, or a final outcome without its stored response: a fault of ours.
      return new ApiError('internal_error');
  }
}

/** Queries how long it lasts: only whoever is refused pays for that. */
export async function unknownRecipientLimit(
  db: Db,
  { sender_id, environment }: TransferRequest,
): Promise<ApiError> {
  const seconds = await findUnknownRecipientWait(db, sender_id, environment);
  return new ApiError('rate_limited', {
    param: 'to_username',
    message: `${UNKNOWN_RECIPIENTS}; wait as many seconds as Retry-After says.`,
    headers: { 'Retry-After': String(seconds) },
  });
}
