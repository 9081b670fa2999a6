// A long history, made in a moment: what a merchant has after years.

import type { TestDatabase } from '../support/database';
import type { TestUser } from '../support/users';

export interface LongHistory {
  readonly user: Pick<TestUser, 'id'>;
  readonly rows: number;
  readonly currency?: 'XOF' | 'EUR' | 'USD';
  /** How long ago the first of them was; the last was a minute ago, and all have equal distances. */
  readonly days: number;
}

/**
 * Live deposits of 1.00 each, with their ledger entries, for a wallet without entries so far. No
 * test may verify the database: the other sides of the entries are left out.
 */
export async function buildLongHistory(
  { owner }: TestDatabase,
  { user, rows, currency = 'XOF', days }: LongHistory,
): Promise<void> {
  const values = { user: user.id, rows, currency, days };
  await owner.transaction(async (tx) => {
    // Triggers would check single postings, and refuse entries without their other side.
    await tx.raw('set local session_replication_role = replica');
    await tx.raw('set local statement_timeout = 0');
    await tx.raw(
      `create temporary table posting on commit drop as
       select n, md5(:user::text || :currency || n)::uuid as id,
              :currency || '-' || left(md5(:user::text), 8) || '-' || n as reference,
              clock_timestamp() - interval '1 minute'
                - make_interval(secs => (:rows::float8 - n) / :rows * :days * 86400) as at
         from generate_series(1, :rows::integer) n`,
      values,
    );
    await tx.raw(
      `insert into ledger_transactions (id, reference, environment, kind, created_at)
       select id, reference, 'live', 'adjustment', at from posting`,
    );
    await tx.raw(
      `insert into ledger_entries (transaction_id, account_id, environment, currency, amount_minor,
         balance_after_minor, account_version)
       select p.id, a.id, 'live', a.currency, 100, n * 100, n
         from posting p, ledger_accounts a
        where a.user_id = :user and a.environment = 'live' and a.currency = :currency`,
      values,
    );
    await tx.raw(
      `insert into transactions (id, user_id, environment, type, status, direction, currency,
         amount_minor, fee_minor, balance_after_minor, reference, ledger_transaction_id, created_at, json)
       select p.id, :user, 'live', 'deposit', 'completed', 'in', :currency, 100, 0, n * 100, reference,
              p.id, at, '{}'
         from posting p`,
      values,
    );
    await tx.raw(
      `update ledger_accounts a
          set balance_minor = :rows * 100, version = :rows,
              last_posted_at = (select max(at) from posting)
        where a.user_id = :user and a.environment = 'live' and a.currency = :currency`,
      values,
    );
    await tx.raw('analyze ledger_entries, ledger_transactions, transactions');
  });
}
