// Follows a refund that an operator has ordered: asks the gateway until it has made the refund or
// failed to, for days if need be. The order is a row of the database; started without one, this
// does nothing.

import { continueAsNew, proxyActivities, setHandler } from '@temporalio/workflow';
import type { SuspenseActivities } from '../activities/suspense';
import { refundChangedSignal } from './messages';
import { LONG_ACTIVITY } from './options';
import { followUntilItEnds, type Wakeable } from './refund-pauses';

const { followRefund } = proxyActivities<SuspenseActivities>(LONG_ACTIVITY);

/** @param first_pause_ms when it continues as new: the pause that comes next */
export async function suspenseRefund(item_id: string, first_pause_ms?: number): Promise<string> {
  const waking: Wakeable = { is_woken: false };
  setHandler(refundChangedSignal, () => {
    waking.is_woken = true;
  });
  return followUntilItEnds({
    waking,
    first_pause_ms,
    ask: () => followRefund(item_id),
    continueWith: (pause_ms) => continueAsNew<typeof suspenseRefund>(item_id, pause_ms),
  });
}
