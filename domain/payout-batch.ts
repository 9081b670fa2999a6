// The vocabulary of payouts that are ordered together.

import type { Currency } from './currency';
import type { Environment } from './environment';
import { ERRORS, type ErrorCode } from './errors';
import type { NameMatch, PayoutDestination, PayoutFailure, PayoutStatus } from './payout';

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

export interface PayoutBatchView {
  readonly id: string;
  readonly environment: Environment;
  readonly status: PayoutBatchStatus;
  /** Its workflow has to do it; null while it waits for people, and once each item was ordered. */
  readonly step: 'check' | 'send' | null;
  /** The items before it have had this step. */
  readonly next_index: number;
  readonly confirm: boolean;
  readonly dry_run: boolean;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly checks: Readonly<Record<BatchCheck, number>>;
  readonly approvals_needed: number;
  readonly approvals_given: number;
  readonly reject_reason: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly expires_at: string | null;
  /** The JSON text of what GET /payout-batches/{id} returns (payout_batch_json in SQL). */
  readonly json: string;
}

/** An item as it is shown. */
export interface PayoutItemView {
  readonly index: number;
  readonly phone: string | null;
  readonly operator: string | null;
  /** A bank account's last four. */
  readonly account_end: string | null;
  readonly bank_code: string | null;
  readonly name: string | null;
  readonly name_found: string | null;
  readonly name_match: NameMatch | null;
  readonly found: BatchCheck | null;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  readonly fee_minor: bigint;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly refusal: PayoutItemRefusal | null;
  readonly payout_id: string | null;
  readonly reference: string | null;
  readonly payout_status: PayoutStatus | null;
  readonly failure: PayoutFailure | null;
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

export function payoutItemError(item: PayoutItemView): PayoutItemError | null {
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
