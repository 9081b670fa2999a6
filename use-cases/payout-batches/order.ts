// Orders many payouts at once. The order and its response are stored in one transaction, and nothing is reserved; what
// looks at the destinations starts afterwards.

import { randomUUID } from 'node:crypto';
import type { Caller } from '../../db/keys/api-keys';
import { createPayoutBatch } from '../../db/payout-batches/payout-batches';
import { MAX_WAITING_BATCHES } from '../../domain/batch-limits';
import type { PayoutBatchItem } from '../../domain/payout-batch';
import { Refusal } from '../../domain/refusal';
import { fingerprintFields } from '../../secrets/hash';
import type { OrderDependencies } from '../requests/dependencies';
import { nothingChanged, orUnknown } from '../requests/failures';
import { storedResponse, type OrderResponse } from '../requests/stored-response';
import { acceptBatchWithinMs, batchLimit, wakeAfter } from '../transfer-batches/order';

export interface PayoutBatchOrder {
  /** The caller, with the response that the key has already. */
  readonly caller: Pick<Caller, 'user_id' | 'environment' | 'now' | 'stored'> &
    Partial<Pick<Caller, 'limited_key'>>;
  /** The API key that ordered it, or the person who is signed in. */
  readonly by: { readonly key_id: string } | { readonly ordered_by: string };
  readonly items: readonly PayoutBatchItem[];
  /** Whether it is sent once its destinations were looked at, or waits to be confirmed. */
  readonly confirm: boolean;
  readonly dry_run: boolean;
  readonly key: string;
  readonly request_id: string;
}

const MAY_BE_STORED =
  'The batch may have been accepted. Repeat the request with the same Idempotency-Key.';

/** The response that is stored for the key. @throws Refusal */
export async function orderPayoutBatch(
  dependencies: OrderDependencies,
  { caller, by, items, confirm, dry_run, key, request_id }: PayoutBatchOrder,
): Promise<OrderResponse> {
  const { user_id, environment } = caller;
  const { config, db, payout_providers, wakePayoutBatches } = dependencies;
  const rendered = JSON.stringify(items);
  const fingerprint = fingerprintFields({
    payouts: rendered,
    confirm: String(confirm),
    dry_run: String(dry_run),
  });
  const wake = () =>
    wakeAfter(dependencies, wakePayoutBatches, { user_id, environment, request_id });
  if (caller.stored) {
    const response = storedResponse(caller.stored, fingerprint, { is_replay: true });
    // The process that stored it may have died before it could start the workflow.
    await wake();
    return response;
  }
  if (!payout_providers[environment][0]) throw new Refusal('payouts_not_configured');
  const until = Date.parse(caller.now) + acceptBatchWithinMs(config);
  const batch = {
    id: randomUUID(),
    user_id,
    environment,
    confirm,
    dry_run,
    idempotency_key: key,
    fingerprint,
    request_id,
    limited_key: caller.limited_key,
    accept_before: new Date(until).toISOString(),
    ...by,
  };
  const ordered = await orUnknown(MAY_BE_STORED, () =>
    createPayoutBatch(db, batch, rendered, MAX_WAITING_BATCHES),
  );
  if (ordered.outcome === 'lapsed') throw nothingChanged();
  if (ordered.outcome === 'too_many') throw batchLimit();
  if (!('response' in ordered)) throw new Refusal(ordered.outcome);
  const is_replay = ordered.outcome === 'stored';
  const response = storedResponse(ordered.response, fingerprint, { is_replay });
  await wake();
  return response;
}
