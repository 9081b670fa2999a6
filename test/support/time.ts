// Time that has passed since all that an account has done so far.

import type { TestDatabase } from './database';

/**
 * Puts the postings, the histories and the accounts that there are into the past. Nothing may be posted
 * meanwhile.
 */
export async function passTime({ owner }: TestDatabase, days: number): Promise<void> {
  await owner.transaction(async (tx) => {
    // Triggers would keep entries as they are.
    await tx.raw('set local session_replication_role = replica');
    const ago = '- make_interval(days => :days)';
    await tx.raw(`update users set created_at = created_at ${ago}`, { days });
    await tx.raw(`update ledger_transactions set created_at = created_at ${ago}`, { days });
    await tx.raw(`update ledger_accounts set last_posted_at = last_posted_at ${ago}`, { days });
    await tx.raw(`update transactions set created_at = created_at ${ago}`, { days });
    await tx.raw('update transactions t set json = transaction_json(t)');
  });
}
