// Rows against Temporal's running workflows, in both directions. A workflow that a row waits for is
// started, by the same functions as the sweeps use. One whose row has ended is only reported: it
// may hold what an operator wants to see.
//
// A row ends before its workflow does. So a workflow that does not run, and a row that is read
// afterwards and still waits, are a finding and no race.

import type { Db } from '../../db/connect';
import {
  isIntentOpen,
  listEndedBatches,
  listEndedIntents,
  listEndedItems,
  listEndedPayouts,
  listEndedRefunds,
  listOpenItems,
  listOpenPayouts,
  listOpenRefunds,
} from '../../db/reconciliation/reconciled-workflows';
import type { IntentToRun } from '../../db/payment-intents/intents';
import { findPursued } from '../../db/pursuits';
import { listStalledBatches, type BatchToRun } from '../../db/transfer-batches/transfer-batches';
import {
  bulkTransferWorkflowId,
  intentWorkflowId,
  pursuitWorkflowId,
  rowIdIn,
} from '../../domain/ids';
import type { Pursue } from '../../temporal/pursuits';
import type { RunningWorkflow, RunningWorkflows } from '../../temporal/running-workflows';
import type { StartBatch } from '../../temporal/transfer-batches';
import { startLostWorkflows } from '../../use-cases/lost-workflows';
import type { CheckRun } from './check-run';

export interface WorkflowsCheckDependencies {
  readonly db: Db;
  readonly running_workflows: RunningWorkflows;
  /** Starts an intent's workflow unless it runs. True when it did not run. */
  readonly startIntent: (intent: IntentToRun) => Promise<boolean>;
  readonly startBatch: StartBatch;
  readonly pursue: Pursue;
  /** A payout that is younger is under way. */
  readonly reconcile_grace_ms: number;
}

/**
 * The longest that a transfer's workflow may run: a transfer is posted within seconds, or never.
 */
const LONGEST_TRANSFER_MS = 600_000;
const PAGE = 500;
/** Batches that stand still; there is one for each account at most. */
const MOST_BATCHES = 1_000;

type Deps = WorkflowsCheckDependencies;

export async function checkWorkflows(dependencies: Deps, run: CheckRun): Promise<true> {
  await compareIntents(dependencies, run);
  for (const pursuit of PURSUITS) await comparePursuits(dependencies, run, pursuit);
  await compareBatches(dependencies, run);
  await compareTransfers(dependencies, run);
  return true;
}

async function compareIntents(dependencies: Deps, run: CheckRun): Promise<void> {
  const { db, startIntent, reconcile_grace_ms: grace } = dependencies;
  const running = await compareRunning(dependencies, run, ['paymentIntent'], (ids) =>
    listEndedIntents(db, ids, grace),
  );
  await startLostWorkflows({
    db,
    startIntent: (intent) => {
      const { environment, id, reference } = intent;
      if (running.has(id)) return Promise.resolve(false);
      return restart(dependencies, run, {
        workflow_id: intentWorkflowId(environment, id),
        what: reference,
        isWaiting: () => isIntentOpen(db, intent, grace),
        start: () => startIntent(intent),
      });
    },
    onProgress: run.goOn,
  });
}

/** Each kind whose rows wait for a third party, and for nothing else, as long as they are open. */
const PURSUITS = [
  { kind: 'suspense-refund', listOpen: listOpenItems, listEnded: listEndedItems },
  { kind: 'refund', listOpen: listOpenRefunds, listEnded: listEndedRefunds },
  { kind: 'payout', listOpen: listOpenPayouts, listEnded: listEndedPayouts },
] as const;

async function comparePursuits(
  dependencies: Deps,
  run: CheckRun,
  { kind, listOpen, listEnded }: (typeof PURSUITS)[number],
): Promise<void> {
  const { db, reconcile_grace_ms: grace, pursue } = dependencies;
  const running = await compareRunning(dependencies, run, ['pursue', `${kind}/`], (ids) =>
    listEnded(db, ids, grace),
  );
  const open = (await listOpen(db, null, grace)).filter((one) => !running.has(one));
  for (const { id, environment, reference } of await findPursued(db, kind, open)) {
    await restart(dependencies, run, {
      workflow_id: pursuitWorkflowId(kind, environment, id),
      what: reference,
      isWaiting: async () => (await listOpen(db, [id], grace)).length > 0,
      start: () => pursue(kind, [id]),
    });
  }
}

