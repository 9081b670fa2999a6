// Orders many transfers at once, for those who may: a caller with an API key, or a person who is
// signed in. The order and its response are stored in one transaction; what carries it out starts
// afterwards.

import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { listCounted, waitBeforeNaming } from '../../db/transfers/recipients';
import { createBatch, type NewBatch } from '../../db/transfer-batches/transfer-batches';
import type { RefusedBatch } from '../../db/requests/orders';
import { MAX_WAITING_BATCHES } from '../../domain/batch-limits';
import { Refusal } from '../../domain/refusal';
import type { BatchItem, BatchMode } from '../../domain/transfer-batch';
import { ACCEPT_WITHIN_MS } from '../../domain/transfer';
import { within } from '../../temporal/calls';
import type { WakeBatches } from '../../temporal/transfer-batches';
import type { OrderDependencies } from '../requests/dependencies';
import { orUnknown } from '../requests/failures';
import {
  answerOnce,
  keyedRow,
  placeOrder,
  type Noun,
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

/** After its authentication an order may still be uploaded for as long as a request may take. */
export function acceptBatchWithinMs({ http }: Pick<OrderDependencies['config'], 'http'>): number {
  return http.request_timeout_ms + ACCEPT_WITHIN_MS;
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
  const seconds = await orUnknown(MAY_BE_STORED, () => waitBeforeNaming(db, caller, names));
  if (seconds === undefined) return;
  const counted = await orUnknown(MAY_BE_STORED, () => listCounted(db, caller, names, MAX_NAMED));
  const message = 'is a username that nobody has';
  const details = counted.map((index) => ({ param: `transfers/${index}/to_username`, message }));
  throw unknownRecipientLimit(seconds, { param: details[0]?.param ?? 'transfers', details });
}

const MAY_BE_STORED =
  'The batch may have been accepted. Repeat the request with the same Idempotency-Key.';

/** The wait until one of many batches is over. */
const WAIT_SECONDS = 10;

/** Transfers or payouts. */
export const BATCHES: Noun<RefusedBatch, unknown> = {
  unknown: MAY_BE_STORED,
  refusals: {
    too_many: () => new Refusal('batch_limit', { retry_after_seconds: WAIT_SECONDS }),
  },
};

/** About 2 ms of this process, after which other requests have their turn. */
const AT_ONCE = 1_000;

/** Reads each item; other requests have their turn in between. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  read: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    results.push(read(item, index));
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
  }
  return results;
}

/** A response waits no longer for a start. The order is stored: the sweeper starts what was not. */
const START_WITHIN_MS = 1_000;

/** Also of an order that was stored before: the process that did may have died before it could start the workflow. */
export async function wakeAfter(
  { breakers, log }: Pick<OrderDependencies, 'breakers' | 'log'>,
  wake: WakeBatches,
  { user_id, environment, request_id }: Pick<NewBatch, 'user_id' | 'environment' | 'request_id'>,
): Promise<void> {
  if (!breakers[environment].allowsRequests()) return;
  try {
    await within(START_WITHIN_MS, wake({ user_id, environment }));
  } catch (error) {
    log({ part: 'batches', request_id, unavailable: true, error: String(error) });
  }
}
