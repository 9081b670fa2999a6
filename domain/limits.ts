// Limits of accounts: their tiers and names, and one that was exceeded.

import type { Currency } from './currency';
import { amountJson } from './money';

export const TIERS = ['none', 'identified', 'merchant', 'agent'] as const;
export type Tier = (typeof TIERS)[number];

/** In the order in which they are shown (limit_names in SQL). */
export const LIMITS = [
  'balance',
  'single_in',
  'daily_in',
  'monthly_in',
  'single_out',
  'daily_out',
  'monthly_out',
] as const;
export type LimitName = (typeof LIMITS)[number];

/** Minor units as Postgres, a workflow or an error of Postgres writes them. */
type WrittenMinor = bigint | string | number;

/** An account's limit that an order would exceed. */
export interface ExceededLimit<Name extends string = LimitName> {
  readonly limit_name: Name;
  readonly maximum_minor: WrittenMinor;
  readonly used_minor: WrittenMinor;
  /** Null of a limit that no time gives back. */
  readonly resets_at: string | null;
}

/** The recipient's, of which the sender is told no figure. */
export interface RecipientLimit {
  readonly limit_name: 'recipient';
}

/** A limit that holds, as callers see it; amounts in major units. */
export const limitJson = ({
  currency,
  limit_name,
  maximum_minor,
  used_minor,
  resets_at,
}: HeldLimit) => ({
  currency,
  limit: limit_name,
  maximum: amountJson(maximum_minor),
  used: amountJson(used_minor),
  remaining: amountJson(maximum_minor > used_minor ? maximum_minor - used_minor : 0n),
  resets_at,
});

interface HeldLimit {
  readonly currency: Currency;
  readonly limit_name: LimitName;
  readonly maximum_minor: bigint;
  readonly used_minor: bigint;
  readonly resets_at: string | null;
}
