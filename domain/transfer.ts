// A transfer's vocabulary: the request, what can become of it, and the response to each outcome. The
// response that came true is stored in the posting's transaction, so that a replay is the first response
// byte for byte, whatever happened in between.

import type { Currency } from './currency';
import type { Environment } from './environment';
import { ERRORS, renderError, type ResponseContext } from './errors';
import type { Fingerprint, StoredResponse } from './idempotency';
import type { Metadata } from './intent';
import { Decimal, renderJson, type JsonValue } from './json';
import { amountJson, formatAmount } from './money';

/** After this the transfer can no longer happen: a caller that got 503 must not be charged later. */
export const ACCEPT_WITHIN_MS = 5_000;

/** Everything a posting needs, made before the workflow starts. */
export interface TransferRequest {
  /** `TRF-…`: the transfer's, if this request makes one. */
  readonly reference: string;
  readonly environment: Environment;
  readonly sender_id: string;
  /** For people who read Temporal's UI; the ledger goes by the id. */
  readonly sender_username: string;
  /** The idempotency key, as the caller sent it. */
  readonly key: string;
  readonly fingerprint: Fingerprint;
  readonly request_id: string;
  /** ISO 8601. Past it, by the database's clock, nothing is written. */
  readonly accept_before: string;
  readonly to_username: string;
  readonly currency: Currency;
  /** Minor units as decimal text: `JSON.stringify` throws on bigint. */
  readonly amount_minor: string;
  /** For both sides to see. Left out when there is none. */
  readonly description?: string;
  /** The sender's own, as JSON text of an object. Left out when there is none. */
  readonly metadata?: string;
}

export const MAX_TRANSFER_DESCRIPTION = 255;

/** A transfer as one of its sides sees it. */
export interface TransferView {
  readonly reference: string;
  readonly environment: Environment;
  readonly status: string;
  readonly simulated: boolean;
  readonly direction: 'in' | 'out';
  readonly from_username: string;
  readonly to_username: string;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  readonly fee_minor: bigint;
  readonly reversed_minor: bigint;
  readonly description: string | null;
  /** Null for its recipient. */
  readonly metadata: Metadata | null;
  /** That it was posted for; null for a single one, and for its recipient. */
  readonly batch_id: string | null;
  readonly created_at: string;
}

/** One shape for reading and events; transfer_event_body in SQL makes the same. */
export function presentTransfer(view: TransferView): Record<string, JsonValue> {
  return {
    reference: view.reference,
    environment: view.environment,
    status: view.status,
    simulated: view.simulated,
    direction: view.direction,
    from_username: view.from_username,
    to_username: view.to_username,
    currency: view.currency,
    amount: amountJson(view.amount_minor),
    fee: amountJson(view.fee_minor),
    net_amount: amountJson(view.amount_minor - view.fee_minor),
    reversed_amount: amountJson(view.reversed_minor),
    description: view.description,
    metadata: view.metadata && { ...view.metadata },
    batch_id: view.batch_id,
    created_at: view.created_at,
  };
}

/** A request as workflows carry it: signed by the API, and what is private in a form that no history reveals. */
export interface SignedTransfer extends Omit<TransferRequest, 'key' | 'description' | 'metadata'> {
  /** The key, encrypted; in base64. */
  readonly sealed_key: string;
  /** Description and metadata, encrypted; in base64. Left out when there are none. */
  readonly sealed_words?: string;
  /** Over all other fields. */
  readonly signature: string;
}

/** Stored under the key, for ever. */
export type FinalOutcome = 'completed' | 'simulated' | 'insufficient_funds' | 'recipient_not_found';
/**
 * Nothing was written; the key stays free. `account_frozen`: the sender's. `unknown_recipient_limit`:
 * the sender has tried too many usernames that nobody has. `not_posted`: Postgres or Temporal itself
 * refused it, or its signature is not ours.
 */
export type UnstoredOutcome =
  | 'lapsed'
  | 'account_frozen'
  | 'balance_limit'
  | 'self_transfer'
  | 'unknown_recipient_limit'
  | 'not_posted';

