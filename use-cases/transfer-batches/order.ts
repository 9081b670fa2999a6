// Orders many transfers at once, for those who may: a caller with an API key, or a person who is
// signed in. The order and its response are stored in one transaction; what carries it out starts
// afterwards.

import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../db/keys/api-keys';
import { listCounted, waitBeforeNaming } from '../../db/transfers/recipients';
import { createBatch, type NewBatch } from '../../db/transfer-batches/transfer-batches';
import { MAX_WAITING_BATCHES } from '../../domain/batch-limits';
import { ACCEPT_WITHIN_MS } from '../../domain/transfer';
import { within } from '../../temporal/calls';
import type { WakeBatches } from '../../temporal/transfer-batches';
import { Refusal } from '../../domain/refusal';
import type { OrderDependencies } from '../requests/dependencies';
import { nothingChanged, orUnknown } from '../requests/failures';
import { prepareBatch, type BatchOrder } from './prepare';
import { storedResponse, type OrderResponse } from '../requests/stored-response';
import { unknownRecipientLimit } from '../transfers/refusals';

/** The order of a caller with an API key, or of a person who is signed in. */
export interface SentOrder extends Omit<
  BatchOrder,
  'id' | 'user_id' | 'environment' | 'accept_before' | 'limited_key'
> {
  readonly sender: Pick<Caller, 'user_id' | 'environment' | 'now' | 'stored'> &
    Partial<Pick<Caller, 'limited_key'>>;
}

type Dependencies = Pick<OrderDependencies, 'config' | 'db' | 'wakeBatches' | 'breakers' | 'log'>;

/** After its authentication an order may still be uploaded for as long as a request may take. */
export function acceptBatchWithinMs({ http }: Pick<OrderDependencies['config'], 'http'>): number {
  return http.request_timeout_ms + ACCEPT_WITHIN_MS;
}

/** The response that is stored for the key. @throws Refusal */
export async function orderBatch(
  dependencies: Dependencies,
  { sender, ...order }: SentOrder,
): Promise<OrderResponse> {
  const { user_id, environment } = sender;
  const until = Date.parse(sender.now) + acceptBatchWithinMs(dependencies.config);
  const { batch, items } = prepareBatch({
    ...order,
    id: randomUUID(),
    user_id,
    environment,
    limited_key: sender.limited_key,
    // The moment is of the database's clock, which will also judge it.
    accept_before: new Date(until).toISOString(),
  });
  const { fingerprint } = batch;
  if (sender.stored) {
    const response = storedResponse(sender.stored, fingerprint, { is_replay: true });
    // The process that stored it may have died before it could start the workflow.
    await wakeAfter(dependencies, dependencies.wakeBatches, batch);
    return response;
  }
  await countRecipients(dependencies, sender, order.items);
  const ordered = await orUnknown(MAY_BE_STORED, () =>
    createBatch(dependencies.db, batch, items, MAX_WAITING_BATCHES),
  );
  if (ordered.outcome === 'lapsed') throw nothingChanged();
  if (ordered.outcome === 'too_many') throw batchLimit();
  if (!('response' in ordered)) throw new Refusal(ordered.outcome);
  const is_replay = ordered.outcome === 'stored';
  const response = storedResponse(ordered.response, fingerprint, { is_replay });
  await wakeAfter(dependencies, dependencies.wakeBatches, batch);
  return response;
}

/** Unknown usernames that a refusal lists, at most. */
const MAX_NAMED = 10;

/**
 * @throws Refusal when the account has named too many usernames that do not exist; some of them are
 * listed
 */
async function countRecipients(
  { db }: Dependencies,
  sender: SentOrder['sender'],
  items: SentOrder['items'],
): Promise<void> {
  const names = items.map(({ to_username }) => to_username);
  const seconds = await orUnknown(MAY_BE_STORED, () => waitBeforeNaming(db, sender, names));
  if (seconds === undefined) return;
  const counted = await orUnknown(MAY_BE_STORED, () => listCounted(db, sender, names, MAX_NAMED));
  const message = 'is a username that nobody has';
  const details = counted.map((index) => ({ param: `transfers/${index}/to_username`, message }));
  throw unknownRecipientLimit(seconds, { param: details[0]?.param ?? 'transfers', details });
}

const MAY_BE_STORED =
  'The batch may have been accepted. Repeat the request with the same Idempotency-Key.';

/** The wait until one of many batches is over. */
const WAIT_SECONDS = 10;

export function batchLimit(): Refusal {
  return new Refusal('batch_limit', { retry_after_seconds: WAIT_SECONDS });
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
