// Follows an account's identity check: writes to operators and to the merchant, ends it when no
// operator decides, and ends itself when it is decided and the merchant was told. What is due when,
// the database knows: the history has the account's id and statuses, and nothing about the person.

import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { IdentityActivities } from '../activities/identity-checks';
import { identityCheckChangedSignal } from './messages';
import { LONG_ACTIVITY } from './options';

const { advanceIdentityCheck } = proxyActivities<IdentityActivities>(LONG_ACTIVITY);

/** A clock that is a little ahead of the database's asks again, but not without end. */
const LEAST_PAUSE_MS = 1_000;

export async function identityCheck(user_id: string): Promise<string> {
  let is_woken = false;
  setHandler(identityCheckChangedSignal, () => {
    is_woken = true;
  });
  for (;;) {
    // Reset before asking: what changes later wakes again.
    is_woken = false;
    const { status, wait_ms } = await advanceIdentityCheck(user_id);
    setCurrentDetails(`**${status}**`);
    if (wait_ms === null && !is_woken) return status;
    // The next run begins by asking, so no signal is lost.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof identityCheck>(user_id);
    const summary = 'until a reminder is due, or the end';
    await condition(() => is_woken, Math.max(wait_ms ?? 0, LEAST_PAUSE_MS), { summary });
  }
}
