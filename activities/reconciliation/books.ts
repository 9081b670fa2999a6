// The books against themselves: what was posted since the last time and one older month, in the pieces of
// db/verify/pieces.ts; each older month has its turn. What waits to be settled is counted apart: a violation beside it
// alarms all the same.

import type { Db } from '../../db/connect';
import { isStatementTimeout } from '../../db/errors';
import { listLosses } from '../../db/suspense/losses';
import { monthInTurn, verifyOthers, verifyPeriod, verifySealsOf } from '../../db/verify/pieces';
import { formatAmount } from '../../domain/money';
import { NotChecked, type CheckRun } from './check-run';

/** The connection may be silent for as long as a statement takes. */
export async function checkBooks({ db }: { readonly db: Db }, run: CheckRun): Promise<true> {
  try {
    const limits = { is_modest: true, onCheck: run.goOn, onEntries: run.count };
    const since = { from: Date.parse(run.time.from), to: null };
    const older = await monthInTurn(db, new Date());
    const violations = [
      ...(await verifyPeriod(db, since, limits)),
      ...(older ? await verifyPeriod(db, older, limits) : []),
      ...(await verifyOthers(db, limits)),
      ...(await verifySealsOf(db, since)),
      ...(older ? await verifySealsOf(db, older) : []),
    ];
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
    throw new NotChecked('a check of the books took longer than a minute: run `ledger verify`');
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
