// Orders of batches of both kinds: how long they take, why they are refused, and how they are taken up.

import { setImmediate } from 'node:timers/promises';
import type { RefusedBatch } from '../../db/batches/batches';
import type { KeyedOrder } from '../../domain/idempotency';
import { Refusal } from '../../domain/refusal';
import { ACCEPT_WITHIN_MS } from '../../domain/transfer';
import { within } from '../../temporal/calls';
import type { WakeBatches } from '../../temporal/transfer-batches';
import type { OrderDependencies } from '../requests/dependencies';
import type { Noun } from '../requests/orders';

/** After its authentication an order may still be uploaded for as long as a request may take. */
export function acceptBatchWithinMs({ http }: Pick<OrderDependencies['config'], 'http'>): number {
  return http.request_timeout_ms + ACCEPT_WITHIN_MS;
}

/** The wait until one of many batches is over. */
const WAIT_SECONDS = 10;

export const BATCHES: Noun<RefusedBatch, unknown> = {
  unknown: 'The batch may have been accepted. Repeat the request with the same Idempotency-Key.',
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
  { user_id, environment, request_id }: Pick<KeyedOrder, 'user_id' | 'environment' | 'request_id'>,
): Promise<void> {
  if (!breakers[environment].allowsRequests()) return;
  try {
    await within(START_WITHIN_MS, wake({ user_id, environment }));
  } catch (error) {
    log({ part: 'batches', request_id, unavailable: true, error: String(error) });
  }
}
