// Follows a refund that an operator has ordered: asks the gateway until it has made the refund or failed
// to, for days if need be. The order is a row of the database; started without one, this does nothing.

import {
  condition,
  continueAsNew,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { RefundProgress, SuspenseActivities } from '../activities/suspense';
import { refundChangedSignal } from './messages';
import { LONG_ACTIVITY } from './options';

const { followRefund, refundSuspense } = proxyActivities<SuspenseActivities>(LONG_ACTIVITY);

const FIRST_PAUSE_MS = 1_000;
/** A gateway that is away may be back at any moment. */
const LONGEST_OUTAGE_PAUSE_MS = 60_000;
/** A pending refund takes days, and the gateway notifies of its end. */
const LONGEST_PAUSE_MS = 3_600_000;

export async function suspenseRefund(
  item_id: string,
  first_pause_ms: number = FIRST_PAUSE_MS,
): Promise<string> {
  // Before orders were recorded, one activity did everything.
  if (!patched('refunds-follow-the-gateway')) return refundSuspense(item_id);
  let is_woken = false;
  setHandler(refundChangedSignal, () => {
    is_woken = true;
  });
  // By hand it may be anything: no pause at all would ask the gateway without end.
  let pause_ms = Number.isFinite(first_pause_ms)
    ? Math.max(first_pause_ms, FIRST_PAUSE_MS)
    : FIRST_PAUSE_MS;
  for (;;) {
    // Reset before asking: what changes later wakes again.
    is_woken = false;
    const progress = await followRefund(item_id);
    setCurrentDetails(describe(progress));
    if (progress.waits_for === null && !is_woken) return progress.status;
    // The next run begins by asking, so no signal is lost.
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof suspenseRefund>(item_id, pause_ms);
    }
    const longest = progress.waits_for === 'gateway' ? LONGEST_OUTAGE_PAUSE_MS : LONGEST_PAUSE_MS;
    await condition(() => is_woken, Math.min(pause_ms, longest));
    pause_ms = Math.min(pause_ms * 2, LONGEST_PAUSE_MS);
  }
}

function describe({ status, waits_for }: RefundProgress): string {
  return waits_for === null ? `**${status}**` : `**${status}**, waits for the ${waits_for}`;
}
