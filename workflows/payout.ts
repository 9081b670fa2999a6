// Follows a payout from its order to its end: waits for people, then asks the provider until it has paid or says that
// it never will. The order is a row of the database; started without one, this does nothing. What was asked of the
// provider never ends by a clock: an outcome that is not known is asked for, for ever.

import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { PayoutActivities, PayoutProgress } from '../activities/payouts';
import { payoutChangedSignal, searchAttributes } from './messages';
import { LONG_ACTIVITY } from './options';

const { followPayout } = proxyActivities<PayoutActivities>(LONG_ACTIVITY);

/** Between questions; the last one again and again. */
const PAUSES_MS = [5, 15, 60, 120, 300, 900, 1_800, 3_600].map((seconds) => seconds * 1_000);
/** A provider that takes no orders may be back at any moment. */
const LONGEST_QUEUE_PAUSE_MS = 60_000;
/** Temporal refuses a timer of no time; and a clock that is behind would ask again and again. */
const SHORTEST_PAUSE_MS = 1_000;

/** @param next when it continues as new: the pause that comes next, by its place */
export async function payout(id: string, next?: number): Promise<string> {
  let is_woken = false;
  setHandler(payoutChangedSignal, () => {
    is_woken = true;
  });
  // A run that was started by hand may bring anything.
  let place = Number.isInteger(next) ? Math.max(next!, 0) : 0;
  let shown = '';
  for (;;) {
    // Reset before asking: what changes later wakes again.
    is_woken = false;
    const progress = await followPayout(id);
    if (progress.status !== shown) {
      shown = progress.status;
      upsertSearchAttributes([{ key: searchAttributes.state, value: shown }]);
    }
    setCurrentDetails(describe(progress));
    if (progress.waits_for === null && !is_woken) return progress.status;
    // The next run begins by asking, so no signal is lost.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof payout>(id, place);
    await condition(() => is_woken, pauseOf(progress, place));
    place = progress.waits_for === 'people' ? 0 : place + 1;
  }
}

function pauseOf({ waits_for, stage, remaining_ms }: PayoutProgress, place: number): number {
  if (waits_for === 'people') return remaining_ms + SHORTEST_PAUSE_MS;
  const pause = PAUSES_MS[Math.min(place, PAUSES_MS.length - 1)]!;
  return stage === 'queued' ? Math.min(pause, LONGEST_QUEUE_PAUSE_MS) : pause;
}

function describe({ status, stage, waits_for }: PayoutProgress): string {
  const where = stage === null ? '' : `, ${stage}`;
  return waits_for === null ? `**${status}**` : `**${status}**${where}, waits for the ${waits_for}`;
}
