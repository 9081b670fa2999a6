// The vocabulary of payouts that are ordered together.

import type { Currency } from './currency';
import { ERRORS, type ErrorCode } from './errors';
import type { PayoutDestination, PayoutFailure } from './payout';

export const PAYOUT_BATCH_STATUSES = [
  'processing',
  'requires_approval',
  'requires_confirmation',
  'completed',
  'canceled',
] as const;
export type PayoutBatchStatus = (typeof PAYOUT_BATCH_STATUSES)[number];

/** The result of looking at a destination. `unavailable`: also where no name was given to compare. */
export const BATCH_CHECKS = ['match', 'close', 'no_match', 'unavailable', 'unreachable'] as const;
export type BatchCheck = (typeof BATCH_CHECKS)[number];

/** Why an item became no payout. */
export type PayoutItemRefusal =
  | 'excluded'
  | 'canceled'
  | 'unsupported_destination'
  | 'amount_out_of_bounds'
  | 'recipient_not_found'
  | 'limit_exceeded'
  | 'insufficient_funds'
  | 'account_frozen'
  | 'kyc_required'
  | 'risk_refused'
  /** A fault of ours, which another try would not change. */
  | 'not_ordered';

/** An item as it is ordered: columns of its row. */
export interface PayoutBatchItem {
  readonly destination_type: PayoutDestination['type'];
  readonly phone: string | null;
  readonly operator: string | null;
  readonly account: string | null;
  readonly bank_code: string | null;
  readonly holder: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly currency: Currency;
  /** Minor units as decimal text. */
  readonly amount_minor: string;
}

/** The codes of items that an answer of the API to a single payout has not. */
export interface PayoutItemError {
  readonly code: string;
  readonly message: string;
}

const OWN_WORDS = {
  excluded: 'It was left out when the batch was confirmed.',
  canceled: 'It was canceled before it was sent.',
  recipient_not_found: 'The operator says that it would not be paid.',
} as const;

export function payoutItemError(item: {
  readonly status: string;
  readonly refusal: PayoutItemRefusal | null;
  readonly failure: PayoutFailure | null;
}): PayoutItemError | null {
  if (item.status !== 'failed') return null;
  if (item.failure) return { code: item.failure.code, message: item.failure.message };
  const refusal = item.refusal ?? 'canceled';
  switch (refusal) {
    case 'excluded':
    case 'canceled':
    case 'recipient_not_found':
      return { code: refusal, message: OWN_WORDS[refusal] };
    case 'not_ordered':
      return { code: 'internal_error', message: ERRORS.internal_error.message };
    default:
      return { code: refusal satisfies ErrorCode, message: ERRORS[refusal].message };
  }
}
