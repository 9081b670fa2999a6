// Cancels one payment intent, or all open links of a merchant. The workflow of an intent closes the
// checkout at the gateway first, because a customer may be paying at that moment.

import type { StoredIntentStatus } from '../../domain/intent';
import { forEach } from '../../domain/limit';

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

/** An intent that money may still reach. */
export interface OpenLink {
  readonly id: string;
  readonly status: StoredIntentStatus;
}

export interface ClosedLinks<Link, Failure> {
  readonly canceled: number;
  /**
   * Each with why. Those that are `creating` or `processing` cannot be cancelled yet, or any more.
   */
  readonly remaining: readonly { readonly link: Link; readonly failure: Failure }[];
}

/** How many links are cancelled at the same time: each closes a checkout at the gateway. */
const CLOSING_AT_ONCE = 8;

/** Tries each link once, and may be repeated: what was cancelled is not listed again. */
export async function closeLinks<Link extends OpenLink, Failure>(
  links: readonly Link[],
  /** Why it is not cancelled; undefined when it is. */
  cancel: (link: Link) => Promise<Failure | undefined>,
): Promise<ClosedLinks<Link, Failure>> {
  const remaining: { link: Link; failure: Failure }[] = [];
  await forEach(links, CLOSING_AT_ONCE, async (link) => {
    const failure = await cancel(link);
    if (failure !== undefined) remaining.push({ link, failure });
  });
  return { canceled: links.length - remaining.length, remaining };
}
