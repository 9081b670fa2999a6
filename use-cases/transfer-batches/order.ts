// Orders many transfers at once, for those who may: a caller with an API key, or a person who is
// signed in. The order and its response are stored in one transaction; what carries it out starts
// afterwards.

import { randomUUID } from 'node:crypto';
import { listCounted, waitBeforeNaming } from '../../db/transfers/recipients';
import { createBatch } from '../../db/transfer-batches/transfer-batches';
import { MAX_WAITING_BATCHES } from '../../domain/batch-limits';
import type { BatchItem, BatchMode } from '../../domain/transfer-batch';
import { acceptBatchWithinMs, BATCHES, wakeAfter } from '../batches/order';
import type { OrderDependencies } from '../requests/dependencies';
import { orUnknown } from '../requests/failures';
import {
  answerOnce,
  keyedRow,
  placeOrder,
  type Order,
  type OrderResponse,
} from '../requests/orders';
import { unknownRecipientLimit } from '../transfers/refusals';
import { fingerprinted } from './prepare';

export interface BatchOrder extends Order {
  readonly items: readonly BatchItem[];
  readonly mode: BatchMode;
  readonly dry_run: boolean;
}

/** The response that is stored for the key. @throws Refusal */
export async function orderBatch(
  dependencies: OrderDependencies,
  order: BatchOrder,
): Promise<OrderResponse> {
  const { db, config, wakeBatches } = dependencies;
  const { mode, dry_run } = order;
  const fields = fingerprinted(order);
  const keyed = keyedRow('transfer_batch', order, fields, acceptBatchWithinMs(config));
  const batch = { ...keyed, id: randomUUID(), mode, dry_run };
  const response = await answerOnce(order, batch, async () => {
    await countRecipients(dependencies, order);
    return placeOrder(dependencies, BATCHES, batch, () =>
      createBatch(db, batch, fields.transfers, MAX_WAITING_BATCHES),
    );
  });
  await wakeAfter(dependencies, wakeBatches, batch);
  return response;
}

/** Unknown usernames that a refusal lists, at most. */
const MAX_NAMED = 10;

/**
 * @throws Refusal when the account has named too many usernames that do not exist; some of them are
 * listed
 */
async function countRecipients(
  { db }: OrderDependencies,
  { caller, items }: BatchOrder,
): Promise<void> {
  const names = items.map(({ to_username }) => to_username);
  const seconds = await orUnknown(BATCHES.unknown, () => waitBeforeNaming(db, caller, names));
  if (seconds === undefined) return;
  const counted = await orUnknown(BATCHES.unknown, () => listCounted(db, caller, names, MAX_NAMED));
  const message = 'is a username that nobody has';
  const details = counted.map((index) => ({ param: `transfers/${index}/to_username`, message }));
  throw unknownRecipientLimit(seconds, { param: details[0]?.param ?? 'transfers', details });
}
