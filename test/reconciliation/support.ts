// A reconciliation of the tests: ordered as an operator orders it, carried out by the real service.

import type { Client } from '@temporalio/client';
import {
  findReconciliation,
  listFindings,
  type CheckResult,
  type StoredFinding,
} from '../../db/reconciliation/reconciliations';
import type { ReconciliationCheck } from '../../domain/reconciliation';
import { createReconciliationStarter } from '../../temporal/reconciliations';
import type { ReconciliationOrder } from '../../workflows/messages';
import type { ReconciliationResult } from '../../workflows/reconciliation';
import type { TestDatabase } from '../support/database';
import { noteSeen, waitFor } from '../support/wait';

export interface Outcome {
  readonly id: bigint;
  readonly checks: Readonly<Record<ReconciliationCheck, CheckResult>>;
  readonly findings: readonly Shown[];
}

/** Leaves out the order in which they were found. */
export type Shown = Omit<StoredFinding, 'id' | 'found_at'>;

export interface Reconciled {
  readonly database: Pick<TestDatabase, 'db'>;
  readonly temporal: Client;
  readonly task_queue: string;
}

/** Everything since the beginning unless the order says otherwise. */
export async function reconcile(
  { database: { db }, temporal, task_queue }: Reconciled,
  order: ReconciliationOrder = { since: '2000-01-01T00:00:00Z' },
): Promise<Outcome> {
  const handle = await createReconciliationStarter(temporal, task_queue)(order);
  if (!handle) throw new Error('another reconciliation runs');
  await waitFor(async () => {
    const { status, raw } = await handle.describe();
    noteSeen(
      'steps that fail',
      raw.pendingActivities?.map(({ activityType, lastFailure }) => [
        activityType?.name,
        lastFailure?.message,
        lastFailure?.stackTrace,
      ]),
    );
    return status.name !== 'RUNNING';
  });
  const { id } = (await handle.result()) as ReconciliationResult;
  return readOutcome(db, BigInt(id));
}

export async function readOutcome(db: TestDatabase['db'], id: bigint): Promise<Outcome> {
  const found = (await findReconciliation(db, id))!;
  const findings = await listFindings(db, id, { limit: 1_000 });
  return {
    id,
    checks: Object.fromEntries(found.checks.map((one) => [one.name, one])) as Outcome['checks'],
    findings: findings.map(({ id: _id, found_at: _at, ...shown }) => shown),
  };
}

/** Each check with its status, and everything that was found. */
export function summary({ checks, findings }: Outcome) {
  const statuses = Object.values(checks).map(({ name, status }) => [name, status]);
  return { ...Object.fromEntries(statuses), findings };
}
