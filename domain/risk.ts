// The vocabulary of risk: what rules look at, and what becomes of an order that is held or refused
// (docs/decisions/risk.md).

/** The kinds of orders that a rule may look at. */
export const WATCHED = ['transfer', 'payout', 'payment'] as const;
export type Watched = (typeof WATCHED)[number];

export const RULE_KINDS = ['amount', 'velocity', 'structuring', 'first_recipient'] as const;
export const COUNTED_BY = ['account', 'recipient', 'phone', 'ip'] as const;

export const CASE_STATUSES = ['held', 'released', 'refused', 'expired', 'withdrawn'] as const;
export type CaseStatus = (typeof CASE_STATUSES)[number];

/** A voice that did not say `allow`. */
export interface RiskReason {
  readonly source: 'rule';
  readonly name: string;
  /** The figures, for operators only. */
  readonly detail: string;
  readonly decision: 'hold' | 'refuse';
}

/** Shown of an order while it is held. */
export interface Hold {
  /** Its case, `RSK-…`. */
  readonly reference: string;
  /** ISO 8601, by the account's clock. Then it is refused. */
  readonly expires_at: string;
}

export const CASE_REFERENCE = /^RSK-[0-9A-F]{20}$/;
