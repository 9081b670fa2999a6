// Cancels a bulk transfer: what is not posted yet will not be.

import type { Caller } from '../../db/keys/api-keys';
import {
  cancelBatch as cancelStored,
  type BatchRow,
} from '../../db/transfer-batches/transfer-batches';
import { isUuid } from '../../domain/ids';
import { Refusal } from '../../domain/refusal';
import type { OrderDependencies } from '../requests/dependencies';
import { orUnknown } from '../requests/failures';

const MAY_BE_CANCELED = 'The batch may yet be cancelled. Repeat the request.';

/** The batch after that. @throws Refusal */
export async function cancelBatch(
  { db, wakeBatches, log }: Pick<OrderDependencies, 'db' | 'wakeBatches' | 'log'>,
  { user_id, environment }: Pick<Caller, 'user_id' | 'environment'>,
  id: string,
): Promise<BatchRow> {
  const batch = isUuid(id)
    ? await orUnknown(MAY_BE_CANCELED, () => cancelStored(db, user_id, environment, id))
    : undefined;
  if (!batch) throw new Refusal('transfer_batch_not_found');
  if (batch.status !== 'canceled') {
    throw new Refusal('batch_not_cancelable', {
      message: `This transfer batch is ${batch.status} and cannot be cancelled any more.`,
    });
  }
  // The next one need not wait until this one's workflow has noticed.
  void wakeBatches(batch).catch((error: unknown) =>
    log({ part: 'batches', batch_id: id, error: String(error) }),
  );
  return batch;
}
