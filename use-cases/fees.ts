// What a movement is charged, for a person or a program that is about to order it.

import type { FeeFigures, FeeKind } from '../db/ledger/fees';

export interface FeeSums {
  /** What leaves the payer. */
  readonly total_minor: bigint;
  /** What arrives. */
  readonly net_minor: bigint;
}

/** The fee of a payout, and what the payer of a transfer bears, come on top of the amount. */
export function sumsOf(
  kind: FeeKind,
  amount_minor: bigint,
  { fee_minor, bearer }: Pick<FeeFigures, 'fee_minor' | 'bearer'>,
): FeeSums {
  const is_on_top = kind === 'payout' || bearer === 'payer';
  const total_minor = is_on_top ? amount_minor + fee_minor : amount_minor;
  return { total_minor, net_minor: total_minor - fee_minor };
}
