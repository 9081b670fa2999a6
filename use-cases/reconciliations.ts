// A reconciliation that an operator orders now, by a command or a button.

import { addAuditRow } from '../db/operators/audit';
import { reconciliationWorkflowId } from '../domain/ids';
import type { StartReconciliation } from '../temporal/reconciliations';
import type { Requesting } from './approvals';

export interface Reconciling extends Requesting {
  readonly task_queue: string;
  readonly startReconciliation: StartReconciliation;
}

/**
 * Starts it and returns its handle; undefined when one runs already. The row in the audit log comes
 * first, because the effect is not in Postgres.
 */
export async function reconcileNow(
  { db, actor, task_queue, startReconciliation }: Reconciling,
  order: Parameters<StartReconciliation>[0],
): ReturnType<StartReconciliation> {
  const subject = reconciliationWorkflowId(task_queue);
  const details = { since: order.since ?? null };
  await db.transaction((tx) =>
    addAuditRow(tx, { actor, action: 'reconcile.run', subject, details }),
  );
  return startReconciliation(order);
}
