// Wallets: a user's ledger accounts as the API shows them, and an operator's credit to one.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { WalletHold } from '../../domain/wallet-hold';
import { call, callValue, execute, lookUpBatched, type Db, type Tx } from '../connect';
import { inOrder } from '../list-filters';

export interface WalletRow {
  readonly id: string;
  readonly currency: Currency;
  readonly balance_minor: bigint;
  /** How often something was posted. */
  readonly version: bigint;
}

const LIST = {
  name: 'list_wallets',
  text: `select q.position::int, w.*
           from unnest($1::uuid[], $2::text[])
                with ordinality q (user_id, environment, position)
          cross join lateral (
            select a.public_id as id, a.currency, a.balance_minor, a.version from ledger_accounts a
             where a.user_id = q.user_id and a.environment = q.environment and a.kind = 'wallet'
             order by ${inOrder('a.currency')}) w`,
};

/** One for each currency, in the specification's order. */
export async function listWallets(
  db: Db,
  user_id: string,
  environment: Environment,
): Promise<WalletRow[]> {
  return lookUpBatched<WalletRow>(db, LIST, [user_id, environment]);
}

export interface WalletDay {
  readonly currency: Currency;
  /** `2026-11-21`, of UTC. */
  readonly day: string;
  /** The balance at the day's end; today's, now. */
  readonly balance_minor: bigint;
}

const LIST_DAYS = {
  name: 'list_wallet_days',
  text: `select a.currency, d.day::text, d.balance_minor
           from ledger_accounts a cross join lateral wallet_day_ends(a.id, $3) d
          where a.user_id = $1 and a.environment = $2 and a.kind = 'wallet'
          order by d.day, a.currency`,
};

/** Why the account may send nothing now; undefined when it may. */
export async function findWalletHold(
  db: Db,
  user_id: string,
  environment: Environment,
): Promise<WalletHold | undefined> {
  const values = [user_id, environment];
  return (await callValue<WalletHold | null>(db.lookUps, 'account_hold', values)) ?? undefined;
}

/**
 * What each wallet held at the end of each of the last `days` days, oldest first, then by currency. Not among the short
 * look-ups: a wallet of a million entries takes some hundred of them.
 */
export async function listWalletDays(
  db: Db,
  user_id: string,
  environment: Environment,
  days: number,
): Promise<WalletDay[]> {
  return execute<WalletDay>(db, LIST_DAYS, [user_id, environment, days]);
}

export interface Credit {
  readonly reference: string;
  readonly user_id: string;
  readonly environment: Environment;
  readonly currency: Currency;
  readonly source: 'operator' | 'sandbox_source';
  readonly amount_minor: bigint;
  readonly reason: string;
}

/**
 * `repeated`: the reference credited the same before, and nothing was credited now; the balance is the
 * one after that credit. `reference_used`: it stands for something else.
 */
export type CreditOutcome =
  | { readonly outcome: 'credited' | 'repeated'; readonly balance_minor: bigint }
  | { readonly outcome: 'reference_used' };

/**
 * Credits a wallet from a system account, as one balanced posting, once for each reference. Needs the
 * operators' role. Throws 23514 when the wallet cannot hold it.
 */
export async function creditWallet(
  db: Db | Tx,
  credit: Credit,
  actor: string,
): Promise<CreditOutcome> {
  const { reference, user_id, environment, currency, source, amount_minor, reason } = credit;
  const values = [reference, user_id, environment, currency, source, amount_minor, reason, actor];
  const [row] = await call<CreditOutcome>(db, 'credit_wallet', values);
  return row!;
}
