// The checks of a reconciliation, and how it says what it has found. Nothing here names a person.

import type { Environment } from './environment';

export const RECONCILIATION_CHECKS = [
  'books',
  'losses',
  'gateway_live',
  'gateway_sandbox',
  'events',
  'workflows',
] as const;
export type ReconciliationCheck = (typeof RECONCILIATION_CHECKS)[number];

export function isReconciliationCheck(word: string): word is ReconciliationCheck {
  return (RECONCILIATION_CHECKS as readonly string[]).includes(word);
}

export function gatewayCheck(environment: Environment): ReconciliationCheck {
  return `gateway_${environment}`;
}

/**
 * `not_checked`: it could not be compared to its end, so nothing is known of the rest.
 * `not_configured`: the environment has no gateway, and no payments of one.
 */
export type CheckStatus = 'running' | 'clean' | 'found' | 'not_checked' | 'not_configured';

/** Whether an operator has to look at it. */
export function needsAttention({
  status,
  found,
}: {
  readonly status: CheckStatus;
  readonly found: bigint;
}): boolean {
  return status === 'not_checked' || found > 0n;
}

export const FINDING_KINDS = [
  /** An invariant of `ledger verify` does not hold. */
  'violation',
  /** The gateway gave back what the books do not say: an operator settles it. */
  'loss',
  /**
   * The gateway has taken a payment that was never reported here: it is handed in as a
   * notification.
   */
  'payment_missing',
  /** The gateway has reported a payment, and it is not booked. */
  'payment_not_booked',
  /** A payment is booked that the gateway has not taken. */
  'payment_unknown',
  /** The gateway has taken another amount or currency than is booked. */
  'payment_differs',
  /** The gateway has made a refund that was not ordered here. */
  'refund_missing',
  /** A refund is recorded that the gateway does not know. */
  'refund_unknown',
  /** The gateway gives back another amount or currency, or of another payment. */
  'refund_differs',
  /** The gateway says something else of a refund than its row: it is asked again. */
  'refund_status',
  /** The provider has a payout that was not ordered here. */
  'payout_missing',
  /** The provider had a payout, and does not know it. */
  'payout_unknown',
  /** The provider pays another amount or currency, or has the payout under another id. */
  'payout_differs',
  /** The provider says something else of a payout than its row: it is asked again. */
  'payout_status',
  /** An event has no delivery for an endpoint that wanted it. */
  'delivery_missing',
  /** A delivery has arrived, and no attempt says so. */
  'delivery_without_attempt',
  /** A row waits for a workflow that does not run: it is started. */
  'workflow_missing',
  /** A workflow runs whose row has ended, or is not there. */
  'workflow_left_over',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly kind: FindingKind;
  /** The reference that the finding is about, or an id of ours or of the gateway's. */
  readonly reference: string;
  /** Amounts, states and invariants; no text of a customer's or a merchant's. */
  readonly detail: string;
  /** True when what was missing was handed in, asked for or started. */
  readonly is_repaired: boolean;
}

/** The bounds of the columns, in characters. */
export const MAX_FINDING_REFERENCE = 300;
export const MAX_FINDING_DETAIL = 500;
/**
 * Findings of each check that are kept; more are counted. So many have one cause, or need the
 * tools.
 */
export const KEPT_FINDINGS = 1_000;
