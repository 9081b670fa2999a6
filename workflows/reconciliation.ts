// A reconciliation: one check after the other. One that fails is a result, and the others are made
// all the same. One runs at a time, because its workflow has one id; the schedule's own workflow
// only starts it.

import {
  ActivityFailure,
  executeChild,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { ApplicationFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { CheckStart, ReconciliationActivities } from '../activities/reconciliation/index';
import type { CheckSummary } from '../activities/reconciliation/check-run';
import { reconciliationWorkflowId } from '../domain/ids';
import { parseInstant } from '../domain/instant';
import type { ReconciliationCheck } from '../domain/reconciliation';
import type { ReconciliationOrder } from './messages';
import { LONG_ACTIVITY, RECONCILIATION_ACTIVITY } from './options';

const checks = proxyActivities<ReconciliationActivities>(RECONCILIATION_ACTIVITY);
const rows = proxyActivities<ReconciliationActivities>(LONG_ACTIVITY);

export interface ReconciliationResult {
  readonly id: string;
  readonly checks: readonly CheckSummary[];
}

/** The schedule's workflow. Null when another reconciliation runs already. */
export async function scheduledReconciliation(): Promise<ReconciliationResult | null> {
  const workflowId = reconciliationWorkflowId(workflowInfo().taskQueue);
  try {
    return await executeChild(reconciliation, { workflowId, args: [{}] });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
}

export async function reconciliation(order?: ReconciliationOrder): Promise<ReconciliationResult> {
  const since = readSince(order);
  const id = await rows.beginReconciliation();
  const start: CheckStart = { id, since };
  const steps: readonly (readonly [ReconciliationCheck, () => Promise<CheckSummary>])[] = [
    ['gateway_live', () => checks.reconcileGateway(start, 'live')],
    ['gateway_sandbox', () => checks.reconcileGateway(start, 'sandbox')],
    ['workflows', () => checks.reconcileWorkflows(start)],
    ['events', () => checks.reconcileEvents(start)],
    // The books come after the checks above, because they take longest.
    ['books', () => checks.reconcileBooks(start)],
    ['losses', () => checks.reconcileLosses(start)],
  ];
  const done: CheckSummary[] = [];
  for (const [name, step] of steps) {
    setCurrentDetails(describe(id, done, name));
    done.push(await checked(start, name, step));
  }
  await rows.endReconciliation(start);
  setCurrentDetails(describe(id, done));
  return { id, checks: done };
}

/** Started by hand, it may be anything. */
function readSince(order: unknown): string | null {
  const { since = null } = Object(order) as { readonly since?: unknown };
  const instant = typeof since === 'string' ? parseInstant(since) : undefined;
  if (since === null || instant !== undefined) return instant ?? null;
  throw ApplicationFailure.nonRetryable('`since` is no instant', 'malformed_start');
}

async function checked(
  start: CheckStart,
  name: ReconciliationCheck,
  step: () => Promise<CheckSummary>,
): Promise<CheckSummary> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    return rows.noteNotChecked(start, name, error.cause?.message ?? error.message);
  }
}

/** Writes Markdown, for Temporal's UI. */
function describe(id: string, done: readonly CheckSummary[], now?: ReconciliationCheck): string {
  const lines = done.map(({ check, status, found, repaired }) => {
    const numbers = found === 0 ? '' : `: ${found} found, ${repaired} repaired`;
    return `- ${check}: **${status}**${numbers}`;
  });
  const next = now === undefined ? [] : [`- ${now}: under way`];
  return [`Reconciliation ${id}`, '', ...lines, ...next].join('\n');
}
