// Credits a wallet from a system account, as an adjustment in the ledger.

import type { Db } from '../db/connect';
import { isCheckViolation } from '../db/errors';
import { creditWallet, type Credit } from '../db/wallets';
import { makeAdjustmentReference } from '../secrets/random';

export type PostedCredit =
  | { readonly ok: true; readonly reference: string; readonly balance_minor: bigint }
  | { readonly ok: false; readonly error: 'balance_limit' };

const MAX_REASON = 500;

/** Not idempotent: each call makes a new reference and credits again. */
export async function postCredit(
  { db }: { readonly db: Db },
  credit: Omit<Credit, 'reference'>,
): Promise<PostedCredit> {
  const reference = makeAdjustmentReference();
  const reason = credit.reason.slice(0, MAX_REASON);
  try {
    const balance_minor = await creditWallet(db, { ...credit, reference, reason });
    return { ok: true, reference, balance_minor };
  } catch (error) {
    // The one check that a valid amount can violate is the wallet's largest balance.
    if (!isCheckViolation(error)) throw error;
    return { ok: false, error: 'balance_limit' };
  }
}
