// Everything the database holds about the users of one experiment, read in one snapshot.

import type { Db } from '../../../db/connect';
import type { Currency } from '../../../domain/currency';
import type { Environment } from '../../../domain/environment';
import { groupBy } from './group';
import type { FundedUser } from './users';

export interface TransferKept {
  readonly reference: string;
  readonly scope: string;
  /** Names the request that made it. */
  readonly request_id: string;
  readonly recipient_id: string;
  readonly currency: Currency;
  readonly amount_minor: bigint;
}

export interface EntryKept {
  readonly reference: string;
  readonly user_id: string | null;
  readonly currency: Currency;
  readonly amount_minor: bigint;
}

export interface WalletKept {
  readonly user_id: string;
  readonly environment: Environment;
  readonly currency: Currency;
  readonly balance_minor: bigint;
}

/** The amounts that customers' payments have added to a wallet. */
export interface DepositKept extends Omit<WalletKept, 'balance_minor'> {
  readonly amount_minor: bigint;
}

/** A scope is `<sender id> <environment> <idempotency key>`. */
export interface Books {
  readonly answers: ReadonlyMap<string, { readonly body: string }>;
  readonly transfers: ReadonlyMap<string, readonly TransferKept[]>;
  readonly references: ReadonlySet<string>;
  readonly entries: ReadonlyMap<string, readonly EntryKept[]>;
  readonly wallets: readonly WalletKept[];
  readonly deposits: readonly DepositKept[];
}

export async function readBooks(db: Db, users: readonly FundedUser[]): Promise<Books> {
  const ids = users.map(({ id }) => id);
  return db.transaction(
    async (tx) => {
      const read = async <Row>(sql: string): Promise<Row[]> =>
        ((await tx.raw(sql, { ids })) as { rows: Row[] }).rows;
      const answers = await read<{ scope: string; body: string }>(
        `select user_id || ' ' || environment || ' ' || key as scope, body
           from idempotency_keys where user_id = any(:ids)`,
      );
      const transfers = await read<TransferKept>(
        `select reference, sender_id || ' ' || environment || ' ' || idempotency_key as scope,
                request_id, recipient_id, currency, amount_minor
           from transfers where sender_id = any(:ids) or recipient_id = any(:ids)`,
      );
      const entries = await read<EntryKept>(
        `select t.reference, a.user_id, e.currency, e.amount_minor
           from ledger_transactions t
           join ledger_entries e on e.transaction_id = t.id
           join ledger_accounts a on a.id = e.account_id
          where t.kind = 'transfer' and exists (
                  select from ledger_entries o join ledger_accounts w on w.id = o.account_id
                   where o.transaction_id = t.id and w.user_id = any(:ids))`,
      );
      const wallets = await read<WalletKept>(
        `select user_id, environment, currency, balance_minor
           from ledger_accounts where user_id = any(:ids) and kind = 'wallet'`,
      );
      const deposits = await read<DepositKept>(
        `select a.user_id, a.environment, a.currency, sum(e.amount_minor)::bigint as amount_minor
           from ledger_transactions t
           join ledger_entries e on e.transaction_id = t.id
           join ledger_accounts a on a.id = e.account_id
          where t.kind = 'payment' and a.kind = 'wallet' and a.user_id = any(:ids)
          group by a.user_id, a.environment, a.currency`,
      );
      return {
        answers: new Map(answers.map((row) => [row.scope, row])),
        transfers: groupBy(transfers, (row) => row.scope),
        references: new Set(transfers.map((row) => row.reference)),
        entries: groupBy(entries, (row) => row.reference),
        wallets,
        deposits,
      };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}
