// A dispute's vocabulary: a customer's bank takes a payment back through the gateway (a chargeback), and decides
// weeks later for the merchant (`won`) or for the customer (`lost`).

import type { Currency } from './currency';
import type { Environment } from './environment';

export const DISPUTE_STATUSES = ['open', 'won', 'lost'] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** A dispute in the gateway's answer. Plain JSON: the database books it. */
export interface DisputeState {
  /** `inquiry`: no money was claimed yet, the bank only asks. `none`: none was claimed, or it no longer is. */
  readonly status: DisputeStatus | 'inquiry' | 'none';
  readonly provider_payment_id: string;
  /** Minor units as decimal text. */
  readonly amount_minor: string;
  readonly currency: Currency;
  /** The gateway charged it, in the same currency. */
  readonly fee_minor: string;
  /** The gateway's word, such as `fraudulent`. */
  readonly reason: string;
  /** ISO 8601; null when the bank takes no evidence. */
  readonly evidence_due_by: string | null;
}

/**
 * A notification, with a signature that was verified, that a dispute has changed. The gateway is asked to what.
 */
export interface DisputeNotice {
  readonly environment: Environment;
  readonly dispute_id: string;
}
