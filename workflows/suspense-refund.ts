// Requested by an operator; goes on until the gateway and the ledger have both done it.

import { proxyActivities } from '@temporalio/workflow';
import type { SuspenseActivities } from '../activities/suspense';
import { LONG_ACTIVITY } from './options';

const { refundSuspense } = proxyActivities<SuspenseActivities>(LONG_ACTIVITY);

export async function suspenseRefund(item_id: string): Promise<string> {
  return refundSuspense(item_id);
}
