// Applies what gateways reported, and hands over again what was stored and not applied.

import type { Db } from '../db/connect';
import { isRefused } from '../db/errors';
import { claimOverdueIntents, type IntentToRun } from '../db/intents';
import { listDueIdentityChecks } from '../db/identity-checks';
import { listStalledMails } from '../db/mails';
import type { Sealer } from '../secrets/seal';
import { queueReceipts } from '../use-cases/receipts';
import {
  applyNotification,
  claimWaitingNotifications,
  noteNotificationError,
  type ClaimedNotification,
} from '../db/notifications';
import { listStalledPaymentRefunds, type RefundToFollow } from '../db/refunds';
import { listStalledRefunds } from '../db/suspense';
import { listStalledBatches } from '../db/transfer-batches';
import { isNotificationId } from '../domain/ids';
import type { StoredIntentStatus } from '../domain/intent';
import type { DeliverNotification } from '../temporal/notifications';
import type { WakeIdentityCheck } from '../temporal/identity-checks';
import type { StartMail } from '../temporal/mails';
import type { RestartIntent } from '../temporal/payment-intents';
import type { WakePaymentRefund } from '../temporal/refunds';
import type { WakeRefund } from '../temporal/suspense';
import type { StartBatch } from '../temporal/transfer-batches';
import type { Metrics } from '../telemetry/metrics';
import type { BrokenWorkflow, RunningWorkflows } from '../temporal/running-workflows';
import type { EndpointWaker } from '../temporal/webhook-endpoints';
import { withHeartbeats } from './heartbeats';
import { refuseMessage } from './refused-messages';
import { isUnknown } from './rows';

