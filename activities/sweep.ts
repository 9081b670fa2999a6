// Makes up for what was lost: whatever waits in a row for longer than it should is handed over
// again, or its workflow is started again; and the workflows of intents that cannot go on are
// started anew.

import { isDatabaseUnavailable } from '../db/errors';
import { listDueIdentityChecks } from '../db/accounts/identity-checks';
import { listStalledMails } from '../db/people/mails';
import { claimWaitingNotifications, type ClaimedNotification } from '../db/suspense/notifications';
import { listWaitingReceipts } from '../db/payment-intents/receipts';
import { listStalled } from '../db/pursuits';
import { listStalledPayoutBatches } from '../db/payout-batches/payout-batches';
import { listStalledBatches } from '../db/transfer-batches/transfer-batches';
import { forEach } from '../domain/limit';
import { PURSUIT_KINDS, type PursuitKind } from '../domain/pursuit';
import type { WakeIdentityCheck } from '../temporal/identity-checks';
import type { StartMail } from '../temporal/mails';
import type { DeliverNotification } from '../temporal/notifications';
import type { RestartIntent } from '../temporal/payment-intents';
import type { StartPayoutBatch } from '../temporal/payout-batches';
import type { Pursue } from '../temporal/pursuits';
import type { WorkflowRun, RunningWorkflows } from '../temporal/running-workflows';
import type { StartBatch } from '../temporal/transfer-batches';
import {
  giveUpOldReceipts,
  makeReceiptMail,
  type ReceiptDependencies,
} from '../use-cases/receipts';
import { withHeartbeats } from './heartbeats';
import type { NotificationActivities } from './notifications';

