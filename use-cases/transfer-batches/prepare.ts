// Puts an order of many transfers into the form in which it is stored. The API, the dashboard and
// the command line order; what is carried out is decided by the rows.

import type { NewBatch } from '../../db/transfer-batches/transfer-batches';
import type { BatchItem } from '../../domain/transfer-batch';
import { fingerprintFields } from '../../secrets/hash';

interface Items {
  readonly items: readonly BatchItem[];
}

export interface StorableBatch {
  readonly batch: NewBatch;
  /** JSON; the fingerprint is made from it. */
  readonly items: string;
}

/** Some 15 ms of processor time for 10,000 items. */
export function prepareBatch({
  items,
  ...order
}: Omit<NewBatch, 'fingerprint'> & Items): StorableBatch {
  const fields = fingerprinted({ items, ...order });
  return { batch: { ...order, fingerprint: fingerprintFields(fields) }, items: fields.transfers };
}

export function fingerprinted({
  items,
  mode,
  dry_run,
}: Pick<NewBatch, 'mode' | 'dry_run'> & Items) {
  return { transfers: JSON.stringify(items), mode, dry_run: String(dry_run) };
}
