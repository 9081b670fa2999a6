// Fees and taxes of transfers, payments and payouts (docs/decisions/ledger.md): the rules that operators set, and what a
// movement is charged. Which rule counts, and its figures, are decided in db/ledger/fees.sql.

import type { Currency } from '../../domain/currency';
import type { Row } from '../columns';
import { call, type Db } from '../connect';

export const FEE_KINDS = ['transfer', 'payment_intent', 'payout'] as const;
export type FeeKind = (typeof FEE_KINDS)[number];

/** `payer` is the sender of a transfer, who pays on top of the amount. */
export type FeeBearer = NonNullable<Row<'fee_rules'>['bearer']>;

/** Amounts and the percentage are decimal texts. */
export interface FeeRule {
  readonly id: string;
  /** It goes to the state. */
  readonly tax: boolean;
  readonly kind: FeeKind;
  readonly currency: Currency;
  /** The username of the account that bears it; null: any. */
  readonly user: string | null;
  /** An operator's word, `card` or `bank`; null: any. */
  readonly method: string | null;
  readonly amount_from: string;
  readonly amount_below: string | null;
  readonly percent: string;
  readonly fixed: string;
  readonly minimum: string | null;
  readonly maximum: string | null;
  readonly of: 'amount' | 'fee';
  /** Null of a tax, which is borne with the fee. */
  readonly bearer: FeeBearer | null;
  /** ISO 8601; null: from the beginning. */
  readonly from: string | null;
  /** Null: until another rule follows. */
  readonly until: string | null;
}

/** Those that hold or will, or with `all` every one; general fees first. Needs the operators' role. */
export async function listFeeRules(db: Db, all: boolean, username?: string): Promise<FeeRule[]> {
  const rows = await call<{ readonly rule: FeeRule }>(db, 'list_fee_rules', [
    all,
    username ?? null,
  ]);
  return rows.map(({ rule }) => rule);
}

/** Those that hold now for an account: its own, and those of all. */
export async function listPrices(db: Db, user_id: string): Promise<FeeRule[]> {
  return (await call<{ readonly rule: FeeRule }>(db, 'list_prices', [user_id])).map(
    ({ rule }) => rule,
  );
}

export interface FeeQuery {
  readonly kind: FeeKind;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  /** The sender of a transfer, or the merchant; without one the general rules count. */
  readonly user_id?: string | undefined;
  /** The recipient of a transfer. It tells whether anyone has the username: waitBeforeNaming comes first. */
  readonly to_username?: string | undefined;
  readonly method?: string | undefined;
  /** An instant; now by default. */
  readonly at?: string | undefined;
}

export interface FeeFigures {
  /** All that is taken. */
  readonly fee_minor: bigint;
  /** The part of it that is tax. */
  readonly tax_minor: bigint;
  readonly bearer: FeeBearer;
}

/** The fee of a movement: the posting asks the same. */
export async function previewFee(
  db: Db,
  { kind, currency, amount_minor, user_id, to_username, method, at }: FeeQuery,
): Promise<FeeFigures> {
  const of_account = [user_id ?? null, to_username ?? null, method ?? null, at ?? null];
  const values = [kind, currency, amount_minor.toString(), ...of_account];
  return (await call<FeeFigures>(db, 'preview_fee', values))[0]!;
}
