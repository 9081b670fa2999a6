// The vocabulary of risk: what rules look at, what others are asked, and what becomes of an order that is held or refused
// (docs/decisions/risk.md).

import type { Currency } from './currency';
import type { Environment } from './environment';

/** The kinds of orders that a rule may look at. */
export const WATCHED = ['transfer', 'payout', 'payment'] as const;
export type Watched = (typeof WATCHED)[number];

export const RULE_KINDS = ['amount', 'velocity', 'structuring', 'first_recipient'] as const;
export const COUNTED_BY = ['account', 'recipient', 'phone', 'ip'] as const;

export const CASE_STATUSES = ['held', 'released', 'refused', 'expired', 'withdrawn'] as const;
export type CaseStatus = (typeof CASE_STATUSES)[number];

/** A voice that did not say `allow`. */
export interface RiskReason {
  /** `silence`: one that was asked, and has said nothing. */
  readonly source: 'rule' | 'provider' | 'screening' | 'silence';
  readonly name: string;
  /** The figures, for operators only. */
  readonly detail: string;
  readonly decision: 'hold' | 'refuse';
}

/** A question to a third party about an order, as its case keeps it. */
export interface RiskQuestion {
  /** JSON. */
  readonly sent: unknown;
  /** Null: silence. */
  readonly answered: object | null;
  /** Its word, or why it counts as silent. */
  readonly outcome: string;
  readonly took_ms: number;
}

/** Whatever voices said of an order before its posting, which takes it to the reasons of the rules. */
export interface Heard {
  readonly reasons: readonly RiskReason[];
  readonly asked: Readonly<Partial<Record<'provider' | 'screening', RiskQuestion>>>;
}

/** An order about which others are asked. */
export interface AskedOrder {
  /** Its reference; of an item of a batch of transfers the batch's id and the place, `…/0`. */
  readonly id: string;
  readonly type: Watched;
  readonly environment: Environment;
  /** The account that sends, or is paid. */
  readonly user_id: string;
  readonly currency: Currency;
  /** Decimal text. */
  readonly amount_minor: string;
  readonly recipient:
    | { readonly username: string }
    | { readonly phone: string; readonly operator: string | null; readonly name: string | null }
    | { readonly account: string; readonly bank_code: string | null; readonly name: string | null }
    | null;
  readonly ip: string | null;
  readonly batch_id: string | null;
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
  /** The entry's, in its list. */
  readonly id: string;
  readonly name: string;
  /** From 0 to 1. */
  readonly score: number;
  /** Whatever else is known of the entry; may be empty. */
  readonly facts: string;
}
