// A payout's vocabulary: money that leaves a wallet for a phone or a bank account. The database has the same table
// of edges and refuses all others; a test compares the two.

import type { Currency } from './currency';

export const PAYOUT_STATUSES = [
  'requires_approval',
  'requires_confirmation',
  'pending',
  'succeeded',
  'failed',
  'canceled',
  'returned',
] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** `queued`: not asked yet, or waiting at the provider. `unknown`: asked, and not answered. */
export const PAYOUT_STAGES = ['queued', 'sent', 'unknown'] as const;
export type PayoutStage = (typeof PAYOUT_STAGES)[number];

export interface PayoutEdge {
  readonly from: PayoutStatus;
  readonly to: PayoutStatus;
  readonly cause:
    | 'approved'
    | 'confirmed'
    | 'canceled'
    | 'expired'
    | 'rejected'
    | 'paid'
    | 'not_paid'
    | 'returned';
}

export const PAYOUT_EDGES: readonly PayoutEdge[] = [
  { from: 'requires_approval', to: 'requires_confirmation', cause: 'approved' },
  { from: 'requires_approval', to: 'pending', cause: 'approved' },
  { from: 'requires_approval', to: 'canceled', cause: 'rejected' },
  { from: 'requires_confirmation', to: 'pending', cause: 'confirmed' },
  { from: 'requires_confirmation', to: 'canceled', cause: 'canceled' },
  { from: 'pending', to: 'succeeded', cause: 'paid' },
  { from: 'pending', to: 'failed', cause: 'not_paid' },
  { from: 'pending', to: 'canceled', cause: 'expired' },
  { from: 'succeeded', to: 'returned', cause: 'returned' },
];

/** In which nothing more happens by itself; of `succeeded` the money may still come back. */
export const CONCLUSIVE: ReadonlySet<PayoutStatus> = new Set([
  'succeeded',
  'failed',
  'canceled',
  'returned',
]);

/** Why a payout failed: one table for all providers, whose own code is kept beside it. */
export const PAYOUT_FAILURES = [
  'recipient_not_found',
  'recipient_blocked',
  'recipient_limit_exceeded',
  'name_mismatch',
  'amount_out_of_bounds',
  'provider_out_of_funds',
  'provider_unavailable',
  'rejected',
  'fraud_suspected',
  'unspecified',
] as const;

export interface PayoutFailure {
  readonly code: (typeof PAYOUT_FAILURES)[number];
  readonly message: string;
  /** The provider's own; null when the failure is ours. */
  readonly provider_code: string | null;
}

export type PayoutDestination =
  | {
      readonly type: 'mobile_money';
      /** `+` and 7 to 15 digits. */
      readonly phone: string;
      /** The operator that the merchant named, or that was found; null when it is for the provider to find. */
      readonly operator: string | null;
    }
  | {
      readonly type: 'bank';
      readonly account: string;
      /** The holder as the merchant wrote it. */
      readonly name: string;
      readonly bank_code: string | null;
    };

export interface DestinationToCheck {
  readonly destination: PayoutDestination;
  readonly currency: Currency;
  /** The name to compare with; null when none was given. */
  readonly name: string | null;
}

/** What a provider pays, by operator or kind of bank. */
export interface Rail {
  readonly type: PayoutDestination['type'];
  /** Such as `orange_sn`; null of a bank. */
  readonly operator: string | null;
  /** ISO 3166-1 alpha-2; null where banks of several countries are one rail. */
  readonly country: string | null;
  readonly currency: Currency;
  /** Digits after the point on the wire. */
  readonly decimals: number;
  readonly minimum: bigint;
  readonly maximum: bigint;
  readonly state: RailState;
  /** Whether the holder's name can be asked for before anything is sent. */
  readonly name_check: 'none' | 'before';
}

/** `delayed`: takes orders, and pays later than usual. `closed`: orders wait until it opens. */
export const RAIL_STATES = ['open', 'delayed', 'closed'] as const;
export type RailState = (typeof RAIL_STATES)[number];

export interface CheckedDestination {
  /** False when the provider knows that it would not be paid: not found, blocked. */
  readonly payable: boolean;
  readonly rail: Rail;
  /** In full, as the provider has it; null when it does not tell. */
  readonly name_found: string | null;
}

/** What a provider says of an order. */
export interface PayoutState {
  /** `queued`: it waits there, and may be taken back. `returned`: what was paid came back, whole or in part. */
  readonly status: 'queued' | 'sent' | 'succeeded' | 'failed' | 'canceled' | 'returned';
  readonly provider_payment_id: string;
  /** What the recipient got, as the provider books it; undefined where it does not say. In minor units. */
  readonly paid?: bigint;
  /** What came back in all, in minor units. */
  readonly returned?: bigint;
  readonly failure?: PayoutFailure;
}

export const NAME_MATCHES = ['match', 'close', 'no_match', 'unavailable'] as const;
export type NameMatch = (typeof NAME_MATCHES)[number];

export const NAME_CHECKS = ['off', 'warn', 'require'] as const;
export type NameCheck = (typeof NAME_CHECKS)[number];
