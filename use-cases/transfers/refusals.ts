// The errors for outcomes of a transfer that are not stored: nothing was written, the key stays
// free.

import type { ErrorDetails } from '../../domain/error-body';
import type { TransferResult } from '../../domain/transfer';
import { Refusal, invalidRequest } from '../../domain/refusal';
import { nothingChanged } from '../requests/failures';

export function refusalOf(outcome: TransferResult['outcome']): Refusal {
  switch (outcome) {
    case 'self_transfer':
      return invalidRequest(
        'to_username',
        'to_username must be another user: you cannot send money to yourself.',
      );
    case 'account_frozen':
    case 'kyc_required':
    case 'risk_refused':
      return new Refusal(outcome);
    case 'lapsed':
      // Given up, or past its moment, under the key's lock, and so are earlier requests with the key.
      return nothingChanged();
    default:
      // `not_posted`, or a final outcome without its stored response: a fault of ours.
      return new Refusal('internal_error');
  }
}

const UNKNOWN_RECIPIENTS =
  'Too many usernames that nobody has. Check the recipients; wait as many seconds as Retry-After says.';

/** The account has named as many usernames that do not exist as it may. */
export function unknownRecipientLimit(
  seconds: number,
  about: Pick<ErrorDetails, 'param' | 'details'>,
): Refusal {
  return new Refusal('rate_limited', {
    ...about,
    message: UNKNOWN_RECIPIENTS,
    retry_after_seconds: seconds,
  });
}