/** What a caller is told of them, for one transfer and for an item of a batch. */
export const RECIPIENT_FULL = "amount is more than the recipient's wallet can hold.";
export const UNKNOWN_RECIPIENTS =
  'Too many transfers to usernames that nobody has. Check the recipients';

const FINAL: ReadonlySet<string> = new Set<FinalOutcome>([
  'completed',
  'simulated',
  'insufficient_funds',
  'recipient_not_found',
]);

export function isFinal(outcome: FinalOutcome | UnstoredOutcome): outcome is FinalOutcome {
  return FINAL.has(outcome);
}

/** What became of a request, from the posting to the API. */
export interface TransferResult {
  readonly outcome: FinalOutcome | UnstoredOutcome;
  /** Of the transfer that the key stands for; null when there is none. */
  readonly reference: string | null;
  /** True when an earlier request with this key had this outcome. */
  readonly is_replay: boolean;
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

export type TransferResponses = Readonly<Record<FinalOutcome, { status: number; body: string }>>;

/** The response to each final outcome of this request. */
export function renderTransferResponses(
  request: TransferRequest,
  error_docs_url: string,
): TransferResponses {
  const amount = new Decimal(formatAmount(BigInt(request.amount_minor)));
  const { description = null, metadata = '{}' } = request;
  const fields = { ...request, amount, description, metadata: new Decimal(metadata) };
  return renderResponses(fields, error_docs_url);
}

/** A body as SQL's `format` takes it: post_transfer_batch fills in what is the request's. */
export type ResponseFormats = Readonly<Record<FinalOutcome, { status: number; format: string }>>;

/** The responses to any request, for SQL to fill in the one that came true. */
export function renderResponseFormats(error_docs_url: string): ResponseFormats {
  const responses = Object.entries(renderResponses(PLACES, error_docs_url));
  return Object.fromEntries(
    responses.map(([outcome, { status, body }]) => [outcome, { status, format: toFormat(body) }]),
  ) as ResponseFormats;
}

/** What a response repeats of its request. */
interface ResponseFields {
  readonly reference: string;
  readonly environment: string;
  readonly to_username: string;
  readonly currency: string;
  readonly amount: Decimal;
  readonly request_id: string;
  readonly description: string | null;
  /** JSON text, as it is. */
  readonly metadata: Decimal;
}

// A place is a text with a NUL, which no other text of a template has: nothing of a user is in it. The
// numbers are those of the arguments in SQL.
const place = (number: number): string => `\0${number}`;

const PLACES: ResponseFields = {
  reference: place(1),
  environment: place(2),
  to_username: place(3),
  currency: place(4),
  amount: new Decimal(JSON.stringify(place(5))),
  request_id: place(6),
  description: place(7),
  metadata: new Decimal(JSON.stringify(place(8))),
};

function toFormat(body: string): string {
  return body.replaceAll('%', '%%').replaceAll(/"\\u0000(\d)"/g, '%$1$$s');
}

function renderResponses(fields: ResponseFields, error_docs_url: string): TransferResponses {
  const { reference, environment, to_username, currency, amount, request_id } = fields;
  const { description, metadata } = fields;
  const context: ResponseContext = { request_id, error_docs_url };
  const success = (status: 'completed' | 'simulated') => ({
    status: 200,
    body: renderJson({
      ok: true,
      reference,
      status,
      environment,
      to_username,
      currency,
      amount,
      simulated: status === 'simulated',
      description,
      metadata,
    }),
  });
  const refusal = (code: 'insufficient_funds' | 'recipient_not_found', param: string) => ({
    status: ERRORS[code].status,
    body: renderError(code, context, { param }),
  });
  return {
    completed: success('completed'),
    simulated: success('simulated'),
    insufficient_funds: refusal('insufficient_funds', 'amount'),
    recipient_not_found: refusal('recipient_not_found', 'to_username'),
  };
}
