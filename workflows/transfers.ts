// Transfers, one or those that arrived together: one local activity decides and posts it in one database transaction. Business refusals
// are results, not failures; only an unreachable database keeps this workflow running.

import { proxyLocalActivities, upsertSearchAttributes } from '@temporalio/workflow';
import type { TransferRequest } from '../domain/transfer';
import type { TransferActivities } from '../activities/transfers';
import { searchAttributes, type TransferResult } from './messages';

// Retried without end: a commit whose answer was lost must be read back, and past `accept_before`
// the posting answers `lapsed` by itself, so that no retry can surprise a caller later.
const { postTransfer, postTransfers } = proxyLocalActivities<TransferActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '50ms', backoffCoefficient: 2, maximumInterval: '1s' },
});

export async function transfer(request: TransferRequest): Promise<TransferResult> {
  const result = await postTransfer(request);
  upsertSearchAttributes([{ key: searchAttributes.state, value: result.outcome }]);
  return result;
}

/** The results stand in the order of the requests. */
export async function transfers(
  requests: readonly TransferRequest[],
): Promise<readonly TransferResult[]> {
  return postTransfers(requests);
}
