// The errors for outcomes of a transfer that are not stored: nothing was written, the key stays free.

import type { TransferResult } from '../../domain/transfer';
import { invalidAmount } from '../amounts';
import { ApiError, invalidRequest } from '../api-error';
import { unavailable } from '../failures';

export function refusalOf(outcome: TransferResult['outcome']): ApiError {
  switch (outcome) {
    case 'self_transfer':
      return invalidRequest(
        'to_username',
        'to_username must be another user: you cannot send money to yourself.',
      );
    case 'balance_limit':
      return invalidAmount("amount is more than the recipient's wallet can hold.");
    case 'lapsed':
      return unavailable();
    default:
      // `not_posted`, or a final outcome without its stored response: a fault of ours.
      return new ApiError('internal_error');
  }
}
