// A refund's vocabulary: its states and the allowed edges between them. The database has the same table of edges and refuses all others; a test compares the two.

import { storedRefusal, type StoredRefusal } from './error-body';
import type { PaymentFailure } from './payment';

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

export interface RefundEdge {
  readonly from: RefundStatus;
  readonly to: RefundStatus;
  /** `taken_back`: the customer's bank has sent the money back to the gateway. */
  readonly cause: 'made' | 'refused_or_failed' | 'taken_back';
}

export const REFUND_EDGES: readonly RefundEdge[] = [
  { from: 'pending', to: 'succeeded', cause: 'made' },
  { from: 'pending', to: 'failed', cause: 'refused_or_failed' },
  { from: 'succeeded', to: 'failed', cause: 'taken_back' },
];

/** `refund_refused`: the gateway made no refund. `refund_failed`: it made one, and that failed. */
export const REFUND_FAILURES = ['refund_refused', 'refund_failed'] as const;

export interface RefundFailure extends PaymentFailure {
  readonly code: (typeof REFUND_FAILURES)[number];
}

/** The refusal that is stored under the key. */
export type RefundRefusals = Readonly<Record<'insufficient_funds', StoredRefusal>>;

export function refundRefusals(error_docs_url: string): RefundRefusals {
  const message = 'The balance of the wallet is too low for this refund.';
  const about = { param: 'amount', message };
  return { insufficient_funds: storedRefusal('insufficient_funds', error_docs_url, about) };
}
