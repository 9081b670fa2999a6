// Payouts that were ordered together: one activity after the other looks at some destinations, or orders some items.
// The order, and how far it has come, are rows; started twice, or by hand, this does no more than they say. It ends
// when people have to decide, and when each item is a payout, which has a workflow of its own.

import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { PayoutBatchActivities } from '../activities/payout-batches';
import { payoutBatchTaskQueue } from '../domain/ids';
import { payoutChangedSignal, searchAttributes, type BatchStart } from './messages';
import { BATCH_ACTIVITY } from './options';
import { requireBatchStart } from './transfer-batch';

/** Until some of the payouts under way have had their answer. */
const FULL_PAUSE_MS = 1_000;

export async function payoutBatch(start: BatchStart): Promise<string> {
  requireBatchStart(start);
  let is_woken = false;
  setHandler(payoutChangedSignal, () => {
    is_woken = true;
  });
  const { runPayoutBatch } = proxyActivities<PayoutBatchActivities>({
    ...BATCH_ACTIVITY,
    taskQueue: payoutBatchTaskQueue(workflowInfo().taskQueue, start.environment),
  });
  for (;;) {
    // Reset before the rows are read: what people decide later has it go on.
    is_woken = false;
    const { status, step, next_index, total, is_full } = await runPayoutBatch(start.id);
    upsertSearchAttributes([{ key: searchAttributes.state, value: status }]);
    const done = step === null ? '' : `, ${step}: ${next_index} of ${total}`;
    setCurrentDetails(`**${status}**${done}`);
    if (step === null && !is_woken) return status;
    // The next run begins with the rows, so no signal is lost.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof payoutBatch>(start);
    if (is_full) await sleep(FULL_PAUSE_MS, { summary: 'waits for answers to payouts under way' });
  }
}
