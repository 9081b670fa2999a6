// Cancels a payment intent. Its workflow closes the checkout at the gateway first, because a customer
// may be paying at that moment.

import type { StoredIntentStatus } from '../domain/intent';

export interface CancelDependencies<Response> {
  /** Asks the intent's workflow to cancel, and returns its response. */
  readonly requestCancel: () => Promise<Response>;
  readonly readStatus: () => Promise<StoredIntentStatus>;
}

export type Cancellation<Response> =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: 'not_cancelable'; readonly status: StoredIntentStatus }
  /** The workflow's response says why. */
  | { readonly ok: false; readonly error: 'still_open'; readonly response: Response };

/** Cancelling a cancelled intent changes nothing. */
export async function cancelIntent<Response>(
  { requestCancel, readStatus }: CancelDependencies<Response>,
  status: StoredIntentStatus,
): Promise<Cancellation<Response>> {
  if (status === 'canceled') return { ok: true };
  if (status !== 'open') return { ok: false, error: 'not_cancelable', status };
  const response = await requestCancel();
  // The row decides, not the response: the row may have changed since, or the response be missing.
  const after = await readStatus();
  if (after === 'canceled') return { ok: true };
  if (after === 'open') return { ok: false, error: 'still_open', response };
  return { ok: false, error: 'not_cancelable', status: after };
}
