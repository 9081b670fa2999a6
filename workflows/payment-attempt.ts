// Follows a customer's attempt to pay by phone: asks the gateway until the attempt has ended, and for late money after
// that. The order is a row of the database; started without one, this does nothing. Callbacks and the customer's
// one-time code only bring the next question forward.

import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { AttemptActivities } from '../activities/payment-attempts';
import { attemptChangedSignal, searchAttributes } from './messages';
import { LONG_ACTIVITY } from './options';

const { followAttempt } = proxyActivities<AttemptActivities>(LONG_ACTIVITY);

export async function paymentAttempt(id: string): Promise<string> {
  let is_woken = false;
  setHandler(attemptChangedSignal, () => {
    is_woken = true;
  });
  let shown = '';
  for (;;) {
    // Reset before asking: what changes later wakes again.
    is_woken = false;
    const { status, pause_ms } = await followAttempt(id);
    if (status !== shown) {
      shown = status;
      upsertSearchAttributes([{ key: searchAttributes.state, value: shown }]);
    }
    setCurrentDetails(pause_ms === null ? `**${status}**` : `**${status}**, asked for again`);
    if (pause_ms === null && !is_woken) return status;
    // The next run begins by asking, so no signal is lost.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof paymentAttempt>(id);
    await condition(() => is_woken, pause_ms ?? 1);
  }
}
