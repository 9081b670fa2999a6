// Orders a batch for the person who visits: as a dry run, and for good.

import { Refusal } from '../../domain/refusal';
import { orderBatch, type BatchOrder } from '../../use-cases/transfer-batches/order';
import { readBeforeOperation } from '../../db/requests/orders';
import type { DashboardDependencies, MemberVisit } from '../context';
import { idOf } from '../drafts';

export type OrderedBatch =
  | { readonly id: string }
  /** Why it was refused, for the person; `names` are some of the unknown usernames. */
  | { readonly fault: 'limit' }
  | { readonly fault: 'unknown_limit'; readonly minutes: number; readonly names: string };

/** The batch's id is the same for the same key. */
export async function orderAs(
  dependencies: DashboardDependencies,
  { account: { user_id }, session: { environment }, ctx }: MemberVisit,
  order: Pick<BatchOrder, 'items' | 'mode' | 'dry_run' | 'key'>,
): Promise<OrderedBatch> {
  const { key } = order;
  const scope = { user_id, environment, operation: 'transfer_batch', key } as const;
  try {
    const { now, stored } = await readBeforeOperation(dependencies.db, scope);
    const caller = { user_id, environment, now, stored };
    const { request_id } = ctx.state;
    const placed = { ...order, caller, has_own_key: true, request_id };
    return { id: idOf(await orderBatch(dependencies, placed)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'batch_limit') return { fault: 'limit' };
    if (error.code !== 'rate_limited') throw error;
    const named = new Set(error.fields);
    const names = order.items.filter((_, index) => named.has(`transfers/${index}/to_username`));
    return {
      fault: 'unknown_limit',
      minutes: Math.ceil((error.retry_after_seconds ?? 60) / 60),
      names: names.map(({ to_username }) => to_username).join(', '),
    };
  }
}
