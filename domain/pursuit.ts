// Rows that a third party is asked about until it says how they ended: one machine for every kind (workflows/pursue.ts).

import type { Currency } from './currency';
import type { Environment } from './environment';

/** The order in which the sweep looks for those that were lost. */
export const PURSUIT_KINDS = ['suspense-refund', 'refund', 'payout', 'payment-attempt'] as const;

/** The kind as a workflow's id and Temporal's UI show it. */
export type PursuitKind = (typeof PURSUIT_KINDS)[number];

/** A row that is pursued, as operators see it in Temporal's UI. */
export interface Pursued {
  readonly kind: PursuitKind;
  readonly id: string;
  readonly environment: Environment;
  readonly reference: string;
  readonly currency: Currency;
  /** Minor units as decimal text. */
  readonly amount_minor: string;
  /** Null of money in suspense that no account expects. */
  readonly username: string | null;
  /** The mobile money operator of the phone that was rung; null of what rings no phone. */
  readonly operator: string | null;
  readonly status: string;
}

/** How it stands after a question. What the third party said is in the database, not in the workflow's history. */
export interface Progress {
  readonly status: string;
  /** Operators read it in Temporal's UI; null when it waits for nothing. */
  readonly waits_for: string | null;
  /** Until it is asked about again; null when it is not. */
  readonly pause_ms: number | null;
}

export function ended(status: string): Progress {
  return { status, waits_for: null, pause_ms: null };
}

/** How often a kind is asked about: a pause is a share of the time for which it was asked, within these bounds. */
export interface Pauses {
  readonly first_ms: number;
  readonly longest_ms: number;
  /** Without it the pauses double. */
  readonly share?: number;
}

export function pauseAfter(
  asked_for_ms: number,
  { first_ms, longest_ms, share = 1 }: Pauses,
): number {
  return Math.ceil(Math.min(Math.max(first_ms, asked_for_ms * share), longest_ms));
}