export interface SweepDependencies extends ReceiptDependencies {
  readonly deliverNotification: DeliverNotification;
  readonly running_workflows: Pick<RunningWorkflows, 'listBroken'>;
  readonly restartIntent: RestartIntent;
  readonly pursue: Pursue;
  readonly startBatch: StartBatch;
  readonly startPayoutBatch: StartPayoutBatch;
  readonly wakeIdentityCheck: WakeIdentityCheck;
  /** Undefined when this installation sends no mails. */
  readonly startMail: StartMail | undefined;
  /** Tells operators what went wrong. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** How long a signal may take before the sweeper believes that it was lost. */
const SIGNAL_WITHIN_MS = 5_000;
/**
 * A notification that was handed over so long ago and is not applied has a workflow that cannot go
 * on. The sweeper then applies it itself: the money was paid, whatever has become of the workflow.
 */
const APPLY_WITHIN_MS = 180_000;
/** A check whose workflow runs is looked at when it is due. */
const CHECK_LATE_MS = 60_000;
/**
 * A batch that has a turn goes on within moments; to start a workflow that runs changes nothing.
 */
const BATCH_STILL_MS = 15_000;
/** The workflow of a mail tries at least once an hour. */
const MAIL_TRIED_WITHIN = { new_ms: 15_000, tried_ms: 7_200_000 };
/** Rows of each kind in one sweep; what is left has its turn in the next one. */
const SWEEP_BATCH = 100;
/** Only the sweep makes receipts, and every payment may need one: there may be far more of them. */
const RECEIPTS_WITHIN_MS = 5_000;
/** Many, so that a few slow items do not make up the whole sweep; few for Temporal and Postgres. */
const SWEEP_AT_ONCE = 10;

export function createSweepActivities(
  dependencies: SweepDependencies,
  { applyNotification }: Pick<NotificationActivities, 'applyNotification'>,
) {
  const { db, log, startMail } = dependencies;

  async function handOver(notification: ClaimedNotification): Promise<void> {
    const { id, intent_status, age_ms } = notification;
    // Until its checkout is open, only the intent's workflow knows when the notification can be
    // applied.
    if (age_ms >= APPLY_WITHIN_MS && intent_status !== 'creating') await applyNotification(id);
    else await dependencies.deliverNotification(notification);
  }

  async function listBroken(): Promise<(WorkflowRun & { readonly id: string })[]> {
    try {
      const broken = await dependencies.running_workflows.listBroken('paymentIntent', SWEEP_BATCH);
      return broken.map((one) => ({ ...one, id: one.workflow_id }));
    } catch (error) {
      log({ part: 'sweep', error: `broken workflows cannot be listed: ${String(error)}` });
      return [];
    }
  }

  /** No step is lost or done twice: each is decided by the intent's row. */
  async function restart(broken: WorkflowRun): Promise<boolean> {
    const done = await dependencies.restartIntent(broken);
    if (done === undefined) return false;
    const { workflow_id, run_id } = broken;
    log({ part: 'sweep', workflow_id, run_id, error: `its history did not fit: ${done}` });
    return true;
  }

  return withHeartbeats({
    /** Returns how many had something done to them: notifications, and all that has lost its workflow. */
    async sweepNotifications(): Promise<number> {
      let treated = await sweep(log, 'notification', {
        list: () => claimWaitingNotifications(db, SIGNAL_WITHIN_MS, SWEEP_BATCH),
        treat: handOver,
      });
      treated += await sweep(log, 'intent', { list: listBroken, treat: restart });
      for (const kind of PURSUIT_KINDS) {
        treated += await sweep(log, kind, {
          list: () => listStalled(db, kind, SWEEP_BATCH),
          treat: (id) => dependencies.pursue(kind, [id]),
        });
      }
      treated += await sweep(log, 'batch', {
        list: () => listStalledBatches(db, BATCH_STILL_MS, SWEEP_BATCH),
        treat: dependencies.startBatch,
      });
      treated += await sweep(log, 'payout batch', {
        list: () => listStalledPayoutBatches(db, BATCH_STILL_MS, SWEEP_BATCH),
        treat: dependencies.startPayoutBatch,
      });
      treated += await sweep(log, 'identity check', {
        list: () => listDueIdentityChecks(db, CHECK_LATE_MS, SWEEP_BATCH),
        treat: dependencies.wakeIdentityCheck,
      });
      if (!startMail) return treated;
      treated += await sweep(log, 'receipt', {
        list: async () => {
          const dropped = await giveUpOldReceipts(db);
          if (dropped > 0) log({ part: 'sweep', kind: 'receipt', dropped });
          return listWaitingReceipts(db, SWEEP_BATCH);
        },
        again_within_ms: RECEIPTS_WITHIN_MS,
        treat: async (receipt) => {
          const mail_id = await makeReceiptMail(dependencies, receipt);
          if (mail_id === undefined) return false;
          return startMail(mail_id);
        },
      });
      treated += await sweep(log, 'mail', {
        list: () => listStalledMails(db, MAIL_TRIED_WITHIN, SWEEP_BATCH),
        treat: startMail,
      });
      return treated;
    },
  });
}

export type SweepActivities = ReturnType<typeof createSweepActivities>;

interface Swept<Item> {
  readonly list: () => Promise<readonly Item[]>;
  /** False when nothing had to be done. */
  readonly treat: (item: Item) => Promise<boolean | void>;
  /** A whole batch is followed by the next one, for no longer than this. */
  readonly again_within_ms?: number;
}

type SweepKind =
  | 'notification'
  | 'intent'
  | PursuitKind
  | 'batch'
  | 'payout batch'
  | 'identity check'
  | 'receipt'
  | 'mail';

/**
 * Returns how many had something done to them. One that fails is logged, and the others go on; so
 * do the other kinds when Postgres refuses to list one.
 */
async function sweep<Item extends string | { readonly id: string }>(
  log: SweepDependencies['log'],
  kind: SweepKind,
  { again_within_ms = 0, ...swept }: Swept<Item>,
): Promise<number> {
  const began = performance.now();
  let treated = 0;
  let last: SweptBatch;
  do {
    last = await sweepBatch(log, kind, swept);
    treated += last.treated;
  } while (
    last.listed === SWEEP_BATCH &&
    last.treated > 0 &&
    performance.now() - began < again_within_ms
  );
  return treated;
}

interface SweptBatch {
  readonly listed: number;
  readonly treated: number;
}

async function sweepBatch<Item extends string | { readonly id: string }>(
  log: SweepDependencies['log'],
  kind: SweepKind,
  { list, treat }: Swept<Item>,
): Promise<SweptBatch> {
  const items = await list().catch((error: unknown): Item[] => {
    if (isDatabaseUnavailable(error)) throw error;
    log({ part: 'sweep', kind, error: String(error) });
    return [];
  });
  let treated = 0;
  let failed = 0;
  await forEach(items, SWEEP_AT_ONCE, async (item) => {
    try {
      if ((await treat(item)) !== false) treated += 1;
    } catch (error) {
      failed += 1;
      const id = typeof item === 'string' ? item : item.id;
      log({ part: 'sweep', [kind]: id, error: String(error) });
    }
  });
  if (failed > 0) log({ part: 'sweep', kind, failed, of: items.length });
  return { listed: items.length, treated };
}
