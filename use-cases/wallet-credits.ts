// Credits a wallet from a system account, as an adjustment in the ledger.

import type { Db } from '../db/connect';
import { isCheckViolation } from '../db/errors';
import { limitOf } from '../db/limits/limits';
import { creditWallet, type Credit } from '../db/ledger/wallets';
import { makeAdjustmentReference } from '../secrets/random';
import { doOrRequest, type ApprovalNeeded } from './approvals';

export type PostedCredit =
  | {
      readonly ok: true;
      /** The balance after the credit. */
      readonly balance_minor: bigint;
      /** The reference credited the same before: nothing was credited now. */
      readonly is_repeat: boolean;
    }
  | {
      readonly ok: false;
      readonly error: 'limit_exceeded' | 'reference_used' | 'invalid_reference';
    };

export interface CreditDependencies {
  readonly db: Db;
  readonly actor: string;
}

const MAX_REASON = 500;
/** The ledger's own bounds, and nothing that needs quoting. */
const REFERENCE = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/** Names a credit before it is made, so that it can be repeated. */
export const newCreditReference = (): string => makeAdjustmentReference();

/**
 * One statement, and one credit for each reference: an operator who does not know the outcome
 * repeats it with the same reference and the same values.
 */
export async function postCredit(
  dependencies: CreditDependencies,
  credit: Credit,
): Promise<PostedCredit | ApprovalNeeded> {
  if (!REFERENCE.test(credit.reference)) return { ok: false, error: 'invalid_reference' };
  const reason = credit.reason.slice(0, MAX_REASON);
  const given = { ...credit, reason, amount_minor: credit.amount_minor.toString() };
  const request = { action: 'wallets.credit', arguments: given, reason } as const;
  return doOrRequest(dependencies, request, () => creditNow(dependencies, { ...credit, reason }));
}

async function creditNow({ db, actor }: CreditDependencies, credit: Credit): Promise<PostedCredit> {
  try {
    const posted = await creditWallet(db, credit, actor);
    if (posted.outcome === 'reference_used') return { ok: false, error: 'reference_used' };
    const { outcome, balance_minor } = posted;
    return { ok: true, balance_minor, is_repeat: outcome === 'repeated' };
  } catch (error) {
    if (!isCheckViolation(error, 'wallet_balance') && !limitOf(error)) throw error;
    return { ok: false, error: 'limit_exceeded' };
  }
}
