// Orders many payouts at once. The order and its response are stored in one transaction, and nothing is reserved; what
// looks at the destinations starts afterwards.

import { randomUUID } from 'node:crypto';
import { createPayoutBatch } from '../../db/payout-batches/payout-batches';
import { MAX_WAITING_BATCHES } from '../../domain/batch-limits';
import type { PayoutBatchItem } from '../../domain/payout-batch';
import { Refusal } from '../../domain/refusal';
import { acceptBatchWithinMs, BATCHES, wakeAfter } from '../batches/order';
import type { OrderDependencies } from '../requests/dependencies';
import {
  answerOnce,
  keyedRow,
  placeOrder,
  type Order,
  type OrderedBy,
  type OrderResponse,
} from '../requests/orders';

export interface PayoutBatchOrder extends Order, OrderedBy {
  readonly items: readonly PayoutBatchItem[];
  /** Whether it is sent once its destinations were looked at, or waits to be confirmed. */
  readonly confirm: boolean;
  readonly dry_run: boolean;
}

/** The response that is stored for the key. @throws Refusal */
export async function orderPayoutBatch(
  dependencies: OrderDependencies,
  order: PayoutBatchOrder,
): Promise<OrderResponse> {
  const { config, db, payout_providers, wakePayoutBatches } = dependencies;
  const { by, items, confirm, dry_run } = order;
  const payouts = JSON.stringify(items);
  const keyed = keyedRow(
    'payout_batch',
    order,
    { payouts, confirm: String(confirm), dry_run: String(dry_run) },
    acceptBatchWithinMs(config),
  );
  const batch = { ...keyed, ...by, id: randomUUID(), confirm, dry_run };
  const response = await answerOnce(order, batch, () => {
    if (!payout_providers[batch.environment][0]) throw new Refusal('payouts_not_configured');
    return placeOrder(dependencies, BATCHES, batch, () =>
      createPayoutBatch(db, batch, payouts, MAX_WAITING_BATCHES),
    );
  });
  await wakeAfter(dependencies, wakePayoutBatches, batch);
  return response;
}
