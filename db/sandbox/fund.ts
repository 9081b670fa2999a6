// Money that an account puts into its wallets of the sandbox.

import type { Currency } from '../../domain/currency';
import type { Fingerprint, StoredResponse } from '../../domain/idempotency';
import type { Minor } from '../../domain/money';
import { call, lookUp, type Db } from '../connect';

/** The most for one account: a rehearsal needs a few, and each is kept for ever. */
export const FUNDS_A_DAY = 20;

/** A thousand million of a currency: all accounts take it from one source, which holds a hundred million times as much. */
export const MAX_FUND = 100_000_000_000n as Minor;

export interface NewFunds {
  readonly user_id: string;
  readonly currency: Currency;
  readonly amount_minor: string;
  readonly reference: string;
  readonly idempotency_key: string;
  readonly fingerprint: Fingerprint;
  readonly request_id: string;
  readonly accept_before: string;
}

export type Funded =
  | (StoredResponse & { readonly outcome: 'funded'; readonly is_replay: boolean })
  | { readonly outcome: 'lapsed' }
  | { readonly outcome: 'too_many'; readonly wait_s: number };

/** Throws a violation of `wallet_balance` when the wallet would hold more than it may. */
export async function fundSandboxWallet(db: Db, funds: NewFunds): Promise<Funded> {
  return (await call<Funded>(db, 'fund_sandbox_wallet', [JSON.stringify(funds), FUNDS_A_DAY]))[0]!;
}

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
