// Limits of accounts as they hold now, and operators' tiers.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { ExceededLimit, LimitName, Tier } from '../../domain/limits';
import { callValue, lookUp, type Db } from '../connect';
import { isCheckViolation } from '../errors';

/** A limit that holds. */
export interface LimitRow {
  readonly environment: Environment;
  readonly currency: Currency;
  readonly limit_name: LimitName;
  readonly maximum_minor: bigint;
  /** That of `balance` is what the wallet holds, that of `single_…` none. */
  readonly used_minor: bigint;
  readonly resets_at: string | null;
  readonly from_account: boolean;
}

export interface AccountTier {
  readonly tier: Tier;
  readonly set_by: 'identity' | 'operator';
}

export interface AccountLimits extends AccountTier {
  readonly limits: readonly LimitRow[];
}

const SHOW = { name: 'shown_limits', text: 'select * from shown_limits($1, $2)' };

/** They come by currency, in the order of LIMITS; without an environment those of both, with the tier of live money. */
export async function readLimits(
  db: Db,
  user_id: string,
  environment?: Environment,
): Promise<AccountLimits> {
  type Row = AccountTier & (LimitRow | { readonly limit_name: null });
  const rows = await lookUp<Row>(db, SHOW, [user_id, environment ?? null]);
  const { tier, set_by } = rows[0]!;
  return { tier, set_by, limits: rows.filter((row) => row.limit_name !== null) };
}

/** Every limit of a tier, as decimal text; null: none. */
export type TierEntry = { readonly tier: Tier; readonly currency: Currency } & {
  readonly [name in LimitName]: string | null;
};

export async function listTiers(db: Db): Promise<TierEntry[]> {
  return callValue(db, 'tier_entries', [null, null]);
}

/**
 * Marks all wallets of a currency, before its first limit is set, in transactions of their own: a setting that marks
 * them all would keep them locked meanwhile. Needs the operators' role.
 */
export async function markWallets(db: Db, currency: Currency): Promise<void> {
  const AT_ONCE = 1_000;
  while ((await callValue<number>(db, 'mark_next_wallets', [currency, AT_ONCE])) > 0);
}

/** The limit that a credit was refused for (refuse_above_limit); undefined: another error. */
export function limitOf(error: unknown): ExceededLimit | undefined {
  if (!isCheckViolation(error, 'account_limit')) return undefined;
  return JSON.parse((error as { readonly detail: string }).detail) as ExceededLimit;
}