async function compareBatches(dependencies: Deps, run: CheckRun): Promise<void> {
  const { db, startBatch, reconcile_grace_ms: grace } = dependencies;
  await compareRunning(dependencies, run, ['transferBatch'], (ids) =>
    listEndedBatches(db, ids, grace),
  );
  // Only the first batch of an account has a workflow, and one that goes on does not stand still.
  const listStill = (): Promise<BatchToRun[]> => listStalledBatches(db, grace, MOST_BATCHES);
  for (const batch of await listStill()) {
    await restart(dependencies, run, {
      workflow_id: bulkTransferWorkflowId(batch.environment, batch.id),
      what: `bulk transfer of ${batch.total}`,
      isWaiting: async () => (await listStill()).some(({ id }) => id === batch.id),
      start: () => startBatch(batch),
    });
  }
}

/** They have no row before they have ended: only their age tells. */
async function compareTransfers(dependencies: Deps, run: CheckRun): Promise<void> {
  const oldest = Date.parse(run.time.to) - LONGEST_TRANSFER_MS;
  for await (const listed of dependencies.running_workflows.list('transfers')) {
    run.count(1);
    if (listed.started_at.getTime() > oldest) continue;
    await reportLeftOver(dependencies, run, listed, 'transfers without an end');
  }
}

/** The ids in the workflows' ids. Reports those that run for a row that has ended. */
async function compareRunning(
  dependencies: Deps,
  run: CheckRun,
  workflows: Parameters<RunningWorkflows['list']>,
  listEnded: (ids: readonly string[]) => Promise<string[]>,
): Promise<ReadonlySet<string>> {
  const { running_workflows, reconcile_grace_ms } = dependencies;
  const settled_before = Date.parse(run.time.to) - reconcile_grace_ms;
  const running = new Set<string>();
  let page = new Map<string, RunningWorkflow>();
  const compare = async (): Promise<void> => {
    run.goOn();
    run.count(page.size);
    for (const id of await listEnded([...page.keys()])) {
      await reportLeftOver(dependencies, run, page.get(id)!, 'its row has ended or is not there');
    }
    page = new Map();
  };
  for await (const workflow of running_workflows.list(...workflows)) {
    const id = rowIdIn(workflow.workflow_id);
    // A person has started it by hand.
    if (id === undefined) continue;
    running.add(id);
    if (workflow.started_at.getTime() < settled_before) page.set(id, workflow);
    if (page.size === PAGE) await compare();
  }
  await compare();
  return running;
}

async function reportLeftOver(
  { running_workflows }: Deps,
  run: CheckRun,
  listed: RunningWorkflow,
  why: string,
): Promise<void> {
  // That run: a repair may have started another one since Temporal listed it.
  if (!(await running_workflows.isRunning(listed))) return;
  const { workflow_id: reference, started_at } = listed;
  const detail = `${why}; started ${started_at.toISOString()}`;
  await run.report({ kind: 'workflow_left_over', reference, detail, is_repaired: false });
}

interface Waiting {
  readonly workflow_id: string;
  readonly what: string;
  /** Read after the workflow was found not to run. */
  readonly isWaiting: () => Promise<boolean>;
  readonly start: () => Promise<unknown>;
}

/** True when it was missing. */
async function restart(
  { running_workflows }: Deps,
  run: CheckRun,
  { workflow_id, what, isWaiting, start }: Waiting,
): Promise<boolean> {
  if (await running_workflows.isRunning({ workflow_id })) return false;
  if (!(await isWaiting())) return false;
  const finding = { kind: 'workflow_missing', reference: workflow_id, detail: what } as const;
  await run.report({ ...finding, is_repaired: false });
  await start();
  await run.report({ ...finding, is_repaired: true });
  return true;
}
