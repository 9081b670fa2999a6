// A reversal's vocabulary: the recipient of a transfer gives money back to its sender. As with
// transfers, the response that came true is stored in the posting's transaction.

import type { Currency } from './currency';
import type { Environment } from './environment';
import { storedRefusal, type StoredRefusal } from './error-body';
import type { Fingerprint } from './idempotency';
import type { Sealed } from './sealed';
import type { WalletHold } from './wallet-hold';

/** All that a posting needs; it is made before the workflow starts. */
export interface ReversalRequest {
  /** `RVL-…`, the reversal's reference if this request makes one. */
  readonly reference: string;
  readonly environment: Environment;
  /** The transfer's recipient. */
  readonly user_id: string;
  readonly username: string;
  readonly transfer_reference: string;
  readonly currency: Currency;
  /** Minor units as decimal text; null for all that is left. */
  readonly amount_minor: string | null;
  readonly reason: string | null;
  /** The idempotency key, as the caller sent it. */
  readonly key: string;
  readonly fingerprint: Fingerprint;
  readonly request_id: string;
  /** ISO 8601. Nothing is written after it, by the database's clock. */
  readonly accept_before: string;
}

/** A history shows these of a request. A field that is not named here is hidden. */
export const SHOWN_OF_REVERSAL = [
  'reference',
  'environment',
  'user_id',
  'username',
  'transfer_reference',
  'currency',
  'amount_minor',
  'fingerprint',
  'request_id',
  'accept_before',
] as const satisfies readonly (keyof ReversalRequest)[];

export type SealedReversal = Pick<ReversalRequest, (typeof SHOWN_OF_REVERSAL)[number]> & Sealed;

/**
 * The first two are stored under the key, for ever; after the others nothing was written, and the
 * key stays free.
 */
export type ReversalOutcome =
  | 'reversed'
  | 'insufficient_funds'
  | 'lapsed'
  | 'transfer_not_found'
  | 'reversal_exceeds_transfer'
  | WalletHold
  /** The limit of the first sender's balance. */
  | 'limit_exceeded'
  /** Postgres refused it, or it was not sealed by us. */
  | 'not_posted';

/**
 * The result of a request in the form that Temporal keeps: the bodies of responses stand in no
 * history.
 */
export interface ReversalResult {
  readonly outcome: ReversalOutcome;
  /** The minor units that can still be reversed, when they are too few. */
  readonly left_minor: string | null;
}

export function isStoredReversal(outcome: ReversalOutcome): boolean {
  return outcome === 'reversed' || outcome === 'insufficient_funds';
}

/** The refusal that is stored under the key. */
export type ReversalRefusals = Readonly<Record<'insufficient_funds', StoredRefusal>>;

export function reversalRefusals(error_docs_url: string): ReversalRefusals {
  const message = 'The balance of the wallet is too low for this reversal.';
  const about = { param: 'amount', message };
  return { insufficient_funds: storedRefusal('insufficient_funds', error_docs_url, about) };
}
