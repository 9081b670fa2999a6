// One reversal of a transfer: a local activity decides and posts it in one database transaction. A
// refusal is a result, not a failure; only a database that cannot be reached keeps this workflow
// running.

import { proxyLocalActivities, upsertSearchAttributes } from '@temporalio/workflow';
import type { ReversalActivities } from '../activities/reversals';
import type { ReversalResult, SealedReversal } from '../domain/reversal';
import { searchAttributes } from './messages';
import { SHORT_LOCAL_ACTIVITY } from './options';

// Retried without end: past `accept_before` the posting returns `lapsed` by itself
// (workflows/transfers.ts).
const { postReversal } = proxyLocalActivities<ReversalActivities>(SHORT_LOCAL_ACTIVITY);

export async function reversal(request: SealedReversal): Promise<ReversalResult> {
  const result = await postReversal(request);
  upsertSearchAttributes([{ key: searchAttributes.state, value: result.outcome }]);
  return result;
}
