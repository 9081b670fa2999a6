// Follows a refund of a payment, which its merchant has ordered: asks the gateway until it has made
// the refund or failed to, for days if need be. The order is a row of the database; started without
// one, this does nothing.

import {
  continueAsNew,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { RefundActivities } from '../activities/refunds';
import { refundChangedSignal, searchAttributes } from './messages';
import { LONG_ACTIVITY } from './options';
import { followUntilItEnds, type Wakeable } from './refund-pauses';

const { followPaymentRefund } = proxyActivities<RefundActivities>(LONG_ACTIVITY);

/** @param first_pause_ms when it continues as new: the pause that comes next */
export async function refund(id: string, first_pause_ms?: number): Promise<string> {
  const waking: Wakeable = { is_woken: false };
  setHandler(refundChangedSignal, () => {
    waking.is_woken = true;
  });
  let shown = 'pending';
  return followUntilItEnds({
    waking,
    first_pause_ms,
    async ask() {
      const progress = await followPaymentRefund(id);
      if (progress.status !== shown) {
        shown = progress.status;
        upsertSearchAttributes([{ key: searchAttributes.state, value: shown }]);
      }
      return progress;
    },
    continueWith: (pause_ms) => continueAsNew<typeof refund>(id, pause_ms),
  });
}
