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
  readonly source: 'rule' | 'provider' | 'screening' | 'silence';
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

/** How names are compared with others': by the lists that are loaded, by a service, or not at all. */
export const SCREENING_MODES = ['local', 'url', 'off'] as const;

/** The name of a list. */
export const LIST_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** A name of a list that is like the given one. */
export interface NameMatch {
  readonly list: string;
  /** Of the entry, in its list. */
  readonly id: string;
  readonly name: string;
  /** From 0 to 1. */
  readonly score: number;
  /** Whatever else is known of the entry; may be empty. */
  readonly facts: string;
}
