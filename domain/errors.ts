// Every error code of the API, once: its HTTP status, its message, and whether the same request may
// succeed later. The first six are the specification's (section 7). A new code does not compile
// until it has a row here. A message says what to do where the caller can do something; the page of
// errors has more (error-help.ts).

import { renderJson, type JsonValue } from './json';
import { MAX_WAITING_BATCHES } from './batch-limits';
import { MAX_REFUNDS } from './intent';
import { MAX_ENDPOINTS } from './webhook';

interface ErrorRow {
  readonly status: number;
  /** True when the same request may succeed later. */
  readonly retryable: boolean;
  readonly message: string;
}

const final = (status: number, message: string): ErrorRow => ({
  status,
  retryable: false,
  message,
});
const retryable = (status: number, message: string): ErrorRow => ({
  status,
  retryable: true,
  message,
});

export const ERRORS = {
  unauthorized: final(
    401,
    'The API key is missing, invalid or revoked. Send a valid one as a bearer token, "Authorization: Bearer pay_test_…".',
  ),
  invalid_request: final(422, 'The request is not valid.'),
  invalid_json: final(400, 'The body is not valid JSON.'),
  insufficient_funds: final(402, 'The balance is too low for this transfer.'),
  recipient_not_found: final(404, 'No user has this username.'),
  rate_limited: retryable(
    429,
    'Too many requests with this key. Wait as many seconds as Retry-After says.',
  ),

  invalid_idempotency_key: final(
    400,
    'Idempotency-Key must be one line of 1 to 255 printable ASCII characters.',
  ),
  forbidden: final(403, 'This request is not allowed.'),
  approval_by_creator: final(
    403,
    'A payout is approved by another person than the one who ordered it.',
  ),
  account_frozen: final(
    403,
    'This account is frozen. Ask the operator; once it is unfrozen, repeat the request with the same Idempotency-Key.',
  ),
  kyc_required: final(
    403,
    'Live money is asked for and sent only with an approved identity check. Submit it in the dashboard under Profile; once it is approved, repeat the request with the same Idempotency-Key.',
  ),
  not_found: final(404, 'There is nothing at this address.'),
  transaction_not_found: final(404, 'No such transaction.'),
  statement_not_found: final(404, 'The wallet has no statement of this month.'),
  payment_intent_not_found: final(404, 'No such payment intent.'),
  attempt_not_found: final(404, 'No such attempt to pay this payment intent.'),
  payment_link_not_found: final(404, 'No such reusable link.'),
  idempotency_key_not_found: final(
    404,
    'No request with this Idempotency-Key has had an effect, and none that came before this one still can.',
  ),
  transfer_not_found: final(404, 'No such transfer.'),
  transfer_batch_not_found: final(404, 'No such transfer batch.'),
  refund_not_found: final(404, 'No such refund.'),
  dispute_not_found: final(404, 'No such dispute.'),
  payout_not_found: final(404, 'No such payout.'),
  payout_batch_not_found: final(404, 'No such payout batch.'),
  webhook_endpoint_not_found: final(404, 'No such webhook endpoint.'),
  event_not_found: final(404, 'No such event.'),
  webhook_delivery_not_found: final(404, 'No such webhook delivery.'),
  webhook_resend_not_found: final(404, 'No such webhook resend.'),
  method_not_allowed: final(
    405,
    'This address does not support this method. Use one that Allow lists.',
  ),
  idempotency_in_progress: retryable(
    409,
    'A request with this Idempotency-Key is still running. Retry in a moment.',
  ),
  payment_intent_not_payable: final(
    409,
    'This payment intent cannot be paid any more. Look at its status.',
  ),
  attempt_in_progress: final(
    409,
    'A customer is being asked to pay this payment intent. Wait until that attempt has ended.',
  ),
  otp_not_expected: final(409, 'This attempt waits for no one-time code.'),
  intent_not_cancelable: final(409, 'This payment intent cannot be cancelled any more.'),
  batch_not_cancelable: final(409, 'This transfer batch is over and cannot be cancelled any more.'),
  batch_limit: retryable(
    409,
    `Batch limit reached (${MAX_WAITING_BATCHES} that are not over). Wait until one is, or cancel one.`,
  ),
  batch_refused: final(
    422,
    'Another transfer of this atomic batch was refused, so none of them was carried out.',
  ),
  payment_intent_not_refundable: final(
    409,
    'Only a payment that has succeeded can be refunded. Look at the status of the payment intent.',
  ),
  too_many_refunds: final(
    409,
    `This payment has had ${MAX_REFUNDS} refunds, the most there may be. Give the rest back another way.`,
  ),
  webhook_endpoint_disabled: final(409, 'This webhook endpoint is disabled. Enable it first.'),
  webhook_resend_running: retryable(
    409,
    'A resend of this endpoint is under way. Send the request again once it has completed.',
  ),
  webhook_endpoint_limit: final(
    409,
    `Endpoint limit reached (${MAX_ENDPOINTS}). Delete one first.`,
  ),
  payout_not_cancelable: final(
    409,
    'The provider has been asked to send this payout, or it is over: it cannot be cancelled any more.',
  ),
  payout_not_confirmable: final(409, 'This payout waits for no confirmation.'),
  payout_not_approvable: final(409, 'This payout waits for no approval.'),
  payout_batch_not_cancelable: final(
    409,
    'Each payout of this batch was ordered already, or has ended: there is nothing to cancel.',
  ),
  payout_batch_not_confirmable: final(409, 'This payout batch waits for no confirmation.'),
  payout_batch_not_approvable: final(409, 'This payout batch waits for no approval.'),
  malformed_request: final(400, 'This is not a valid HTTP request.'),
  request_timeout: retryable(408, 'The request did not arrive in time. Send it again, faster.'),
  headers_too_large: final(431, 'The headers are too large: send at most 16 KiB.'),
  payload_too_large: final(413, 'The body is too large: send at most 64 KiB.'),
  unsupported_media_type: final(
    415,
    'Send the body as application/json, in UTF-8 and not compressed.',
  ),
  idempotency_key_reuse: final(
    422,
    'This Idempotency-Key was used with another body. Use a new key for a new request.',
  ),
  refund_exceeds_payment: final(
    422,
    'The refund is more than what is left of the payment. Refund at most that.',
  ),
  reversal_exceeds_transfer: final(
    422,
    'The reversal is more than what is left of the transfer. Reverse at most that.',
  ),
  unsupported_destination: final(422, 'No provider pays such a destination in this currency.'),
  amount_out_of_bounds: final(422, 'The operator takes or pays no such amount at once.'),
  limit_exceeded: final(
    422,
    'This is above a limit: of the account for payouts, or of the API key for what leaves by it in 24 hours.',
  ),
  name_mismatch: final(
    422,
    'The recipient has another name, or none that is known. Correct the name, or send name_check "warn".',
  ),
  internal_error: retryable(500, 'Something went wrong on our side.'),
  gateway_error: retryable(
    502,
    'The payment gateway failed. Retry the request with the same Idempotency-Key.',
  ),
  // The message claims nothing about what happened: that is said only where it is certain
  // (use-cases/requests/failures.ts).
  unavailable: retryable(
    503,
    'The service cannot do this right now. Wait as many seconds as Retry-After says and try again.',
  ),
  provider_unavailable: retryable(
    503,
    'The operator takes no payments or payouts now. Wait as many seconds as Retry-After says and try again.',
  ),
  payouts_not_configured: final(503, 'No payout provider is configured for this environment.'),
  gateway_not_configured: final(503, 'No payment gateway is configured for this environment.'),
  gateway_timeout: retryable(
    504,
    'The payment gateway did not answer in time. Retry the request with the same Idempotency-Key.',
  ),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

export interface ErrorDetails {
  readonly message?: string;
  /** The field, query parameter or header at fault, as the caller wrote it. */
  readonly param?: string;
  /** A list where several fields are at fault, an object where one has figures. */
  readonly details?: readonly JsonValue[] | Readonly<Record<string, JsonValue>>;
}

/** The parts of its request and its server that a body repeats, besides the code. */
export interface ResponseContext {
  readonly request_id: string;
  /** The errors page; a code is its fragment. */
  readonly error_docs_url: string;
}

/** The body of an error response: one shape for every failure of the API. */
export function renderError(
  code: ErrorCode,
  context: ResponseContext,
  about: ErrorDetails = {},
): string {
  const row = ERRORS[code];
  return renderJson({
    ok: false,
    error: {
      code,
      message: about.message ?? row.message,
      param: about.param,
      details: about.details,
      doc_url: `${context.error_docs_url}#${code}`,
      request_id: context.request_id,
      retryable: row.retryable,
    },
  });
}

/**
 * A refusal that a posting may store for a request's key. The database adds the id of the request:
 * refusal_json makes the body that renderError makes.
 */
export interface StoredRefusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string;
  readonly doc_url: string;
  readonly retryable: boolean;
}

export function storedRefusal(
  code: ErrorCode,
  error_docs_url: string,
  { param, message }: { readonly param: string; readonly message?: string },
): StoredRefusal {
  const row = ERRORS[code];
  const doc_url = `${error_docs_url}#${code}`;
  return { ...row, code, message: message ?? row.message, param, doc_url };
}
