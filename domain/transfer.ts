// A transfer's vocabulary: the request and what can become of it. The response is rendered and stored
// in the posting's transaction, so that a replay is the first response byte for byte, whatever
// happened in between.

import type { Currency } from './currency';
import type { Environment } from './environment';
import { storedRefusal, type StoredRefusal } from './error-body';
import type { Fingerprint, StoredResponse } from './idempotency';
import type { ExceededLimit, RecipientLimit } from './limits';
import type { Heard } from './risk';
import type { Sealed } from './sealed';
import type { WalletHold } from './wallet-hold';

/** A caller waits so long, and is then told what is known. Other orders than those below are not carried out later. */
export const ACCEPT_WITHIN_MS = 5_000;
/**
 * A transfer or a reversal whose workflow was started is carried out within this time, also when its process died,
 * unless it was given up meanwhile (resolve_idempotency_key).
 */
export const CARRY_OUT_WITHIN_MS = 60_000;

/** All that a posting needs; it is made before the workflow starts. */
export interface TransferRequest {
  /** `TRF-…`, the transfer's reference if this request makes one. */
  readonly reference: string;
  readonly environment: Environment;
  readonly sender_id: string;
  /** People read the name in Temporal's UI; the ledger goes by the id. */
  readonly sender_username: string;
  /** The idempotency key, as the caller sent it. */
  readonly key: string;
  readonly fingerprint: Fingerprint;
  readonly request_id: string;
  /** ISO 8601. Nothing is written after it, by the database's clock. */
  readonly accept_before: string;
  readonly to_username: string;
  readonly currency: Currency;
  /** Minor units as decimal text: `JSON.stringify` throws on bigint. */
  readonly amount_minor: string;
  /** Both sides see it. The field is left out when there is none. */
  readonly description?: string;
  /** The JSON text of an object for the sender. The field is left out when there is none. */
  readonly metadata?: string;
  /** The API key by whose daily limit it is counted. The field is left out when it has none. */
  readonly limited_key?: string;
  /** The caller's address, which rules may count by. */
  readonly ip?: string;
  /** The words of those who were asked before. Hidden with the key: no worker makes it up. */
  readonly heard?: Heard;
}

export const MAX_TRANSFER_DESCRIPTION = 255;

/** A history shows these of a request. A field that is not named here is hidden. */
export const SHOWN_OF_TRANSFER = [
  'reference',
  'environment',
  'sender_id',
  'sender_username',
  'fingerprint',
  'request_id',
  'accept_before',
  'to_username',
  'currency',
  'amount_minor',
  'limited_key',
] as const satisfies readonly (keyof TransferRequest)[];

/** Requests in the form of workflows: sealed by the API, so that they are known to be ours. */
export interface SealedTransfers extends Sealed {
  readonly transfers: readonly Pick<TransferRequest, (typeof SHOWN_OF_TRANSFER)[number]>[];
}

/** The outcomes that are stored under the key, for ever. */
export type FinalOutcome =
  'completed' | 'simulated' | 'held' | 'insufficient_funds' | 'recipient_not_found';
/**
 * Outcomes after which nothing was written, and the key stays free. `account_frozen`,
 * `kyc_required`: the sender's. `limit_exceeded`: a limit of the account, of its recipient, or of the key.
 * `risk_refused`: a case was written. `unasked`: it comes without `heard`, and others are to be asked. `not_posted`: Postgres or Temporal itself refused it, or it was not sealed by us.
 */
export type UnstoredOutcome =
  | 'lapsed'
  | WalletHold
  | 'self_transfer'
  | 'limit_exceeded'
  | 'risk_refused'
  | 'unasked'
  | 'not_posted';

const FINAL: ReadonlySet<string> = new Set<FinalOutcome>([
  'completed',
  'simulated',
  'held',
  'insufficient_funds',
  'recipient_not_found',
]);

export function isFinal(outcome: FinalOutcome | UnstoredOutcome): outcome is FinalOutcome {
  return FINAL.has(outcome);
}

/** The result of a request, from the posting to the API. */
export interface TransferResult {
  readonly outcome: FinalOutcome | UnstoredOutcome;
  /** The reference of the transfer that the key stands for; null when there is none. */
  readonly reference: string | null;
  /** True when an earlier request with this key had this outcome. */
  readonly is_replay: boolean;
  /** The limit that was exceeded, its figures as text; left out: the daily limit of the key, or none. */
  readonly over?: ExceededLimit | RecipientLimit;
  /**
   * The response stored for the key. Present for a final outcome, but not in what Temporal
   * keeps: the bodies of responses stand in no history.
   */
  readonly response?: StoredResponse;
}

export const NOT_POSTED: TransferResult = {
  outcome: 'not_posted',
  reference: null,
  is_replay: false,
};

/** The refusals that are stored under the key. */
export type TransferRefusals = Readonly<
  Record<'insufficient_funds' | 'recipient_not_found', StoredRefusal>
>;

export function transferRefusals(error_docs_url: string): TransferRefusals {
  return {
    insufficient_funds: storedRefusal('insufficient_funds', error_docs_url, { param: 'amount' }),
    recipient_not_found: storedRefusal('recipient_not_found', error_docs_url, {
      param: 'to_username',
    }),
  };
}
