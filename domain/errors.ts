// Every error code of the API, once: its HTTP status, its message, and whether the same request may
// succeed later. The first six are the specification's (section 7). A new code does not compile
// until it has a row here. A message says what to do where the caller can do something.

import { renderJson, type JsonValue } from './json';
import { MAX_ENDPOINTS } from './webhook';

export const ERRORS = {
  unauthorized: {
    status: 401,
    retryable: false,
    message: 'The API key is missing, invalid or revoked. Send a valid one as a bearer token.',
  },
  invalid_request: { status: 422, retryable: false, message: 'The request is not valid.' },
  invalid_json: { status: 400, retryable: false, message: 'The body is not valid JSON.' },
  insufficient_funds: {
    status: 402,
    retryable: false,
    message: 'The balance is too low for this transfer.',
  },
  recipient_not_found: { status: 404, retryable: false, message: 'No user has this username.' },
  rate_limited: {
    status: 429,
    retryable: true,
    message: 'Too many requests with this key. Wait as many seconds as Retry-After says.',
  },

  invalid_idempotency_key: {
    status: 400,
    retryable: false,
    message: 'Idempotency-Key must be 1 to 255 printable ASCII characters.',
  },
  forbidden: { status: 403, retryable: false, message: 'This request is not allowed.' },
  kyc_required: {
    status: 403,
    retryable: false,
    message: 'A live key needs an approved identity check.',
  },
  not_found: { status: 404, retryable: false, message: 'There is nothing at this address.' },
  transaction_not_found: { status: 404, retryable: false, message: 'No such transaction.' },
  payment_intent_not_found: {
    status: 404,
    retryable: false,
    message: 'No such payment intent.',
  },
  transfer_not_found: { status: 404, retryable: false, message: 'No such transfer.' },
  webhook_endpoint_not_found: {
    status: 404,
    retryable: false,
    message: 'No such webhook endpoint.',
  },
  event_not_found: { status: 404, retryable: false, message: 'No such event.' },
  webhook_delivery_not_found: {
    status: 404,
    retryable: false,
    message: 'No such webhook delivery.',
  },
  webhook_resend_not_found: { status: 404, retryable: false, message: 'No such webhook resend.' },
  method_not_allowed: {
    status: 405,
    retryable: false,
    message: 'This address does not support this method. Use one that Allow lists.',
  },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    message: 'A request with this Idempotency-Key is still running. Retry in a moment.',
  },
  intent_not_cancelable: {
    status: 409,
    retryable: false,
    message: 'This payment intent cannot be cancelled any more.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    retryable: false,
    message: 'This webhook endpoint is disabled. Enable it first.',
  },
  webhook_endpoint_limit: {
    status: 409,
    retryable: false,
    message: `Endpoint limit reached (${MAX_ENDPOINTS}). Delete one first.`,
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    message: 'The body is too large: send at most 64 KiB.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    message: 'Send the body as application/json, in UTF-8 and not compressed.',
  },
  idempotency_key_reuse: {
    status: 422,
    retryable: false,
    message: 'This Idempotency-Key was used with another body. Use a new key for a new request.',
  },
  internal_error: { status: 500, retryable: true, message: 'Something went wrong on our side.' },
  gateway_error: {
    status: 502,
    retryable: true,
    message: 'The payment gateway failed. Retry the request with the same Idempotency-Key.',
  },
  unavailable: {
    status: 503,
    retryable: true,
    message: 'The service cannot do this right now. Nothing was changed; try again.',
  },
  gateway_not_configured: {
    status: 503,
    retryable: false,
    message: 'No payment gateway is configured for this environment.',
  },
  gateway_timeout: {
    status: 504,
    retryable: true,
    message:
      'The payment gateway did not answer in time. Retry the request with the same Idempotency-Key.',
  },
} as const satisfies Record<string, ErrorRow>;

interface ErrorRow {
  readonly status: number;
  readonly retryable: boolean;
  readonly message: string;
}

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

export interface ErrorDetails {
  readonly message?: string;
  /** The field, query parameter or header at fault, as the caller wrote it. */
  readonly param?: string;
  readonly details?: readonly JsonValue[];
}

/** What a body repeats of its request and its server, besides the code itself. */
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
