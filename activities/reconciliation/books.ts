// The books against themselves: everything that `ledger verify` checks, wallets against entries
// above all. What waits to be settled is counted apart: a violation beside it alarms all the same.

import type { Db } from '../../db/connect';
import { countEntries } from '../../db/ledger/ledger-seals';
import { isStatementTimeout } from '../../db/errors';
import { listLosses } from '../../db/suspense/losses';
import { verifyLedger } from '../../db/verify/verify';
import { formatAmount } from '../../domain/money';
import { NotChecked, type CheckRun } from './check-run';

/**
 * The longest that one statement may take. All of them together need eleven minutes for twenty
 * million entries.
 */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;

/** The connection may be silent for as long as a statement takes. */
export async function checkBooks({ db }: { readonly db: Db }, run: CheckRun): Promise<true> {
  try {
    run.count(await countEntries(db));
    const violations = await verifyLedger(db, undefined, {
      statement_timeout_ms: STATEMENT_TIMEOUT_MS,
      is_modest: true,
      onCheck: run.goOn,
    });
    await run.report(
      ...violations
        .filter(({ is_loss }) => !is_loss)
        .map(({ invariant, what, reference }) => ({
          kind: 'violation' as const,
          reference,
          detail: `${invariant}: ${what}`,
          is_repaired: false,
        })),
    );
    return true;
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw new NotChecked(`a check of the books took longer than ${STATEMENT_TIMEOUT_MS / 1000} s`);
  }
}

export async function checkLosses({ db }: { readonly db: Db }, run: CheckRun): Promise<true> {
  const losses = await listLosses(db);
  await run.report(
    ...losses.map(({ reference, environment, currency, amount_minor }) => ({
      kind: 'loss' as const,
      reference,
      detail: `${formatAmount(amount_minor)} ${currency} (${environment})`,
      is_repaired: false,
    })),
  );
  return true;
}
