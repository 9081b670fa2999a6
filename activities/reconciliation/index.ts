// The steps of a reconciliation (docs/decisions/production.md): one activity for each check. They read in pages and
// short statements: no transfer waits for any of it. Repeated, a step does no more than is left; started by hand, it
// does nothing without a reconciliation that runs.

import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import type { Db } from '../../db/connect';
import {
  beginReconciliation,
  beginReconciliationCheck,
  endReconciliation,
  endReconciliationCheck,
} from '../../db/reconciliation/reconciliations';
import type { Environment } from '../../domain/environment';
import { isNotificationId as isRowNumber } from '../../domain/ids';
import { parseInstant } from '../../domain/instant';
import {
  gatewayCheck,
  isReconciliationCheck,
  type ReconciliationCheck,
} from '../../domain/reconciliation';
import { withHeartbeats } from '../heartbeats';
import { checkBooks, checkLosses } from './books';
import { runCheck, tellOperators, type CheckRun, type CheckSummary } from './check-run';
import { checkEvents } from './events';
import { checkGateways, type GatewayCheckDependencies } from './gateway';
import { checkWorkflows, type WorkflowsCheckDependencies } from './workflows';

export interface ReconciliationActivityDependencies
  extends GatewayCheckDependencies, WorkflowsCheckDependencies {
  /** A pool for what takes minutes: its connections may be silent, and its statements long. */
  readonly patient_db: Db;
}

/** The workflow hands it to each step. */
export interface CheckStart {
  /** The reconciliation's id. */
  readonly id: string;
  /** ISO 8601: compare from then on; null: from where the last one ended. */
  readonly since: string | null;
}

/**
 * What each reconciliation looks at once more. Payments of two weeks: Stripe lists one by the
 * moment when the customer began it, and a debit from a bank account takes up to 14 days to succeed
 * or to come back.
 */
const OVERLAP_SECONDS = { payments: 14 * 86_400, events: 86_400, books: 3_600 };

export function createReconciliationActivities(dependencies: ReconciliationActivityDependencies) {
  const { db, patient_db } = dependencies;
  const patient = { ...dependencies, db: patient_db };

  const check = (
    start: CheckStart,
    name: ReconciliationCheck,
    overlap_seconds: number,
    work: (run: CheckRun) => Promise<boolean>,
  ): Promise<CheckSummary> => {
    const order = { ...readStart(start), check: name, overlap_seconds };
    return runCheck(dependencies, order, work);
  };

  return withHeartbeats({
    /** Begins a reconciliation, once for each run of the workflow, and returns its id. */
    async beginReconciliation(): Promise<string> {
      const { workflowExecution } = activityInfo();
      return String(await beginReconciliation(db, workflowExecution!.runId));
    },

    reconcileBooks: (start: CheckStart): Promise<CheckSummary> =>
      check(start, 'books', OVERLAP_SECONDS.books, (run) => checkBooks(patient, run)),

    reconcileLosses: (start: CheckStart): Promise<CheckSummary> =>
      check(start, 'losses', 0, (run) => checkLosses(patient, run)),

    reconcileGateway: (start: CheckStart, environment: Environment): Promise<CheckSummary> =>
      check(start, gatewayCheck(environment), OVERLAP_SECONDS.payments, (run) =>
        checkGateways(patient, environment, run),
      ),

    reconcileEvents: (start: CheckStart): Promise<CheckSummary> =>
      check(start, 'events', OVERLAP_SECONDS.events, (run) => checkEvents(patient, run)),

    reconcileWorkflows: (start: CheckStart): Promise<CheckSummary> =>
      check(start, 'workflows', 0, (run) => checkWorkflows(patient, run)),

    /** Records a step that failed again and again as not checked. */
    async noteNotChecked(start: CheckStart, name: string, why: string): Promise<CheckSummary> {
      if (!isReconciliationCheck(name)) throw malformed();
      const order = { ...readStart(start), check: name, overlap_seconds: 0 };
      await beginReconciliationCheck(db, order);
      const end = { outcome: 'not_checked', compared: 0, why: why || 'it failed' } as const;
      await endReconciliationCheck(db, order.id, name, end);
      return tellOperators(dependencies, order.id, name);
    },

    async endReconciliation(start: CheckStart): Promise<void> {
      await endReconciliation(db, readStart(start).id);
    },
  });
}

export type ReconciliationActivities = ReturnType<typeof createReconciliationActivities>;

/** Started by hand, it may be anything. */
function readStart(start: unknown): { readonly id: bigint; readonly since: string | null } {
  const { id, since } = Object(start) as Partial<CheckStart>;
  if (!isRowNumber(id)) throw malformed();
  if (since === null || since === undefined) return { id: BigInt(id), since: null };
  const instant = typeof since === 'string' ? parseInstant(since) : undefined;
  if (instant === undefined) throw malformed();
  return { id: BigInt(id), since: instant };
}

function malformed(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('this is no step of a reconciliation', 'malformed_start');
}
