// What the page of errors says about each code: how it comes about, and what to do. A new code does
// not compile until it has a row here.

import { MAX_WAITING_BATCHES } from './batch-limits';
import { MAX_REFUNDS } from './intent';
import { MAX_ENDPOINTS } from './webhook';
import { ERROR_CODES, ERRORS, type ErrorCode } from './errors';

export interface ErrorHelp {
  readonly cause: string;
  readonly remedy: string;
}

const AS_IT_IS = 'Nothing was changed.';
const REPEAT =
  'Repeat the request with the same Idempotency-Key: whatever was done is done once, and you get its result.';

export const ERROR_HELP: Readonly<Record<ErrorCode, ErrorHelp>> = {
  unauthorized: {
    cause:
      'The header Authorization is missing, does not begin with “Bearer ”, or has a key that does not exist, was revoked, or may not be used from this address.',
    remedy:
      'Send “Authorization: Bearer KEY”. The dashboard lists which keys are active, from where each may be used, and makes new ones.',
  },
  invalid_request: {
    cause: 'A field, query parameter or path does not have the form that the API describes.',
    remedy:
      'Read param and details: they name each field and what it must be. Change it and send again.',
  },
  invalid_json: {
    cause:
      'The body could not be read as JSON: a comma, a quotation mark or the end is missing, or a name stands twice.',
    remedy: 'Let a JSON library write the body, and send it as UTF-8.',
  },
  insufficient_funds: {
    cause: 'The wallet of this currency holds less than the amount.',
    remedy:
      'Look at GET /wallets, send less, or wait for money to come in; then use a new Idempotency-Key, because this answer is kept for the old one.',
  },
  recipient_not_found: {
    cause: 'No account has the username in to_username.',
    remedy:
      'Ask the recipient for their username; letters are lower case. Then use a new Idempotency-Key.',
  },
  rate_limited: {
    cause:
      'The key has made as many requests in this minute as it may; writes have a lower limit of their own.',
    remedy:
      'Wait for as many seconds as Retry-After says. X-RateLimit-Remaining tells before that how many are left. Spread requests evenly, or ask the operator for a higher limit.',
  },
  invalid_idempotency_key: {
    cause:
      'The header Idempotency-Key is empty, longer than 255 characters, has other characters than printable ASCII, or was sent twice (a comma with a space after it counts as a second one).',
    remedy:
      'Use a random UUID for each operation, and the same one when you repeat it. Look whether your HTTP client adds a key of its own.',
  },
  forbidden: {
    cause: 'The key lacks the scope of this operation, or the operation is closed to this account.',
    remedy:
      'Use a key with the scope that the message names, or add it to the key in the dashboard.',
  },
  account_frozen: {
    cause: 'The operator of this service has frozen the account.',
    remedy:
      'Ask the operator. Once it is unfrozen, repeat the request with the same Idempotency-Key.',
  },
  kyc_required: {
    cause:
      'Live keys, payment links, transfers, bulk transfers, refunds and reversals are about real money, and the identity check of this account is not approved, or no longer.',
    remedy:
      'Submit the identity check in the dashboard under Profile, then repeat the request with the same Idempotency-Key. Until then use a test key. What arrives meanwhile waits in the wallet.',
  },
  not_found: {
    cause: 'No route of the API has this path.',
    remedy: 'Compare the path with /openapi.json; it begins with the version.',
  },
  transaction_not_found: {
    cause: 'There is no transaction with this id or reference in this account and environment.',
    remedy:
      'Check the id, and that the key belongs to the environment (test or live) in which it was made.',
  },
  statement_not_found: {
    cause:
      'The path does not end with a currency and a month, such as XOF/2026-11, or the month is before the account was made or still to come.',
    remedy: 'GET /statements lists those that there are.',
  },
  payment_intent_not_found: {
    cause: 'There is no payment intent with this id in this account and environment.',
    remedy:
      'Check the id, and that the key belongs to the environment (test or live) in which it was made.',
  },
  payment_link_not_found: {
    cause: 'There is no reusable link with this id or code in this account and environment.',
    remedy:
      'Check the id, and that the key belongs to the environment (test or live) in which it was made.',
  },
  idempotency_key_not_found: {
    cause:
      'No request of this account and environment with this key and operation has had an effect. Those that came earlier are over: none of them can have one any more.',
    remedy:
      'Send the request, with the same key or with a new one. Check the operation, and that the key belongs to the environment (test or live).',
  },
  transfer_not_found: {
    cause:
      'There is no transfer with this reference or Idempotency-Key in this account and environment.',
    remedy: 'Check both. A transfer that was refused has no reference.',
  },
  transfer_batch_not_found: {
    cause: 'There is no batch with this id in this account and environment.',
    remedy:
      'Check the id, and that the key belongs to the environment (test or live) in which it was made.',
  },
  refund_not_found: {
    cause: 'There is no refund with this id in this account and environment.',
    remedy:
      'Check the id, and that the key belongs to the environment (test or live) in which it was made.',
  },
  dispute_not_found: {
    cause: 'There is no dispute with this id in this account and environment.',
    remedy:
      'Check the id, and that the key belongs to the environment (test or live) in which the payment was made.',
  },
  attempt_not_found: {
    cause: 'This payment intent has no attempt with this id.',
    remedy: 'Check the id, and that it is of this payment intent.',
  },
  payment_intent_not_payable: {
    cause: 'The payment intent is paid, canceled or expired, or its payment is under way.',
    remedy: 'Read its status. For another payment make another payment intent.',
  },
  attempt_in_progress: {
    cause: 'A payment intent has one attempt at a time, and the last one waits for its customer.',
    remedy:
      'Read the attempts of the payment intent. The waiting one ends when the customer confirms, declines, or lets its time pass (`expires_at`); then a new one can begin.',
  },
  otp_not_expected: {
    cause: 'The attempt has ended, its operator asks for no one-time code, or it has its code.',
    remedy: 'Read the attempt. After a wrong code begin a new one.',
  },
  payout_not_found: {
    cause: 'There is no payout with this id or reference in this account and environment.',
    remedy:
      'Check it, and that the key belongs to the environment (test or live) in which it was made.',
  },
  payout_batch_not_found: {
    cause: 'There is no payout batch with this id in this account and environment.',
    remedy:
      'Check the id, and that the key belongs to the environment (test or live) in which it was made.',
  },
  payout_batch_not_cancelable: {
    cause: 'Each payout of the batch was ordered already, or has ended.',
    remedy:
      'Read its payouts. A payout that its operator has not sent yet can be canceled by itself.',
  },
  payout_batch_not_confirmable: {
    cause:
      'The batch is being looked at, waits for an approval, was sent, is over, or waited for too long.',
    remedy: 'Read its status. Order a new batch with a new Idempotency-Key where it was canceled.',
  },
  payout_batch_not_approvable: {
    cause: 'The batch needs no approval, has it already, is over, or waited for too long.',
    remedy: 'Read its status.',
  },
  approval_by_creator: {
    cause: 'The key, or the person who is signed in, is the one that ordered the payout.',
    remedy: 'Ask another owner of the account to approve it, or cancel it.',
  },
  payout_not_cancelable: {
    cause: 'The operator was asked to send the payout, or the payout is over.',
    remedy:
      'Read its status. While its outcome is unknown it is asked for: wait for payout.succeeded or payout.failed.',
  },
  payout_not_confirmable: {
    cause: 'The payout waits for an approval, was sent, is over, or waited for too long.',
    remedy: 'Read its status. Order a new payout with a new Idempotency-Key where it was canceled.',
  },
  payout_not_approvable: {
    cause: 'The payout needs no approval, has it already, is over, or waited for too long.',
    remedy: 'Read its status.',
  },
  unsupported_destination: {
    cause: 'No operator of this service pays such a phone or account in this currency.',
    remedy: 'Send XOF to phones of the countries that the operator serves. Check the country code.',
  },
  amount_out_of_bounds: {
    cause:
      'The amount is too small or too large for the operator, as a payment by phone or as a payout: details has the bounds.',
    remedy:
      'Choose an amount within the bounds, or several payouts. A customer may also pay through another operator, or in another way that the link offers.',
  },
  limit_exceeded: {
    cause:
      'The account has a limit for one payout, a day or a month, or the API key one for what leaves by it in 24 hours: details says which, and what is left.',
    remedy:
      'Wait until resets_at, or have an owner or the operator of this service raise the limit. With the limit of a key (key_daily), what left a day ago stops counting, and at resets_at all of it is free again: send at most remaining, wait, or use another key.',
  },
  name_mismatch: {
    cause: 'name_check is require, and the operator has another name, or tells none.',
    remedy:
      'Ask the recipient for the name of the account. Or send name_check "warn" with confirm, and look at the name before you confirm.',
  },
  provider_unavailable: {
    cause:
      'The operator takes no payments by phone now, or no operator can be reached. A payout is refused for that only where when_closed is refuse.',
    remedy:
      'Try again after Retry-After. A customer may also pay through another operator; a payout without when_closed waits until its operator is open.',
  },
  payouts_not_configured: {
    cause: 'The operator of this service has set up no provider of payouts in this environment.',
    remedy: 'Ask the operator.',
  },
  webhook_endpoint_not_found: {
    cause: 'There is no such endpoint in this account and environment, or it was deleted.',
    remedy: 'List the endpoints with the same key.',
  },
  event_not_found: {
    cause: 'There is no event with this id in this account and environment.',
    remedy: 'Use the id of a webhook’s body or of GET /events, with a key of the same environment.',
  },
  webhook_delivery_not_found: {
    cause: 'There is no delivery with this id in this account and environment.',
    remedy: 'List the deliveries with the same key.',
  },
  webhook_resend_not_found: {
    cause: 'There is no resend with this id in this account and environment.',
    remedy: 'Use the id that the request to resend returned.',
  },
  method_not_allowed: {
    cause: 'The path exists, but not with this HTTP method.',
    remedy: 'Use a method that the header Allow lists.',
  },
  idempotency_in_progress: {
    cause: 'Another request with this Idempotency-Key is being carried out at this moment.',
    remedy: 'Wait a second and repeat it: you get the result of the first.',
  },
  intent_not_cancelable: {
    cause: 'The payment has succeeded, failed or expired, or is being made right now.',
    remedy:
      'Read the intent’s status. A payment that has arrived is given back by a refund or a transfer.',
  },
  batch_not_cancelable: {
    cause: 'Every transfer of the batch is done, or it was refused as a whole.',
    remedy: 'Read its status and its transfers. What was sent is given back by a transfer.',
  },
  batch_limit: {
    cause: `So many batches of an account wait in one environment (${MAX_WAITING_BATCHES}); they are carried out one after the other.`,
    remedy:
      'Wait until one is over, or cancel one; then repeat the request with the same Idempotency-Key. Put more transfers into each batch.',
  },
  batch_refused: {
    cause: 'A transfer of an atomic batch would not be carried out for another reason.',
    remedy:
      'List the failed transfers of the batch: those with another code are the reason. Mend them, and order a new batch.',
  },
  payment_intent_not_refundable: {
    cause: 'The payment intent has not been paid: its status is not succeeded.',
    remedy:
      'Wait for payment.succeeded, or cancel the intent. Money that came for an intent that has ended is with the operator.',
  },
  too_many_refunds: {
    cause: `A payment has at most ${MAX_REFUNDS} refunds; those that failed count.`,
    remedy:
      'Give the rest back outside of the service. Refund larger parts, so that few are enough.',
  },
  webhook_endpoint_disabled: {
    cause: 'You have disabled the endpoint, or it failed for days, or it answered 410.',
    remedy: 'Enable it (status: enabled); what was held is sent then.',
  },
  webhook_resend_running: {
    cause: 'Deliveries of a period are being queued again for this endpoint; one resend at a time.',
    remedy:
      'Read GET /webhook-resends/{id} with the id in the message until it has completed. If it is your own request whose response was lost, there is nothing to repeat.',
  },
  webhook_endpoint_limit: {
    cause: `An environment of an account has at most ${MAX_ENDPOINTS} endpoints.`,
    remedy: 'Delete one that is not needed, or let one receiver pass events on.',
  },
  malformed_request: {
    cause: 'What arrived does not follow HTTP/1.1.',
    remedy: 'Use an HTTP library; look at what a proxy between you and the service does.',
  },
  request_timeout: {
    cause: 'The whole request did not arrive within the time limit.',
    remedy: `Send it again over a better connection. ${AS_IT_IS}`,
  },
  headers_too_large: {
    cause: 'All headers together have more than 16 KiB.',
    remedy: 'Send fewer or shorter headers; cookies are not needed.',
  },
  payload_too_large: {
    cause: 'The body has more than 64 KiB.',
    remedy: 'Shorten it: metadata and descriptions have limits far below.',
  },
  unsupported_media_type: {
    cause: 'The body has another type than JSON, another encoding than UTF-8, or is compressed.',
    remedy: 'Send “Content-Type: application/json”, and no Content-Encoding.',
  },
  idempotency_key_reuse: {
    cause: 'This Idempotency-Key belongs to an earlier request whose body was different.',
    remedy:
      'A new operation needs a new key; a repeated one needs exactly the same body. The answer names what differs.',
  },
  refund_exceeds_payment: {
    cause: 'The customer would get back more than was paid; pending refunds count.',
    remedy:
      'Read refunded_amount of the payment intent; refund at most the rest, or leave amount out to refund all of it.',
  },
  reversal_exceeds_transfer: {
    cause: 'The sender would get back more than they sent; earlier reversals count.',
    remedy:
      'Read reversed_amount of the transfer; reverse at most the rest, or leave amount out to reverse all of it.',
  },
  internal_error: {
    cause: 'A fault of this service; it was recorded under the request id.',
    remedy: `${REPEAT} If it stays, give the operator the request id.`,
  },
  gateway_error: {
    cause: 'The payment gateway refused, or answered what cannot be used.',
    remedy: `${REPEAT} If it stays, the operator can see what the gateway said.`,
  },
  unavailable: {
    cause:
      'The database or the workflows cannot be reached for a moment, or the service is at its limit.',
    remedy: `Wait for as many seconds as Retry-After says. ${REPEAT}`,
  },
  gateway_not_configured: {
    cause: 'The operator has set up no payment gateway for this environment.',
    remedy: 'Ask the operator, or use the sandbox.',
  },
  gateway_timeout: {
    cause: 'The payment gateway took too long; whether it acted is not known.',
    remedy: REPEAT,
  },
};

/** All codes with this status, in the order of the table. */
export function codesOfStatus(status: number): readonly ErrorCode[] {
  return ERROR_CODES.filter((code) => ERRORS[code].status === status);
}