export interface NotificationActivityDependencies {
  readonly db: Db;
  readonly metrics: Pick<Metrics, 'countIntentEnd'>;
  readonly pay_url_base: string;
  readonly deliverNotification: DeliverNotification;
  readonly wakeRefund: WakeRefund;
  readonly wakePaymentRefund: WakePaymentRefund;
  readonly wakeIdentityCheck: WakeIdentityCheck;
  /** Starts an intent's workflow unless it runs. True when it did not run. */
  readonly startIntent: (intent: IntentToRun) => Promise<boolean>;
  readonly running_workflows: Pick<RunningWorkflows, 'listBroken'>;
  readonly restartIntent: RestartIntent;
  readonly startBatch: StartBatch;
  /** Undefined when this installation sends no mails. */
  readonly startMail: StartMail | undefined;
  /** For receipts. */
  readonly sealer: Sealer;
  /** Called after the commit that made an event. */
  readonly waker: EndpointWaker;
  /** Tells operators what went wrong. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** How long a signal may take before the sweeper believes that it was lost. */
const SIGNAL_WITHIN_MS = 5_000;
/**
 * A notification that was handed over so long ago and is not applied has a workflow that cannot go on. The
 * sweeper then applies it itself: the money was paid, whatever has become of the workflow.
 */
const APPLY_WITHIN_MS = 180_000;
/** An intent whose gateway responds has expired by then. */
const EXPIRED_WITHIN_MS = 60_000;
/** The workflow of a refund asks at least once an hour. */
const REFUND_ASKED_WITHIN = { ordered_ms: 120_000, pending_ms: 7_200_000, notified_ms: 5_000 };
/** One that was never asked about lost its workflow between its row and the start. */
const PAYMENT_REFUND_ASKED_WITHIN = {
  ...REFUND_ASKED_WITHIN,
  ordered_ms: 10_000,
  asked_ms: 120_000,
};
/** A check whose workflow runs is looked at when it is due. */
const CHECK_LATE_MS = 60_000;
/** A batch that has a turn goes on within moments; to start a workflow that runs changes nothing. */
const BATCH_STILL_MS = 15_000;
/** The workflow of a mail tries at least once an hour. */
const MAIL_TRIED_WITHIN = { new_ms: 15_000, tried_ms: 7_200_000 };
/** Of each kind in one sweep; what is left has its turn in the next one. */
const SWEEP_BATCH = 100;
/** Many, so that a few slow items do not make up the whole sweep; few for Temporal and Postgres. */
const SWEEP_AT_ONCE = 10;

export function createNotificationActivities(dependencies: NotificationActivityDependencies) {
  const { db, metrics, pay_url_base, waker, log } = dependencies;

  async function apply(notification_id: string): Promise<StoredIntentStatus | null> {
    // A workflow is told by anybody who reaches Temporal, and must not end because of it.
    const refuse = (): null => {
      refuseMessage(dependencies, { message: 'notification', references: [notification_id] });
      return null;
    };
    if (!isNotificationId(notification_id)) return refuse();
    try {
      const { status, wake } = await applyNotification(
        ...[db, notification_id, pay_url_base, metrics.countIntentEnd],
      );
      waker.wake(wake);
      return status;
    } catch (error) {
      if (isUnknown(error, 'notification', notification_id)) return refuse();
      // It may succeed at once when Postgres is back; what Postgres refuses it refuses again.
      if (!isRefused(error)) throw error;
      log({ part: 'notifications', notification: notification_id, error: String(error) });
      await noteNotificationError(db, notification_id, String(error));
      return null;
    }
  }

  async function handOver(notification: ClaimedNotification): Promise<boolean> {
    const { id, intent_status, age_ms } = notification;
    // Until its checkout is open, only the intent's workflow knows when the notification can be applied.
    if (age_ms >= APPLY_WITHIN_MS && intent_status !== 'creating') await apply(id);
    else await dependencies.deliverNotification(notification);
    return true;
  }

  async function sweepRefunds(): Promise<number> {
    const { wakeRefund, wakePaymentRefund } = dependencies;
    const stalled = await listStalledRefunds(db, REFUND_ASKED_WITHIN, SWEEP_BATCH);
    const items = stalled.map((id) => ({ id }));
    const woken = await sweep('refund', items, ({ id }) => wakeRefund(id).then(() => true), log);
    const refunds = await listStalledPaymentRefunds(db, PAYMENT_REFUND_ASKED_WITHIN, SWEEP_BATCH);
    const wake = (refund: RefundToFollow): Promise<boolean> =>
      wakePaymentRefund(refund).then(() => true);
    return woken + (await sweep('refund', refunds, wake, log));
  }

  async function sweepChecks(): Promise<number> {
    const due = await listDueIdentityChecks(db, CHECK_LATE_MS, SWEEP_BATCH);
    const accounts = due.map((id) => ({ id }));
    const wake = ({ id }: { readonly id: string }): Promise<boolean> =>
      dependencies.wakeIdentityCheck(id).then(() => true);
    return sweep('identity check', accounts, wake, log);
  }

  /** No step is lost or done twice: each is decided by the intent's row. */
  async function sweepBrokenIntents(): Promise<number> {
    const { running_workflows, restartIntent } = dependencies;
    let broken: readonly BrokenWorkflow[];
    try {
      broken = await running_workflows.listBroken('paymentIntent', SWEEP_BATCH);
    } catch (error) {
      log({ part: 'sweep', error: `broken workflows cannot be listed: ${String(error)}` });
      return 0;
    }
    const items = broken.map((one) => ({ ...one, id: one.workflow_id }));
    const restart = async (one: BrokenWorkflow): Promise<boolean> => {
      const done = await restartIntent(one);
      if (done === undefined) return false;
      const { workflow_id, run_id } = one;
      log({ part: 'sweep', workflow_id, run_id, error: `its history did not fit: ${done}` });
      return true;
    };
    return sweep('intent', items, restart, log);
  }

  async function sweepMails(): Promise<number> {
    const { startMail } = dependencies;
    if (!startMail) return 0;
    const receipts = await queueReceipts(dependencies);
    const stalled = await listStalledMails(db, MAIL_TRIED_WITHIN, SWEEP_BATCH);
    const mails = [...receipts, ...stalled].map((id) => ({ id }));
    return sweep('mail', mails, ({ id }) => startMail(id).then(() => true), log);
  }

  return withHeartbeats({
    /**
     * Null when there is no such notification, when it names no intent, and when Postgres refuses it: then
     * it is parked. Its workflow goes on, operators see it (`intents show`, the log), and the sweeper tries
     * again, at ever longer intervals.
     */
    applyNotification: apply,

    /**
     * Hands over again what was stored and not applied, and starts workflows again that were lost with
     * Temporal's data: of intents, of refunds, of bulk transfers, of identity checks, and of mails. Starts the
     * workflows of intents anew that cannot go on. Returns how many there were of all.
     */
    async sweepNotifications(): Promise<number> {
      const waiting = await claimWaitingNotifications(db, SIGNAL_WITHIN_MS, SWEEP_BATCH);
      const handed_over = await sweep('notification', waiting, handOver, log);
      const overdue = await claimOverdueIntents(db, EXPIRED_WITHIN_MS, SWEEP_BATCH);
      const started = await sweep('intent', overdue, dependencies.startIntent, log);
      const restarted = await sweepBrokenIntents();
      const woken = await sweepRefunds();
      const still = await listStalledBatches(db, BATCH_STILL_MS, SWEEP_BATCH);
      const batches = await sweep('batch', still, dependencies.startBatch, log);
      const rest = (await sweepChecks()) + (await sweepMails());
      return handed_over + started + restarted + woken + batches + rest;
    },
  });
}

export type NotificationActivities = ReturnType<typeof createNotificationActivities>;

/** Returns how many had something done to them. One that fails is logged, and the others go on. */
async function sweep<Item extends { readonly id: string }>(
  kind: 'notification' | 'intent' | 'refund' | 'batch' | 'identity check' | 'mail',
  items: readonly Item[],
  treat: (item: Item) => Promise<boolean>,
  log: NotificationActivityDependencies['log'],
): Promise<number> {
  const rest = [...items];
  let treated = 0;
  let failed = 0;
  const treatNext = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      try {
        if (await treat(item)) treated += 1;
      } catch (error) {
        failed += 1;
        log({ part: 'sweep', [kind]: item.id, error: String(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: SWEEP_AT_ONCE }, treatNext));
  if (failed > 0) log({ part: 'sweep', kind, failed, of: items.length });
  return treated;
}
