// Asks a third party about a row until it says how it ended: a refund, a payout, an attempt to pay by phone. The order
// is the row; started without one, this does nothing. What was asked never ends by a clock: an outcome that is not
// known is asked for again, for ever. Notices, and decisions of people, only bring the next question forward.

import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { PursuitActivities } from '../activities/pursuits';
import type { PursuitKind } from '../domain/pursuit';
import { pursuedChangedSignal, searchAttributes } from './messages';
import { LONG_ACTIVITY } from './options';

const { askOnce } = proxyActivities<PursuitActivities>({
  ...LONG_ACTIVITY,
  summary: 'asks how it stands',
});

/** Temporal refuses a timer of no time; and a clock that is behind would ask again and again. */
const LEAST_PAUSE_MS = 1_000;

export async function pursue(kind: PursuitKind, id: string): Promise<string> {
  let is_woken = false;
  setHandler(pursuedChangedSignal, () => {
    is_woken = true;
  });
  let shown = workflowInfo().typedSearchAttributes.get(searchAttributes.state);
  for (;;) {
    // Reset before asking: what changes later wakes again.
    is_woken = false;
    const { status, waits_for, pause_ms } = await askOnce(kind, id);
    if (status !== shown) {
      shown = status;
      upsertSearchAttributes([{ key: searchAttributes.state, value: shown }]);
    }
    setCurrentDetails(`**${status}**${waits_for === null ? '' : `, waits for ${waits_for}`}`);
    if (pause_ms === null && !is_woken) return status;
    // The next run begins by asking, so no signal is lost.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof pursue>(kind, id);
    const summary = waits_for === null ? 'is asked about again' : `waits for ${waits_for}`;
    await condition(() => is_woken, Math.max(pause_ms ?? 0, LEAST_PAUSE_MS), { summary });
  }
}
