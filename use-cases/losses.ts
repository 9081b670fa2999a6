// Settles what a gateway gave back beyond the books; above the limit another operator has to
// approve it.

import { listLosses, settleLoss, type Loss } from '../db/suspense/losses';
import { doOrRequest, type ApprovalNeeded, type Requesting } from './approvals';

export type SettledLoss =
  | { readonly ok: true; readonly loss: Loss }
  /** Nothing waits under this reference: it was settled before, or is no loss. */
  | { readonly ok: false; readonly error: 'no_loss' };

export async function settleLossOf(
  { db, actor }: Requesting,
  reference: string,
  reason: string,
): Promise<SettledLoss | ApprovalNeeded> {
  const [loss] = await listLosses(db, reference);
  if (loss === undefined) return { ok: false, error: 'no_loss' };
  const given = { reference, amount_minor: String(loss.amount_minor), reason };
  const request = { action: 'losses.settle', arguments: given, reason } as const;
  return doOrRequest({ db, actor }, request, async () =>
    (await settleLoss(db, loss, reason, actor))
      ? { ok: true, loss }
      : { ok: false, error: 'no_loss' },
  );
}
