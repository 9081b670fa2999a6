// The safeguarding report: whether what is held covers what customers have. Figures of the entries up to a moment.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { call, type Db } from '../connect';

export interface AccountsAt {
  readonly at: string;
  readonly currency: Currency;
  readonly kind: string;
  /** The bank's or the provider's. */
  readonly name: string | null;
  /** The ledger's own: what is held is negative. */
  readonly balance_minor: bigint;
}

/** A moment of a year ago reads the entries of the year. */
const TIMEOUT_MS = 600_000;

/**
 * All accounts of an environment by kind, at `at` or, with null, now. Throws a violation of moment_has_passed for a
 * future moment. Needs the operators' role.
 */
export async function readAccountsAt(
  db: Db,
  environment: Environment,
  at: string | null,
): Promise<readonly AccountsAt[]> {
  return (db.patient ?? db).transaction(async (tx) => {
    await tx.raw(`set local statement_timeout = ${TIMEOUT_MS}`);
    return call<AccountsAt>(tx, 'report_safeguarding', [environment, at]);
  });
}
