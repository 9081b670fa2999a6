// Orders a batch for the person who visits: as a dry run, and for good.

import { ApiError } from '../../api/api-error';
import { orderBatch, type SentOrder } from '../../api/transfer-batches/order';
import { readBeforeOperation } from '../../db/idempotency';
import type { DashboardDependencies, MemberVisit } from '../context';

/** The batch's id, the same for the same key; undefined when too many batches of the account wait. */
export async function orderAs(
  dependencies: DashboardDependencies,
  { account: { user_id }, session: { environment }, ctx }: MemberVisit,
  order: Omit<SentOrder, 'sender' | 'request_id'>,
): Promise<string | undefined> {
  const key = order.idempotency_key;
  const scope = { user_id, environment, operation: 'transfer_batch', key } as const;
  try {
    const { stored } = await readBeforeOperation(dependencies.db, scope);
    const sender = { user_id, environment, stored };
    const { request_id } = ctx.state;
    const { body } = await orderBatch(dependencies, { ...order, sender, request_id });
    return (JSON.parse(body) as { readonly id: string }).id;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'batch_limit') return undefined;
    throw error;
  }
}
