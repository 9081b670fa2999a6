// One transfer, or several that were waiting for a slot at the same time: one local activity
// decides and posts them in one database transaction. A refusal is a result, not a failure; only a
// database that cannot be reached keeps this workflow running.

import { proxyLocalActivities, upsertSearchAttributes } from '@temporalio/workflow';
import type { SealedTransfers, TransferResult } from '../domain/transfer';
import type { TransferActivities } from '../activities/transfers';
import { searchAttributes } from './messages';
import { SHORT_LOCAL_ACTIVITY } from './options';

// Retried without end: a commit whose response was lost must be read back, and past `accept_before`
// the posting returns `lapsed` by itself, so that no retry can surprise a caller later.
const { postTransfers } = proxyLocalActivities<TransferActivities>(SHORT_LOCAL_ACTIVITY);

/** The results are in the order of the requests. */
export async function transfers(message: SealedTransfers): Promise<readonly TransferResult[]> {
  const results = await postTransfers(message);
  const outcomes = new Set(results.map(({ outcome }) => outcome));
  const [state = 'mixed'] = outcomes.size === 1 ? outcomes : [];
  upsertSearchAttributes([{ key: searchAttributes.state, value: state }]);
  return results;
}
