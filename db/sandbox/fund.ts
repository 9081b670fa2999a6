// Money that an account puts into its wallets of the sandbox.

import type { Currency } from '../../domain/currency';
import type { KeyedOrder } from '../../domain/idempotency';
import type { Minor } from '../../domain/money';
import { lookUp, type Db } from '../connect';
import { order, type Ordered } from '../requests/orders';

/** The most for one account: a rehearsal needs a few, and each is kept for ever. */
export const FUNDS_A_DAY = 20;

/** A thousand million of a currency: all accounts take it from one source, which holds a hundred million times as much. */
export const MAX_FUND = 100_000_000_000n as Minor;

export interface NewFunds extends KeyedOrder {
  readonly currency: Currency;
  readonly amount_minor: string;
  readonly reference: string;
}

/** Throws a violation of `wallet_balance` when the wallet would hold more than it may. */
export const fundSandboxWallet = (
  db: Db,
  funds: NewFunds,
): Promise<Ordered<'funded', { readonly outcome: 'too_many'; readonly wait_s: number }>> =>
  order(db, 'fund_sandbox_wallet', funds, FUNDS_A_DAY);

const COUNT = {
  name: 'count_sandbox_funds',
  text: `select count(*)::integer as n from idempotency_keys
          where user_id = $1 and environment = 'sandbox' and operation = 'sandbox_fund'
            and created_at > clock_timestamp() - interval '1 day'`,
};

/** How often the account was funded in the last 24 hours. */
export async function countFunds(db: Db, user_id: string): Promise<number> {
  return (await lookUp<{ n: number }>(db, COUNT, [user_id]))[0]!.n;
}
