// A reversal's vocabulary: the recipient of a transfer gives money back to its sender. As with transfers, the
// response that came true is stored in the posting's transaction.

import type { Currency } from './currency';
import type { Environment } from './environment';
import { ERRORS, renderError, type ResponseContext } from './errors';
import type { Fingerprint, StoredResponse } from './idempotency';
import { Decimal, renderJson } from './json';

/** Everything a posting needs, made before the workflow starts. */
export interface ReversalRequest {
  /** `RVL-…`: the reversal's, if this request makes one. */
  readonly reference: string;
  readonly environment: Environment;
  /** The transfer's recipient. */
  readonly user_id: string;
  readonly username: string;
  readonly transfer_reference: string;
  readonly currency: Currency;
  /** Minor units as decimal text; null: what is left. */
  readonly amount_minor: string | null;
  readonly reason: string | null;
  /** The idempotency key, as the caller sent it. */
  readonly key: string;
  readonly fingerprint: Fingerprint;
  readonly request_id: string;
  /** ISO 8601. Past it, by the database's clock, nothing is written. */
  readonly accept_before: string;
}

/** A request as workflows carry it: signed by the API, with the key and the reason in a form that no history reveals. */
export interface SignedReversal extends Omit<ReversalRequest, 'key' | 'reason'> {
  /** `{key, reason}` as JSON, encrypted; in base64. */
  readonly sealed: string;
  /** Over all other fields. */
  readonly signature: string;
}

/** The first two are stored under the key, for ever; of the others nothing was written, and the key stays free. */
export type ReversalOutcome =
  | 'reversed'
  | 'insufficient_funds'
  | 'lapsed'
  | 'transfer_not_found'
  | 'reversal_exceeds_transfer'
  | 'account_frozen'
  | 'balance_limit'
  /** Postgres refused it, or its signature is not ours. */
  | 'not_posted';

/** What became of a request, as Temporal keeps it: the bodies of responses stand in no history. */
export interface ReversalResult {
  readonly outcome: ReversalOutcome;
  /** What can still be reversed, in minor units, when that is too little. */
  readonly left_minor: string | null;
}

export function isStoredReversal(outcome: ReversalOutcome): boolean {
  return outcome === 'reversed' || outcome === 'insufficient_funds';
}

type Rendered = Pick<StoredResponse, 'status' | 'body'>;

// What only the posting knows. Each is a control character: JSON text escapes those, so that none can come
// from the data of a user. The function post_reversal puts the values in their places.
const AT = new Decimal('\u0001');
const AMOUNT = new Decimal('\u0002');

/** The responses that are stored for the key; of a new reversal its moment and its amount are left out. */
export function renderReversalResponses(
  request: ReversalRequest,
  error_docs_url: string,
): { readonly reversed: Rendered; readonly insufficient_funds: Rendered } {
  const { reference, transfer_reference, currency, reason, environment, request_id } = request;
  const context: ResponseContext = { request_id, error_docs_url };
  return {
    reversed: {
      status: 201,
      body: renderJson({
        ok: true,
        reference,
        transfer_reference,
        amount: AMOUNT,
        currency,
        reason,
        environment,
        simulated: environment === 'sandbox',
        created_at: AT,
      }),
    },
    insufficient_funds: {
      status: ERRORS.insufficient_funds.status,
      body: renderError('insufficient_funds', context, {
        param: 'amount',
        message: 'The balance of the wallet is too low for this reversal.',
      }),
    },
  };
}
