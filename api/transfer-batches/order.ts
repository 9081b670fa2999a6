// Orders many transfers at once, for whoever may: a caller with an API key, or a person who is signed in.
// The order and its response are stored in one transaction; what carries it out starts afterwards.

import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../db/api-keys';
import { createBatch, type NewBatch } from '../../db/transfer-batches';
import { MAX_WAITING_BATCHES } from '../../domain/batch-limits';
import { within } from '../../temporal/calls';
import { ApiError } from '../api-error';
import type { ApiDependencies, ApiResponse } from '../context';
import { orUnknown } from '../failures';
import { prepareBatch, type BatchOrder } from '../../use-cases/transfer-batches';
import { storedResponse } from '../idempotent-response';

/** By a caller with an API key, or a person who is signed in. */
export interface SentOrder extends Omit<BatchOrder, 'id' | 'user_id' | 'environment'> {
  readonly sender: Pick<Caller, 'user_id' | 'environment' | 'stored'>;
}

type Dependencies = Pick<ApiDependencies, 'db' | 'wakeBatches' | 'breakers' | 'log'>;

/** The response that is stored for the key. @throws ApiError */
export async function orderBatch(
  dependencies: Dependencies,
  { sender, ...order }: SentOrder,
): Promise<ApiResponse> {
  const { user_id, environment } = sender;
  const { batch, items } = prepareBatch({ id: randomUUID(), user_id, environment, ...order });
  const { fingerprint } = batch;
  if (sender.stored) {
    const response = storedResponse(sender.stored, fingerprint, { replayed: true });
    // The process that stored it may have died before it could start the workflow.
    await wake(dependencies, batch);
    return response;
  }
  const ordered = await orUnknown(MAY_BE_STORED, () =>
    createBatch(dependencies.db, batch, items, MAX_WAITING_BATCHES),
  );
  if (ordered.outcome === 'too_many') throw batchLimit();
  const replayed = ordered.outcome === 'stored';
  const response = storedResponse(ordered.response, fingerprint, { replayed });
  await wake(dependencies, batch);
  return response;
}

const MAY_BE_STORED =
  'The batch may have been accepted. Repeat the request with the same Idempotency-Key.';

/** Until one of many batches is over. */
const WAIT_SECONDS = 10;

function batchLimit(): ApiError {
  return new ApiError('batch_limit', { headers: { 'Retry-After': String(WAIT_SECONDS) } });
}

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

async function wake(
  { wakeBatches, breakers, log }: Dependencies,
  { user_id, environment, request_id }: NewBatch,
): Promise<void> {
  if (!breakers[environment].allowsRequests()) return;
  try {
    await within(START_WITHIN_MS, wakeBatches({ user_id, environment }));
  } catch (error) {
    log({ part: 'batches', request_id, unavailable: true, error: String(error) });
  }
}
