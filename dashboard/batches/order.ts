// Orders a batch for the person who visits: as a dry run, and for good.

import { Refusal } from '../../domain/refusal';
import { orderBatch, type BatchOrder } from '../../use-cases/transfer-batches/order';
import { readBeforeOperation } from '../../db/requests/orders';
import { ownerOf, type DashboardDependencies, type MemberVisit } from '../context';
import { idOf } from '../drafts';
import { WORDS } from './words';

/** The batch's id, which is the same for the same key; or that too many usernames are unknown. @throws Refusal */
export async function orderAs(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  order: Pick<BatchOrder, 'items' | 'mode' | 'dry_run' | 'key'>,
): Promise<string | { readonly fault: string; readonly status: number }> {
  const owner = ownerOf(visit);
  const { request_id, ip } = visit.ctx.state;
  const scope = { ...owner, operation: 'transfer_batch', key: order.key } as const;
  try {
    const before = await readBeforeOperation(dependencies.db, scope);
    const caller = { ...owner, ...before };
    const placed = { ...order, caller, has_own_key: true, request_id, ip };
    return idOf(await orderBatch(dependencies, placed));
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'rate_limited') throw error;
    const minutes = Math.ceil((error.retry_after_seconds ?? 60) / 60);
    const named = new Set(error.fields);
    const names = order.items
      .filter((_, index) => named.has(`transfers/${index}/to_username`))
      .map(({ to_username }) => to_username);
    const fault = WORDS[visit.language].unknown_limit(minutes, names.join(', '));
    return { fault, status: 429 };
  }
}
