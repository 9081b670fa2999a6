// Written by npm run clients from api/openapi.json.

/** A value that there may be tomorrow passes: `switch` with a default. */
export type Open<T extends string> = T | (string & {});

/** An exact decimal, such as "5000.00": never a number. */
export type Amount = string;
/** In requests: a decimal text, such as "49.90", or a whole number. A number with a fraction is refused. */
export type AmountLike = string | number | bigint;

export interface AdvanceSandboxClockRequest {
  /** How far the clock is moved. */
  seconds?: number | undefined;
  /** An ISO 8601 instant of the account's clock, not before its `now`. */
  to?: string | undefined;
  /** To what is due next. With nothing waiting nothing moves. */
  to_next?: true | undefined;
}

export interface ApiKey {
  id: string;
  name: string;
  /** What the key may do; each operation names the one that it needs. */
  scopes: Open<Scope>[];
  /** From then on it is refused; null: never. */
  expires_at: string | null;
  /**
   * What may leave the account by this key in 24 hours. Nothing may leave of a currency that
   * is left out; null: there is no limit.
   */
  daily_limit: DailyLimit | null;
}

export interface AttemptFailure {
  code: Open<
    | 'payer_not_found'
    | 'payer_blocked'
    | 'payer_limit_exceeded'
    | 'insufficient_funds'
    | 'not_approved'
    | 'wrong_otp'
    | 'expired'
    | 'amount_out_of_bounds'
    | 'provider_unavailable'
    | 'rejected'
    | 'unspecified'
  >;
  message: string;
  /** The provider’s own code for it. */
  provider_code: string | null;
}

export interface BankDestination {
  type: 'bank';
  /** An IBAN or the number of the account. */
  account: string;
  /** The holder of the account. */
  name: string;
  bank_code?: string | undefined;
}

export type BatchedItemStatus = 'pending' | 'completed' | 'failed';

export interface BatchedPayout {
  /** Its place in the order, from 0. */
  index: number;
  destination: PayoutDestination;
  currency: Open<Currency>;
  amount: Amount;
  status: Open<BatchedItemStatus>;
  /** The reference of the payout, once it was ordered. */
  reference: string | null;
  error: BatchedPayoutError | null;
}

export interface BatchedPayoutError {
  /**
   * The code of the payout’s failure, or that with which POST /payouts refuses it; canceled
   * when it was stopped before it was sent, excluded when it was left out.
   */
  code: string;
  message: string;
}

export interface BatchedPayoutList {
  ok: true;
  payouts: BatchedPayout[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

export interface BatchedTransfer {
  /** Its place in the order, from 0. */
  index: number;
  to_username: string;
  currency: Open<Currency>;
  amount: Amount;
  status: Open<BatchedTransferStatus>;
  /** The reference of the transfer, once it is completed or held. */
  reference: string | null;
  error: BatchedTransferError | null;
  idempotency_key: string | null;
  description: string | null;
  simulated: boolean;
  /** Its key had been answered before; nothing was done for it here. */
  replayed: boolean;
}

export interface BatchedTransferError {
  code: Open<ErrorCode>;
  message: string;
}

export interface BatchedTransferList {
  ok: true;
  transfers: BatchedTransfer[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

export type BatchedTransferStatus = 'pending' | 'completed' | 'failed' | 'held';

export interface ChangePaymentLinkRequest {
  /** What is paid for, as customers read it. */
  title?: string | undefined;
  /** Shown below the title. */
  description?: string | null | undefined;
  /** False: the link takes no payment until it is true. */
  active?: boolean | undefined;
  /** An ISO 8601 instant or date, later than now. */
  active_until?: string | null | undefined;
  /**
   * How many customers may pay. A payment that is under way counts until it ends without
   * success.
   */
  max_payments?: number | null | undefined;
  /**
   * Where the pay page leads after a success: https, without user info. payment_intent,
   * reference and status are added to its query. They prove nothing: ask the API, or wait for
   * the webhook.
   */
  return_url?: string | null | undefined;
  /** In place of what it has. */
  metadata?: Metadata | undefined;
}

export interface ChangeWebhookEndpointRequest {
  /** Begins with https:// and leads to a public address. */
  url?: string | undefined;
  /** The event types it receives; those of payments when left out. */
  types?: EventType[] | undefined;
  description?: string | null | undefined;
  /** Deliveries a second; no limit when null. */
  max_per_second?: number | null | undefined;
  /** Enabling sends what was held while it was disabled. */
  status?: WebhookEndpointStatus | undefined;
}

export interface CheckPayoutDestinationRequest {
  currency: Currency;
  destination: PayoutDestinationFields;
  /**
   * A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
   * "5000.00". Whole for XOF.
   */
  amount?: AmountLike | undefined;
  /**
   * The recipient’s name, to be compared with the one that the operator has. Of a bank account
   * it is the holder’s, and may be left out.
   */
  name?: string | undefined;
}

/** What the customer answered to a reusable link, by key; null without one. */
export type Collected = Record<string, string | null>;

export interface CollectedField {
  key: string;
  label: string;
  required: boolean;
}

export interface CollectedFieldRequest {
  key: string;
  label: string;
  required?: boolean | undefined;
}

export type ComponentStatus = 'operational' | 'degraded';

export interface Components {
  postgres: Open<ComponentStatus>;
  temporal: Open<ComponentStatus>;
}

export interface ConfirmPayoutBatchRequest {
  /** Payouts of which this was found are not sent: they fail with `excluded`. */
  exclude?: PayoutBatchCheck[] | undefined;
}

export interface CreatePaymentAttemptRequest {
  /** An operator of GET /payment-methods. */
  operator: string;
  /**
   * The phone that pays, with the code of its country; an old number of Benin (+229 and eight
   * digits) becomes the one with 01.
   */
  phone: string;
  /**
   * The customer’s one-time code, where the step is otp. Without it the attempt waits for the
   * code.
   */
  otp?: string | undefined;
}

export interface CreatePaymentIntentRequest {
  /**
   * A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
   * "5000.00". Whole for XOF.
   */
  amount: AmountLike;
  currency: Currency;
  /** ISO 3166-1 alpha-2; the United Kingdom is GB. */
  country?: string | undefined;
  /** Shown on the pay page. */
  description?: string | undefined;
  /**
   * Stored and given back in lower case, the domain as DNS has it (xn--…); a dot in the
   * domain.
   */
  customer_email?: string | undefined;
  /** In international format (E.164), with spaces, dots, hyphens and brackets as you like. */
  customer_phone?: string | undefined;
  /**
   * Given back with the same names and values, perhaps in another order. Numbers have at most
   * 15 digits and no exponent.
   */
  metadata?: Metadata | undefined;
  /**
   * Where the pay page leads after a success: https, without user info. payment_intent,
   * reference and status are added to its query. They prove nothing: ask the API, or wait for
   * the webhook.
   */
  return_url?: string | undefined;
  /** Where it leads a customer who gives up; the same is added. The payment intent stays open. */
  cancel_url?: string | undefined;
  /** Seconds; at least 900 with a live key. When left out: 86400. */
  expires_in?: number | undefined;
}

export interface CreatePaymentLinkRequest {
  /** What is paid for, as customers read it. */
  title: string;
  currency: Currency;
  /** The price of one; or send open_amount. */
  amount?: AmountLike | undefined;
  open_amount?: OpenAmountRequest | undefined;
  quantity?: QuantityRange | undefined;
  /**
   * How many customers may pay. A payment that is under way counts until it ends without
   * success.
   */
  max_payments?: number | undefined;
  /** An ISO 8601 instant or date, later than now. */
  active_until?: string | undefined;
  /** What customers are asked for. */
  collect?: CollectedFieldRequest[] | undefined;
  /** Shown below the title. */
  description?: string | undefined;
  /**
   * Where the pay page leads after a success: https, without user info. payment_intent,
   * reference and status are added to its query. They prove nothing: ask the API, or wait for
   * the webhook.
   */
  return_url?: string | undefined;
  /** Given to each payment of the link. */
  metadata?: Metadata | undefined;
}

export interface CreatePayoutBatchRequest {
  payouts: PayoutOrder[];
  /**
   * True: the batch is confirmed with the order, and sent once its destinations were looked
   * at. Otherwise it waits in requires_confirmation until you confirm it. When left out:
   * false.
   */
  confirm?: boolean | undefined;
  /** Only tells what would become of each payout. When left out: false. */
  dry_run?: boolean | undefined;
}

export interface CreatePayoutRequest {
  currency: Currency;
  /**
   * What the recipient gets; the fee comes on top. A plain decimal with at most two decimals,
   * as a number or as text: 5000, 5000.00, "5000.00". Whole for XOF.
   */
  amount: AmountLike;
  destination: PayoutDestinationFields;
  /**
   * The recipient’s name, to be compared with the one that the operator has. Of a bank account
   * it is the holder’s, and may be left out.
   */
  name?: string | undefined;
  name_check?: NameCheck | undefined;
  /**
   * False: the payout waits in requires_confirmation with the name that was found, until you
   * confirm it. When left out: true.
   */
  confirm?: boolean | undefined;
  /** What happens when the operator takes no payouts now. When left out: "queue". */
  when_closed?: 'queue' | 'refuse' | undefined;
  /**
   * Seconds that the payout may wait for the operator; then it is canceled, and the money is
   * back. A day when left out.
   */
  expires_in?: number | undefined;
  /** The recipient sees it if the operator can show it. */
  description?: string | undefined;
  /**
   * Given back with the same names and values, perhaps in another order. Numbers have at most
   * 15 digits and no exponent.
   */
  metadata?: Metadata | undefined;
}

export interface CreateRefundRequest {
  /**
   * A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
   * "5000.00". Whole for XOF. All that is left of the payment when left out.
   */
  amount?: AmountLike | undefined;
  /** For your own records: shown in your history, and not to the customer. */
  reason?: string | undefined;
  /**
   * Given back with the same names and values, perhaps in another order. Numbers have at most
   * 15 digits and no exponent.
   */
  metadata?: Metadata | undefined;
}

export interface CreateReversalRequest {
  /**
   * A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
   * "5000.00". Whole for XOF. All that is left of the transfer when left out.
   */
  amount?: AmountLike | undefined;
  /** Shown in the history of both sides. */
  reason?: string | undefined;
}

export interface CreateSandboxFaultRequest {
  /** The method and the path as this document has them. */
  operation: string;
  /**
   * As in the header Sandbox-Fault: lost-response, unavailable, unavailable-after,
   * rate-limited, in-progress, gateway-down, gateway-unknown, slow=MS or slow-after=MS with 0
   * to 60000 milliseconds.
   */
  fault: string;
  /** How many requests it is for. When left out: 1. */
  times?: number | undefined;
}

export interface CreateTransferBatchRequest {
  transfers: TransferOrder[];
  /** atomic: all of them or none, and at most 500. When left out: "independent". */
  mode?: TransferBatchMode | undefined;
  /** Only tells what would become of each transfer. When left out: false. */
  dry_run?: boolean | undefined;
}

export interface CreateTransferRequest {
  /** The recipient's username; capitals do not matter. */
  to_username: string;
  currency: Currency;
  /**
   * A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
   * "5000.00". Whole for XOF.
   */
  amount: AmountLike;
  /** For both of you: the recipient sees it too. */
  description?: string | undefined;
  /**
   * For you alone. Given back with the same names and values, perhaps in another order.
   * Numbers have at most 15 digits and no exponent.
   */
  metadata?: Metadata | undefined;
}

export interface CreateWebhookEndpointRequest {
  /** Begins with https:// and leads to a public address. */
  url: string;
  /** The event types it receives; those of payments when left out. */
  types?: EventType[] | undefined;
  description?: string | null | undefined;
  /** Deliveries a second; no limit when null. */
  max_per_second?: number | null | undefined;
}

export interface CreateWebhookFaultRequest {
  /** duplicate, swap, bad-signature, or late=S with 1 to 34560000 seconds. */
  fault: string;
  /** How many attempts it is for. When left out: 1. */
  times?: number | undefined;
}

export interface CreatedTransfer {
  ok: true;
  reference: string;
  status: Open<TransferStatus>;
  environment: Open<Environment>;
  to_username: string;
  currency: Open<Currency>;
  amount: Amount;
  /** With a test key: nothing was moved. */
  simulated: boolean;
  /** What its sender wrote for both of them. */
  description: string | null;
  metadata: Metadata;
  /** With 202 only: the transfer waits for a check. */
  hold?: Hold | undefined;
}

export interface CreatedWebhookEndpoint {
  ok: true;
  id: string;
  /** Begins with https:// and leads to a public address. */
  url: string;
  /** The event types it receives; those of payments when left out. */
  types: Open<EventType>[];
  description: string | null;
  /** Deliveries a second; no limit when null. */
  max_per_second: number | null;
  status: Open<WebhookEndpointStatus>;
  disabled_reason: Open<WebhookDisabledReason> | null;
  consecutive_failures: number;
  failing_since: string | null;
  last_failure: WebhookFailure | null;
  /** During a rotation: until then the old secret signs too. */
  previous_secret_until: string | null;
  created_at: string;
  updated_at: string;
  /** Shown this once. */
  secret: string;
}

export type Currency = 'XOF' | 'EUR' | 'USD';

export interface DailyLimit {
  XOF?: Amount | undefined;
  EUR?: Amount | undefined;
  USD?: Amount | undefined;
}

export interface DeletedWebhookEndpoint {
  ok: true;
  id: string;
  deleted: true;
}

export interface DestinationCheck {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  /** False when the operator says that it would not be paid. */
  payable: boolean;
  operator: string | null;
  country: string | null;
  /** Masked (A*** D***) unless it matches. */
  name_found: string | null;
  name_match: Open<NameMatch> | null;
  bounds: PayoutBounds;
  fee: Amount | null;
  tax: Amount | null;
  state: Open<OperatorState>;
}

/** Whether the money came to the key's owner or left. */
export type Direction = 'in' | 'out';

export interface Dispute {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  id: string;
  /** Its rows in GET /transactions have it too. */
  reference: string;
  payment_intent_id: string;
  /** What the customer claims: the payment, or a part of it. */
  amount: Amount;
  currency: Open<Currency>;
  /** What the gateway charged for it; 0 unless it was lost. */
  fee: Amount;
  status: Open<DisputeStatus>;
  /** The gateway's word for what the customer says, such as `fraudulent`. */
  reason: string;
  /** Until then the bank takes evidence; null when it takes none. */
  evidence_due_by: string | null;
  /** What the wallet lacked so far: it is taken from what arrives next. */
  owed_amount: Amount;
  environment: Open<Environment>;
  created_at: string;
  closed_at: string | null;
}

export interface DisputeList {
  ok: true;
  disputes: Dispute[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

/**
 * open: the customer's bank has not decided. One that is lost may still be won, by an
 * appeal.
 */
export type DisputeStatus = 'open' | 'won' | 'lost';

export interface DroppedSandboxFaults {
  ok: true;
  deleted: number;
}

/** Of the key: live moves money, sandbox is for trying. */
export type Environment = 'live' | 'sandbox';

export interface Error {
  ok: false;
  error: ErrorInfo;
}

export type ErrorCode =
  | 'unauthorized'
  | 'invalid_request'
  | 'invalid_json'
  | 'insufficient_funds'
  | 'recipient_not_found'
  | 'rate_limited'
  | 'invalid_idempotency_key'
  | 'forbidden'
  | 'approval_by_creator'
  | 'account_frozen'
  | 'kyc_required'
  | 'risk_refused'
  | 'risk_held'
  | 'not_found'
  | 'transaction_not_found'
  | 'statement_not_found'
  | 'payment_intent_not_found'
  | 'attempt_not_found'
  | 'payment_link_not_found'
  | 'idempotency_key_not_found'
  | 'transfer_not_found'
  | 'transfer_batch_not_found'
  | 'refund_not_found'
  | 'dispute_not_found'
  | 'payout_not_found'
  | 'fee_invoice_not_found'
  | 'payout_batch_not_found'
  | 'webhook_endpoint_not_found'
  | 'event_not_found'
  | 'webhook_delivery_not_found'
  | 'webhook_resend_not_found'
  | 'method_not_allowed'
  | 'idempotency_in_progress'
  | 'payment_intent_not_payable'
  | 'attempt_in_progress'
  | 'otp_not_expected'
  | 'intent_not_cancelable'
  | 'batch_not_cancelable'
  | 'batch_limit'
  | 'batch_refused'
  | 'payment_intent_not_refundable'
  | 'too_many_refunds'
  | 'payment_disputed'
  | 'webhook_endpoint_disabled'
  | 'webhook_resend_running'
  | 'webhook_endpoint_limit'
  | 'payout_not_cancelable'
  | 'payout_not_confirmable'
  | 'payout_not_approvable'
  | 'payout_batch_not_cancelable'
  | 'payout_batch_not_confirmable'
  | 'payout_batch_not_approvable'
  | 'malformed_request'
  | 'request_timeout'
  | 'headers_too_large'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reuse'
  | 'refund_exceeds_payment'
  | 'reversal_exceeds_transfer'
  | 'unsupported_destination'
  | 'amount_out_of_bounds'
  | 'limit_exceeded'
  | 'name_mismatch'
  | 'internal_error'
  | 'gateway_error'
  | 'unavailable'
  | 'provider_unavailable'
  | 'payouts_not_configured'
  | 'gateway_not_configured'
  | 'gateway_timeout';

export interface ErrorDetail {
  param: string;
  message: string;
}

export interface ErrorInfo {
  code: Open<ErrorCode>;
  /** For people; it may change. */
  message: string;
  /** The field at fault. */
  param?: string | undefined;
  /**
   * Every fault, when several fields are at fault. An object of figures where a limit was
   * reached: `minimum` and `maximum`; or `limit` (`single`, `daily`, `monthly`, `key_daily`),
   * `currency`, `maximum`, `used`, `remaining` and `resets_at`. Amounts are numbers.
   */
  details?: ErrorDetail[] | Record<string, unknown> | undefined;
  /** What the code means and what to do. */
  doc_url: string;
  /** As in the header X-Request-Id. */
  request_id: string;
  /** The same request, with the same Idempotency-Key, may succeed later. */
  retryable: boolean;
}

export interface Event {
  id: string;
  type: Open<EventType>;
  api_version: 'v1';
  created_at: string;
  environment: Open<Environment>;
  /** Without gaps per account and environment; 0 for a test event. */
  sequence: number;
  /** On test events only. */
  test?: true | undefined;
  /**
   * The payment intent of `payment.…`, the refund of `refund.…`, the dispute of `dispute.…`,
   * the transfer of `transfer.…`, the payout of `payout.…`, as GET answered it at that moment.
   */
  data: PaymentIntent | Refund | Dispute | Transfer | Payout;
}

export interface EventList {
  ok: true;
  events: Event[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

export type EventType =
  | 'payment.succeeded'
  | 'payment.failed'
  | 'payment.held'
  | 'payment.expired'
  | 'refund.succeeded'
  | 'refund.failed'
  | 'dispute.opened'
  | 'dispute.won'
  | 'dispute.lost'
  | 'transfer.received'
  | 'transfer.sent'
  | 'transfer.held'
  | 'transfer.refused'
  | 'payout.held'
  | 'payout.requires_action'
  | 'payout.sent'
  | 'payout.succeeded'
  | 'payout.failed'
  | 'payout.returned';

export interface EventWithDeliveries {
  ok: true;
  id: string;
  type: Open<EventType>;
  api_version: 'v1';
  created_at: string;
  environment: Open<Environment>;
  /** Without gaps per account and environment; 0 for a test event. */
  sequence: number;
  /** On test events only. */
  test?: true | undefined;
  /**
   * The payment intent of `payment.…`, the refund of `refund.…`, the dispute of `dispute.…`,
   * the transfer of `transfer.…`, the payout of `payout.…`, as GET answered it at that moment.
   */
  data: PaymentIntent | Refund | Dispute | Transfer | Payout;
  deliveries: WebhookDeliveryWithAttempts[];
}

/**
 * `recipient`: the fee is taken from the amount. `payer`: the sender pays it on top of the
 * amount, and the recipient has no fee.
 */
export type FeeBearer = 'recipient' | 'payer';

export interface FeeInvoice {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  /** It belongs to one series for each environment and year, without a gap. */
  number: string;
  environment: Open<Environment>;
  currency: Open<Currency>;
  period_from: string;
  period_to: string;
  issued_at: string;
  issuer: string;
  account: InvoicedAccount;
  lines: FeeInvoiceLine[];
  fee: Amount;
  /** The part of `fee` that is tax. */
  tax: Amount;
  /** Settled: all of it was taken when it arose. */
  total: Amount;
}

export interface FeeInvoiceLine {
  kind: Open<FeeKind>;
  method: string | null;
  count: number;
  /** The sum of the amounts. */
  volume: Amount;
  fee: Amount;
  /** The part of `fee` that is tax. */
  tax: Amount;
}

export interface FeeInvoiceList {
  ok: true;
  fee_invoices: FeeInvoice[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

export type FeeKind = 'transfer' | 'payment_intent' | 'payout';

export interface FeePreview {
  ok: true;
  kind: Open<FeeKind>;
  currency: Open<Currency>;
  amount: Amount;
  method: string | null;
  fee: Amount;
  /** The part of `fee` that is tax. */
  tax: Amount;
  /** The amount that leaves the payer. */
  total: Amount;
  /** The amount that arrives. */
  net_amount: Amount;
  bearer: Open<PreviewBearer>;
}

export interface FundLimits {
  /** Of one call. */
  maximum: Amount;
  /** Calls in 24 hours. */
  a_day: number;
}

export interface FundSandboxWalletRequest {
  currency: Currency;
  /**
   * A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
   * "5000.00". Whole for XOF.
   */
  amount: AmountLike;
}

export interface GivePaymentOtpRequest {
  /** The customer’s one-time code, where the step is otp. */
  otp: string;
}

export interface GivenApproval {
  by: string;
  at: string;
}

export interface Health {
  ok: true;
  service: string;
  version: 'v1';
  time: string;
}

export interface Hold {
  /** The operator of the service knows the check by it. */
  reference: string;
  /** When it is refused, unless it is decided before. */
  expires_at: string;
}

export interface IdempotencyKey {
  ok: true;
  key: string;
  operation: Open<IdempotentOperation>;
  state: Open<IdempotencyKeyState>;
  /** Of the response. */
  http_status: number | null;
  /** The response, as a repetition of the request would get it. */
  response: Record<string, unknown> | null;
  /** Of what the request made: a reference, or the id of a batch. */
  reference: string | null;
  /** The first request's. */
  request_id: string;
  created_at: string;
}

/**
 * completed: the key has its response, which every repetition gets. in_progress: a request
 * with it may still have an effect.
 */
export type IdempotencyKeyState = 'in_progress' | 'completed';

export type IdempotentOperation =
  | 'transfer'
  | 'payment_intent'
  | 'payment_attempt'
  | 'payment_link'
  | 'transfer_batch'
  | 'refund'
  | 'reversal'
  | 'payout'
  | 'payout_batch'
  | 'sandbox_fund';

export interface InvoicedAccount {
  username: string;
  display_name: string | null;
  country: string;
}

export interface KeyOwner {
  ok: true;
  environment: Open<Environment>;
  key: ApiKey;
  profile: Profile;
}

/** The identity check: live keys work once it is approved. */
export type KycStatus = 'not_started' | 'pending' | 'approved' | 'rejected' | 'expired';

export interface Limit {
  currency: Open<Currency>;
  limit: Open<LimitName>;
  maximum: Amount;
  /** It is what the wallet holds for `balance`, and 0.00 for `single_…`. */
  used: Amount;
  remaining: Amount;
  /** When a limit of a day or a month begins anew; null of the others. */
  resets_at: string | null;
}

/**
 * `single_…`: of one movement; `daily_…`, `monthly_…`: of a day, a month (UTC); `…_in`: of
 * what arrives; `…_out`: of what leaves; `balance`: of what the wallet holds.
 */
export type LimitName =
  'balance' | 'single_in' | 'daily_in' | 'monthly_in' | 'single_out' | 'daily_out' | 'monthly_out';

export interface Limits {
  ok: true;
  environment: Open<Environment>;
  tier: Open<Tier>;
  /** Those that hold now. What is not named here has no limit. */
  limits: Limit[];
}

/** What was given. */
export type Metadata = Record<string, string | number | boolean | null>;

/**
 * warn: the result is shown. require: nothing is sent unless the name matches. off: the name
 * is not compared. When left out: "warn".
 */
export type NameCheck = 'off' | 'warn' | 'require';

/**
 * Accents, capitals, apostrophes, hyphens and the order of the parts do not count. close: a
 * part is missing, or one or two letters differ in a name that is long enough. unavailable:
 * the operator does not tell, or too many names that are not the recipient’s were tried: in
 * a day five for a destination, and 300 that fit none at all.
 */
export type NameMatch = 'match' | 'close' | 'no_match' | 'unavailable';

/**
 * What the customer has to do now; null once it has ended, and while the operator has not
 * answered.
 */
export interface NextStep {
  kind: Open<PaymentStep>;
  /** Until when the operator waits. */
  expires_at: string;
  /** What to dial, for dial and otp. */
  code: string | null;
  /** The operator’s page, for redirect. */
  url: string | null;
  instructions: StepInstructions;
}

export interface OpenAmount {
  minimum: Amount | null;
  maximum: Amount | null;
  suggestions: Amount[];
}

/** The customer chooses the amount, within these bounds. */
export interface OpenAmountRequest {
  /**
   * A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
   * "5000.00". Whole for XOF.
   */
  minimum?: AmountLike | undefined;
  /**
   * A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
   * "5000.00". Whole for XOF.
   */
  maximum?: AmountLike | undefined;
  suggestions?: AmountLike[] | undefined;
}

/** closed: payouts wait until it opens. */
export type OperatorState = 'open' | 'delayed' | 'closed';

export interface OrderedSandboxFault {
  ok: true;
  id: string;
  /** The method and the path as this document has them. */
  operation: string;
  /**
   * As in the header Sandbox-Fault: lost-response, unavailable, unavailable-after,
   * rate-limited, in-progress, gateway-down, gateway-unknown, slow=MS or slow-after=MS with 0
   * to 60000 milliseconds.
   */
  fault: string;
  times: number;
  /** How many requests it is still for. */
  left: number;
}

export interface OrderedWebhookFault {
  ok: true;
  id: string;
  /** duplicate, swap, bad-signature, or late=S with 1 to 34560000 seconds. */
  fault: string;
  times: number;
  /** How many attempts it is still for. */
  left: number;
}

export interface PaymentAttempt {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  id: string;
  payment_intent_id: string;
  status: Open<PaymentAttemptStatus>;
  operator: string;
  phone: string;
  next_step: NextStep | null;
  failure: AttemptFailure | null;
  created_at: string;
  /** When a waiting attempt is given up. */
  expires_at: string;
  ended_at: string | null;
}

/**
 * A failed attempt leaves the payment intent open. It may still become succeeded: a phone
 * may pay after its time, and the money then goes where late money goes.
 */
export type PaymentAttemptStatus = 'waiting' | 'succeeded' | 'failed';

export interface PaymentAttempts {
  ok: true;
  attempts: PaymentAttempt[];
}

export interface PaymentError {
  code: string;
  message: string;
}

export interface PaymentIntent {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  id: string;
  short_code: string;
  reference: string;
  amount: Amount;
  currency: Open<Currency>;
  status: Open<PaymentIntentStatus>;
  /** The gateway's page. */
  checkout_url: string;
  /** The link to give to the customer. */
  pay_url: string;
  environment: Open<Environment>;
  country: string | null;
  description: string | null;
  customer_email: string | null;
  customer_phone: string | null;
  /** What was given on creation. */
  metadata: Metadata;
  return_url: string | null;
  cancel_url: string | null;
  fee: Amount;
  /** The part of `fee` that is tax. */
  tax: Amount;
  net_amount: Amount;
  /**
   * What has arrived for it in its currency, also what an operator has yet to decide about;
   * null until something has. Refunds are not subtracted.
   */
  amount_received: Amount | null;
  /** What was given back, pending refunds included; null before the payment. */
  refunded_amount: Amount | null;
  last_payment_error: PaymentError | null;
  hold: Hold | null;
  /** Of the payment in GET /transactions, once it is paid. */
  transaction_id: string | null;
  created_at: string;
  updated_at: string;
  expires_at: string;
  succeeded_at: string | null;
  failed_at: string | null;
  expired_at: string | null;
  canceled_at: string | null;
  /** The reusable link that the customer paid by; null for any other payment intent. */
  payment_link_id: string | null;
  /** How many the customer pays by a reusable link; null without one. */
  quantity: number | null;
  collected: Collected | null;
}

export interface PaymentIntentList {
  ok: true;
  payment_intents: PaymentIntent[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

export type PaymentIntentStatus =
  'open' | 'processing' | 'succeeded' | 'failed' | 'expired' | 'canceled';

export interface PaymentIntentTimeline {
  ok: true;
  timeline: TimelineEntry[];
}

export interface PaymentLink {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  id: string;
  code: string;
  /** The page to give to customers. */
  url: string;
  /** Its QR code as an SVG picture; needs no key. */
  qr_url: string;
  status: Open<PaymentLinkStatus>;
  title: string;
  currency: Open<Currency>;
  /** The price of one; null with open_amount. */
  amount: Amount | null;
  open_amount: OpenAmount | null;
  quantity: Quantity | null;
  max_payments: number | null;
  active_until: string | null;
  collect: CollectedField[];
  description: string | null;
  return_url: string | null;
  metadata: Metadata;
  /** How many have succeeded. */
  payments: number;
  /** The sum of those. Refunds are not subtracted. */
  paid_amount: Amount;
  environment: Open<Environment>;
  created_at: string;
  updated_at: string;
}

export interface PaymentLinkList {
  ok: true;
  payment_links: PaymentLink[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

/**
 * sold_out: each of max_payments is paid or under way; one that ends without success is free
 * again.
 */
export type PaymentLinkStatus = 'active' | 'inactive' | 'sold_out' | 'expired';

export interface PaymentMethod {
  /** Such as orange_ci. */
  operator: string;
  /** As customers know it. */
  name: string;
  country: string;
  currency: Open<Currency>;
  /** How its numbers begin; empty when it has no numbers of its own. */
  prefixes: string[];
  minimum: Amount;
  maximum: Amount;
  step: Open<PaymentStep>;
  state: Open<PaymentMethodState>;
}

/** delayed: payments take longer than usual. closed: it takes none now. */
export type PaymentMethodState = 'open' | 'delayed' | 'closed';

export interface PaymentMethods {
  ok: true;
  payment_methods: PaymentMethod[];
}

/**
 * What the customer does. prompt: confirms a question on the phone. dial: dials a code and
 * confirms there. otp: makes a one-time code and types it. redirect: leaves for the
 * operator’s page.
 */
export type PaymentStep = 'prompt' | 'dial' | 'otp' | 'redirect';

export interface Payout {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  id: string;
  /** Its rows in GET /transactions have it too. */
  reference: string;
  status: Open<PayoutStatus>;
  stage: Open<PayoutStage> | null;
  /** True in succeeded, failed, canceled and returned: nothing is under way. */
  conclusive: boolean;
  currency: Open<Currency>;
  /** What the recipient gets. */
  amount: Amount;
  fee: Amount;
  /** The part of `fee` that is tax. */
  tax: Amount;
  /** amount + fee: what leaves the wallet. */
  total: Amount;
  destination: PayoutDestination;
  provider: PayoutProvider;
  failure: PayoutFailure | null;
  /** What came back after it had succeeded. */
  returned_amount: Amount;
  approval: PayoutApproval | null;
  hold: Hold | null;
  batch_id: string | null;
  description: string | null;
  /** What was given on creation. */
  metadata: Metadata;
  environment: Open<Environment>;
  created_at: string;
  updated_at: string;
  sent_at: string | null;
  completed_at: string | null;
  expires_at: string | null;
}

/** Set when other people have to approve it. */
export interface PayoutApproval {
  needed: number;
  given: GivenApproval[];
}

export interface PayoutBatch {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  id: string;
  status: Open<PayoutBatchStatus>;
  confirm: boolean;
  dry_run: boolean;
  environment: Open<Environment>;
  /** How many payouts it has. completed and failed say how many have ended so far. */
  total: number;
  completed: number;
  failed: number;
  checks: PayoutBatchChecks;
  approval: PayoutApproval | null;
  reject_reason: string | null;
  created_at: string;
  finished_at: string | null;
  expires_at: string | null;
}

export type PayoutBatchCheck = 'match' | 'close' | 'no_match' | 'unavailable' | 'unreachable';

/** What was found of its destinations so far. */
export interface PayoutBatchChecks {
  match: number;
  close: number;
  no_match: number;
  /** No name was given, or the operator tells none. */
  unavailable: number;
  /** The operator says that it would not pay them. */
  unreachable: number;
}

export interface PayoutBatchList {
  ok: true;
  payout_batches: PayoutBatch[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

/**
 * processing: its destinations are looked at, or its payouts are under way. completed: every
 * payout has ended, and some may have failed.
 */
export type PayoutBatchStatus =
  'processing' | 'requires_approval' | 'requires_confirmation' | 'completed' | 'canceled';

export interface PayoutBounds {
  minimum: Amount;
  maximum: Amount;
}

export interface PayoutDestination {
  type: Open<'mobile_money' | 'bank'>;
  phone: string | null;
  operator: string | null;
  /** The last four characters. */
  account: string | null;
  bank_code: string | null;
  name: string | null;
  /** Masked (A*** D***) unless it matches. */
  name_found: string | null;
  name_match: Open<NameMatch> | null;
}

/** A phone with an account at a mobile money operator, or a bank account. */
export type PayoutDestinationFields = PhoneDestination | BankDestination;

export interface PayoutFailure {
  code: Open<
    | 'recipient_not_found'
    | 'recipient_blocked'
    | 'recipient_limit_exceeded'
    | 'name_mismatch'
    | 'amount_out_of_bounds'
    | 'provider_out_of_funds'
    | 'provider_unavailable'
    | 'rejected'
    | 'fraud_suspected'
    | 'risk_refused'
    | 'unspecified'
  >;
  message: string;
  /** The provider’s own code for it. */
  provider_code: string | null;
}

export interface PayoutList {
  ok: true;
  payouts: Payout[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

export interface PayoutOrder {
  destination: PayoutDestinationFields;
  currency: Currency;
  /**
   * What the recipient gets; the fee comes on top. A plain decimal with at most two decimals,
   * as a number or as text: 5000, 5000.00, "5000.00". Whole for XOF.
   */
  amount: AmountLike;
  /**
   * The recipient’s name, to be compared with the one that the operator has. Of a bank account
   * it is the holder’s, and may be left out.
   */
  name?: string | undefined;
  /** The recipient sees it if the operator can show it. */
  description?: string | undefined;
}

export interface PayoutProvider {
  name: string;
  payment_id: string | null;
}

/**
 * While it is pending. queued: the operator was not asked yet, or has it waiting; it can be
 * canceled. unknown: it was asked and has not answered; it is asked what became of it until
 * it does.
 */
export type PayoutStage = 'queued' | 'sent' | 'unknown';

/**
 * succeeded never becomes failed: money that comes back later makes it returned, and before
 * that returned_amount grows.
 */
export type PayoutStatus =
  | 'held'
  | 'requires_approval'
  | 'requires_confirmation'
  | 'pending'
  | 'succeeded'
  | 'failed'
  | 'canceled'
  | 'returned';

export interface PhoneDestination {
  type: 'mobile_money';
  /**
   * With the country code, such as +221 77 123 45 67; an old number of Benin (+229 and eight
   * digits) becomes the one with 01.
   */
  phone: string;
  /** Such as orange_sn; found from the phone when left out. */
  operator?: string | undefined;
}

export type PreviewBearer = 'recipient' | 'payer' | 'merchant';

export interface Profile {
  id: string;
  username: string;
  email: string;
  first_name: string;
  last_name: string;
  /** What customers see; null: the name above. */
  display_name: string | null;
  /** How customers reach the merchant. */
  contact: string | null;
  country: string;
  kyc_status: Open<KycStatus>;
}

export interface Quantity {
  minimum: number;
  maximum: number;
}

/** The customer chooses how many; only with amount. One when left out. */
export interface QuantityRange {
  minimum: number;
  maximum: number;
}

export interface Refund {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  id: string;
  /** Of its rows in GET /transactions. */
  reference: string;
  payment_intent_id: string;
  amount: Amount;
  currency: Open<Currency>;
  status: Open<RefundStatus>;
  environment: Open<Environment>;
  reason: string | null;
  /** What was given on creation. */
  metadata: Metadata;
  failure: RefundFailure | null;
  created_at: string;
  updated_at: string;
}

/** Why it failed; the money is in the wallet again. */
export interface RefundFailure {
  /** refund_refused: the gateway made no refund. refund_failed: it made one, and that failed. */
  code: Open<'refund_refused' | 'refund_failed'>;
  /** In the words of the gateway, or of the operator who has ended it. */
  message: string;
}

export interface RefundList {
  ok: true;
  refunds: Refund[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

/**
 * pending: the gateway has not finished it. One that succeeded may fail weeks later, when
 * the bank of the customer sends the money back.
 */
export type RefundStatus = 'pending' | 'succeeded' | 'failed';

export interface RejectPayoutBatchRequest {
  /** Shown in the timeline. */
  reason?: string | undefined;
}

export interface RejectPayoutRequest {
  /** Shown in the timeline. */
  reason?: string | undefined;
}

export interface ResendEventRequest {
  /**
   * To this endpoint alone, also when it never had the event. Otherwise to all that have it
   * and are enabled.
   */
  endpoint_id?: string | undefined;
}

export interface ResendWebhooksRequest {
  /** One or several; all but delivered when left out. */
  status?: ResentStatus | ResentStatus[] | undefined;
  /** Deliveries of this type of event; all when left out. */
  type?: EventType | undefined;
  /** An ISO 8601 instant or date; deliveries created at it or later. */
  created_from?: string | undefined;
  /** An ISO 8601 instant or date; deliveries created before it, and before now. */
  created_to?: string | undefined;
}

export interface ResentEvent {
  ok: true;
  deliveries: WebhookDelivery[];
}

export type ResentStatus = 'pending' | 'held' | 'delivered' | 'exhausted';

export interface Reversal {
  ok: true;
  /** Of its rows in GET /transactions, on both sides. */
  reference: string;
  transfer_reference: string;
  amount: Amount;
  currency: Open<Currency>;
  reason: string | null;
  environment: Open<Environment>;
  /** With a test key: nothing was moved. */
  simulated: boolean;
  created_at: string;
}

export interface RotateWebhookSecretRequest {
  /**
   * How long x-service-signature stays with the old secret, with the new one in
   * x-service-signature-next. webhook-signature has both. When left out: 86400.
   */
  overlap_seconds?: number | undefined;
}

export interface RotatedWebhookSecret {
  ok: true;
  id: string;
  /** Shown this once. */
  secret: string;
  /** During a rotation: until then the old secret signs too. */
  previous_secret_until: string | null;
}

export interface SandboxClock {
  ok: true;
  /** The account's clock. */
  now: string;
  /** How many seconds the clock is ahead of the time. */
  offset_seconds: number;
  /** Of the first in `waiting`; null with none. */
  next_due_at: string | null;
  /** What waits, the first 100 by when it is due, by this clock. */
  waiting: SandboxWaiting[];
}

export interface SandboxClockMove {
  ok: true;
  /** The account's clock. */
  now: string;
  /** How many seconds the clock is ahead of the time. */
  offset_seconds: number;
  moved: SandboxMoved;
  /**
   * True when all that became due is done, with its webhooks. False after ten seconds: it goes
   * on, ask again.
   */
  settled: boolean;
}

export interface SandboxFault {
  id: string;
  /** The method and the path as this document has them. */
  operation: string;
  /**
   * As in the header Sandbox-Fault: lost-response, unavailable, unavailable-after,
   * rate-limited, in-progress, gateway-down, gateway-unknown, slow=MS or slow-after=MS with 0
   * to 60000 milliseconds.
   */
  fault: string;
  times: number;
  /** How many requests it is still for. */
  left: number;
}

export interface SandboxFaultList {
  ok: true;
  faults: SandboxFault[];
}

/** How many came nearer. */
export interface SandboxMoved {
  payment_intents: number;
  payment_attempts: number;
  webhook_deliveries: number;
  payouts: number;
  payout_batches: number;
  refunds: number;
}

export interface SandboxWaiting {
  type: Open<SandboxWaitingType>;
  id: string;
  due_at: string;
}

export type SandboxWaitingType =
  | 'transfer'
  | 'payment_intent'
  | 'payment_attempt'
  | 'webhook_delivery'
  | 'payout'
  | 'payout_batch';

export type Scope =
  | 'read'
  | 'transfers:write'
  | 'payment_intents:write'
  | 'refunds:write'
  | 'payouts:write'
  | 'payouts:approve'
  | 'webhooks:write'
  | 'sandbox';

export interface SendTestWebhookRequest {
  /** When left out: "payment.succeeded". */
  type?: EventType | undefined;
}

export interface SentTestEvent {
  ok: true;
  event_id: string;
  delivery_id: string;
}

export interface ServiceStatus {
  ok: true;
  status: Open<ComponentStatus>;
  components: Components;
}

export interface Statement {
  ok: true;
  currency: Open<Currency>;
  /** A year and a month, of UTC. */
  month: string;
  /** Nothing enters the month any more: the statement stays as it is, byte for byte. */
  is_closed: boolean;
  /** What the wallet held when the month began. */
  opening: Amount;
  /** When it was read; of a closed month, the end of the month. */
  generated_at: string;
  /**
   * What moved the wallet, oldest first, without a status: that of a payout may change after
   * its month. The wallet gains the net amount of what comes in, and loses the amount of what
   * goes out.
   */
  transactions: StatementLine[];
  /** What it held when the month ended; of the running month, now. */
  closing: Amount;
  /** The transactions by type and direction. */
  totals: StatementTotal[];
}

export interface StatementLine {
  id: string;
  type: Open<TransactionType>;
  direction: Open<Direction>;
  currency: Open<Currency>;
  amount: Amount;
  fee: Amount;
  /** The part of `fee` that is tax. */
  tax: Amount;
  net_amount: Amount;
  balance_after: Amount;
  reference: string;
  counterparty: string | null;
  description: string | null;
  related: string | null;
  created_at: string;
}

export interface StatementRow {
  currency: Open<Currency>;
  /** A year and a month, of UTC. */
  month: string;
  /** What the wallet held when the month began. */
  opening: Amount;
  /** What it held when the month ended; of the running month, now. */
  closing: Amount;
  /** Nothing enters the month any more: the statement stays as it is, byte for byte. */
  is_closed: boolean;
}

export interface StatementRowList {
  ok: true;
  statements: StatementRow[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

export interface StatementTotal {
  type: Open<TransactionType>;
  direction: Open<Direction>;
  count: number;
  amount: Amount;
  fee: Amount;
  /** The part of the fees that is tax. */
  tax: Amount;
}

export interface StepInstructions {
  fr: string[];
  en: string[];
}

export interface TestButton {
  action: string;
  meaning: string;
}

export interface TestDelay {
  /** Milliseconds that slow things take. */
  default: number;
  maximum: number;
}

export interface TestPhone {
  digits: string;
  outcome: string;
  meaning: string;
}

export interface TestRefunds {
  refunds: string;
  meaning: string;
}

export interface TestValues {
  ok: true;
  /**
   * When money is sent to it, by the last three digits of a phone or a bank account; any other
   * is paid.
   */
  phones: TestPhone[];
  /** When a customer pays with it, by the last three digits of the phone; any other pays. */
  paying_phones: TestPhone[];
  /** Of the checkout of the simulated gateway. */
  buttons: TestButton[];
  /**
   * Of the checkout’s field `refunds`: how refunds of the payment go. Without one of these
   * they work at once.
   */
  refunds: TestRefunds[];
  delay_ms: TestDelay;
  /** The values of the header Sandbox-Fault. */
  faults: string;
  fund: FundLimits;
}

/** Which limits hold, where the account has none of its own. */
export type Tier = 'none' | 'identified' | 'merchant' | 'agent';

/** What belongs to it; differs by kind. */
export type TimelineDetail = Record<string, unknown>;

export interface TimelineEntry {
  at: string;
  source: Open<TimelineSource>;
  /** What happened, such as ledger.posted. */
  kind: string;
  detail: TimelineDetail;
}

export type TimelineSource = 'api' | 'workflow' | 'gateway' | 'ledger' | 'webhook';

export interface Transaction {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  id: string;
  type: Open<TransactionType>;
  status: Open<TransactionStatus>;
  direction: Open<Direction>;
  currency: Open<Currency>;
  amount: Amount;
  fee: Amount;
  /** The part of `fee` that is tax. */
  tax: Amount;
  net_amount: Amount;
  balance_after: Amount;
  reference: string;
  counterparty: string | null;
  description: string | null;
  related: string | null;
  created_at: string;
}

/** Rows of this type only; transfer stands for transfer_in and transfer_out. */
export type TransactionFilter =
  | 'deposit'
  | 'withdrawal'
  | 'transfer_in'
  | 'transfer_out'
  | 'refund'
  | 'dispute'
  | 'reversal'
  | 'adjustment'
  | 'transfer';

export interface TransactionList {
  ok: true;
  transactions: Transaction[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

export type TransactionStatus = 'pending' | 'completed' | 'failed' | 'reversed' | 'simulated';

export type TransactionType =
  | 'deposit'
  | 'withdrawal'
  | 'transfer_in'
  | 'transfer_out'
  | 'refund'
  | 'dispute'
  | 'reversal'
  | 'adjustment';

export interface Transfer {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  reference: string;
  status: Open<TransferStatus>;
  environment: Open<Environment>;
  to_username: string;
  currency: Open<Currency>;
  amount: Amount;
  /** With a test key: nothing was moved. */
  simulated: boolean;
  direction: Open<Direction>;
  from_username: string;
  fee: Amount;
  /** The part of `fee` that is tax. */
  tax: Amount;
  /** The amount that left the sender; a recipient sees it without a fee that the sender bore. */
  total: Amount;
  fee_bearer: Open<FeeBearer>;
  net_amount: Amount;
  /** What the recipient has given back; all of it when `status` is `reversed`. */
  reversed_amount: Amount;
  /** What its sender wrote for both of them. */
  description: string | null;
  /** Its sender's own; null for its recipient. */
  metadata: Metadata | null;
  /** Of the batch in which its sender ordered it. */
  batch_id: string | null;
  hold: Hold | null;
  created_at: string;
}

export interface TransferBatch {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  id: string;
  status: Open<TransferBatchStatus>;
  mode: Open<TransferBatchMode>;
  dry_run: boolean;
  environment: Open<Environment>;
  /** Of its transfers; so many are completed, failed and held so far. */
  total: number;
  completed: number;
  failed: number;
  /** Transfers that wait for a check: they are completed or failed later. */
  held: number;
  created_at: string;
  finished_at: string | null;
}

export interface TransferBatchList {
  ok: true;
  transfer_batches: TransferBatch[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

export type TransferBatchMode = 'independent' | 'atomic';

/**
 * completed: every transfer is done, and some may have failed. failed: an atomic batch of
 * which one was refused; nothing was moved.
 */
export type TransferBatchStatus = 'processing' | 'completed' | 'failed' | 'canceled';

export interface TransferOrder {
  /** The recipient's username; capitals do not matter. */
  to_username: string;
  currency: Currency;
  /**
   * A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
   * "5000.00". Whole for XOF.
   */
  amount: AmountLike;
  /** The same as the Idempotency-Key of a single transfer, in both directions. */
  idempotency_key?: string | undefined;
  /** For both of you: the recipient sees it too. */
  description?: string | undefined;
}

/**
 * held: it waits for a check by the operator of the service, and the recipient has nothing
 * yet. refused: after it, and the money is back.
 */
export type TransferStatus = 'completed' | 'reversed' | 'simulated' | 'held' | 'refused';

export interface Wallet {
  id: string;
  currency: Open<Currency>;
  balance: Amount;
}

export interface WalletList {
  ok: true;
  environment: Open<Environment>;
  wallets: Wallet[];
}

export interface WebhookAttempt {
  number: number;
  trigger: Open<WebhookAttemptTrigger>;
  /** As it was then. */
  url: string;
  started_at: string;
  duration_ms: number;
  outcome: Open<WebhookAttemptOutcome>;
  /** Of its response. */
  status: number | null;
  retry_after_seconds: number | null;
  response_body: string | null;
  response_truncated: boolean;
}

export interface WebhookAttemptList {
  ok: true;
  attempts: WebhookAttempt[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

/** refused: it answered, and not with 2xx. blocked: its address is not allowed. */
export type WebhookAttemptOutcome =
  | 'delivered'
  | 'refused'
  | 'timeout'
  | 'dns_failed'
  | 'connection_failed'
  | 'tls_failed'
  | 'invalid_response'
  | 'blocked';

export interface WebhookAttemptSummary {
  number: number;
  trigger: Open<WebhookAttemptTrigger>;
  /** As it was then. */
  url: string;
  started_at: string;
  duration_ms: number;
  outcome: Open<WebhookAttemptOutcome>;
  /** Of its response. */
  status: number | null;
  retry_after_seconds: number | null;
}

export type WebhookAttemptTrigger = 'automatic' | 'resend';

export interface WebhookDelivery {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  id: string;
  event_id: string;
  endpoint_id: string;
  type: Open<EventType>;
  status: Open<WebhookDeliveryStatus>;
  /** How many were made. */
  attempts: number;
  next_attempt_at: string | null;
  delivered_at: string | null;
  created_at: string;
}

export interface WebhookDeliveryList {
  ok: true;
  webhook_deliveries: WebhookDelivery[];
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  has_more: boolean;
}

/**
 * pending: will be tried. held: its endpoint is disabled. exhausted: was tried in vain for
 * days. discarded: its endpoint was deleted.
 */
export type WebhookDeliveryStatus = 'pending' | 'held' | 'delivered' | 'exhausted' | 'discarded';

export interface WebhookDeliveryWithAttempts {
  id: string;
  event_id: string;
  endpoint_id: string;
  type: Open<EventType>;
  status: Open<WebhookDeliveryStatus>;
  /** How many were made. */
  attempts: number;
  next_attempt_at: string | null;
  delivered_at: string | null;
  created_at: string;
  /** Newest first, without the body of the response. */
  last_attempts: WebhookAttemptSummary[];
}

/** gone: it answered 410. failing: nothing arrived for days. */
export type WebhookDisabledReason = 'merchant' | 'gone' | 'failing';

export interface WebhookEndpoint {
  /** In a response of its own; not in a list or an event. */
  ok?: true | undefined;
  id: string;
  /** Begins with https:// and leads to a public address. */
  url: string;
  /** The event types it receives; those of payments when left out. */
  types: Open<EventType>[];
  description: string | null;
  /** Deliveries a second; no limit when null. */
  max_per_second: number | null;
  status: Open<WebhookEndpointStatus>;
  disabled_reason: Open<WebhookDisabledReason> | null;
  consecutive_failures: number;
  failing_since: string | null;
  last_failure: WebhookFailure | null;
  /** During a rotation: until then the old secret signs too. */
  previous_secret_until: string | null;
  created_at: string;
  updated_at: string;
}

export interface WebhookEndpointList {
  ok: true;
  webhook_endpoints: WebhookEndpoint[];
  /** The cursor of the next page; null on the last. */
  next_cursor: null;
  has_more: boolean;
}

export type WebhookEndpointStatus = 'enabled' | 'disabled';

export interface WebhookFailure {
  at: string;
  outcome: Open<WebhookAttemptOutcome>;
  /** Of the receiver's response. */
  status: number | null;
}

export interface WebhookFault {
  id: string;
  /** duplicate, swap, bad-signature, or late=S with 1 to 34560000 seconds. */
  fault: string;
  times: number;
  /** How many attempts it is still for. */
  left: number;
}

export interface WebhookFaultList {
  ok: true;
  faults: WebhookFault[];
}

export interface WebhookResend {
  ok: true;
  id: string;
  endpoint_id: string;
  status: Open<WebhookResendStatus>;
  /** Deliveries, so far. */
  queued: number;
  created_at: string;
  completed_at: string | null;
}

export type WebhookResendStatus = 'running' | 'completed';

/** What became of a request whose response was lost */
export interface GetIdempotencyKeyParams {
  /** What the request was to do: each has its own keys. */
  operation: IdempotentOperation;
}

/** The history, newest first; all of it as CSV */
export interface ListTransactionsParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
  /** Rows of this type only; transfer stands for transfer_in and transfer_out. */
  type?: TransactionFilter | undefined;
  /** Rows of this wallet only. */
  currency?: Currency | undefined;
  /** Rows with this status only. */
  status?: TransactionStatus | undefined;
  /** Rows that credit (in) or debit (out) only. */
  direction?: Direction | undefined;
  /** Rows of this transfer, payment, refund, dispute or adjustment only. */
  reference?: string | undefined;
  /**
   * An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
   * 24:00:00 and leap seconds are refused.
   */
  created_from?: string | undefined;
  /** An ISO 8601 instant or date, as in created_from; rows before it. */
  created_to?: string | undefined;
}

/** The monthly statements, newest first */
export interface ListStatementsParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** As next_cursor gives it; the statements after it are listed. */
  cursor?: string | undefined;
}

/** Transfer batches, newest first */
export interface ListTransferBatchesParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
}

/** The transfers of a batch, in the order given; all of them as CSV */
export interface ListBatchTransfersParams {
  /** Items with this status only. */
  status?: BatchedTransferStatus | undefined;
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** As next_cursor gives it; the items after it are listed. */
  cursor?: number | undefined;
}

/** Payment links, newest first */
export interface ListPaymentIntentsParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
  /** Links with this status only. */
  status?: PaymentIntentStatus | undefined;
  /** Links in this currency only. */
  currency?: Currency | undefined;
  /** The link with this reference, TRX-…. */
  reference?: string | undefined;
  /** Links for this e-mail address only, however it is written. */
  customer_email?: string | undefined;
  /**
   * An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
   * 24:00:00 and leap seconds are refused.
   */
  created_from?: string | undefined;
  /** An ISO 8601 instant or date, as in created_from; rows before it. */
  created_to?: string | undefined;
}

/** The refunds of a payment, newest first */
export interface ListPaymentIntentRefundsParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
  /**
   * pending: the gateway has not finished it. One that succeeded may fail weeks later, when
   * the bank of the customer sends the money back.
   */
  status?: RefundStatus | undefined;
}

/** The operators through which customers pay by phone */
export interface ListPaymentMethodsParams {
  /** Operators that take this currency only. */
  currency?: Currency | undefined;
  /** Operators of this country only. */
  country?: string | undefined;
}

/** Reusable links, newest first */
export interface ListPaymentLinksParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
  /** Links with this status only. */
  status?: PaymentLinkStatus | undefined;
}

/** The payments of a reusable link, newest first; all of them as CSV */
export interface ListLinkPaymentsParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
}

/** Refunds, newest first */
export interface ListRefundsParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
  /**
   * pending: the gateway has not finished it. One that succeeded may fail weeks later, when
   * the bank of the customer sends the money back.
   */
  status?: RefundStatus | undefined;
  /** Refunds in this currency only. */
  currency?: Currency | undefined;
  /** Of this payment link only. */
  payment_intent_id?: string | undefined;
  /**
   * An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
   * 24:00:00 and leap seconds are refused.
   */
  created_from?: string | undefined;
  /** An ISO 8601 instant or date, as in created_from; rows before it. */
  created_to?: string | undefined;
}

/** Disputes, newest first */
export interface ListDisputesParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
  /**
   * open: the customer's bank has not decided. One that is lost may still be won, by an
   * appeal.
   */
  status?: DisputeStatus | undefined;
  /** Disputes in this currency only. */
  currency?: Currency | undefined;
  /** Disputes of this payment link only. */
  payment_intent_id?: string | undefined;
  /**
   * An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
   * 24:00:00 and leap seconds are refused.
   */
  created_from?: string | undefined;
  /** An ISO 8601 instant or date, as in created_from; rows before it. */
  created_to?: string | undefined;
}

/** Payouts, newest first */
export interface ListPayoutsParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
  /**
   * succeeded never becomes failed: money that comes back later makes it returned, and before
   * that returned_amount grows.
   */
  status?: PayoutStatus | undefined;
  /** Payouts in this currency only. */
  currency?: Currency | undefined;
  /** The payout with this reference. */
  reference?: string | undefined;
  /** Payouts of this batch only. */
  batch_id?: string | undefined;
  /**
   * An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
   * 24:00:00 and leap seconds are refused.
   */
  created_from?: string | undefined;
  /** An ISO 8601 instant or date, as in created_from; rows before it. */
  created_to?: string | undefined;
}

/** Payout batches, newest first */
export interface ListPayoutBatchesParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
}

/** The payouts of a batch, in the order given; all of them as CSV */
export interface ListBatchPayoutsParams {
  /** Items with this status only. */
  status?: BatchedItemStatus | undefined;
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** As next_cursor gives it; the items after it are listed. */
  cursor?: number | undefined;
}

/** The fee of a movement before it is ordered */
export interface PreviewFeeParams {
  /** The movement that is to be charged. */
  kind: FeeKind;
  /** The currency of the amount. */
  currency: Currency;
  /** The amount of the order. */
  amount: string;
  /** The word of an operator, such as `orange_sn`, or `card` or `bank`; not for transfers. */
  method?: string | undefined;
  /** The recipient of a transfer, whose own fee comes first. */
  to_username?: string | undefined;
}

/** Invoices of fees, newest first */
export interface ListFeeInvoicesParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
}

/** Events as they were delivered, in the order in which they happened */
export interface ListEventsParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * A sequence, as next_cursor gives it; events after it are listed. `latest` lists the newest
   * one, to go on from there.
   */
  after?: string | undefined;
  /** Events of this type only. */
  type?: EventType | undefined;
}

/** Deliveries, newest first */
export interface ListWebhookDeliveriesParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /**
   * next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
   * digits than next_cursor is refused where it may stand for several rows.
   */
  cursor?: string | undefined;
  /** Deliveries to this endpoint only. */
  endpoint_id?: string | undefined;
  /** Deliveries of this event only. */
  event_id?: string | undefined;
  /** Deliveries with this status only. */
  status?: WebhookDeliveryStatus | undefined;
  /** Deliveries of this type of event only. */
  type?: EventType | undefined;
  /**
   * An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
   * 24:00:00 and leap seconds are refused.
   */
  created_from?: string | undefined;
  /** An ISO 8601 instant or date, as in created_from; rows before it. */
  created_to?: string | undefined;
}

/** Every attempt at a delivery with what was answered, newest first */
export interface ListWebhookAttemptsParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** An attempt's number, as next_cursor gives it; those before it are listed. */
  cursor?: string | undefined;
}

/** An event with the data of its type. Types that there are not yet come too. */
export type WebhookEvent =
  | EventOf<'payment.succeeded', PaymentIntent>
  | EventOf<'payment.failed', PaymentIntent>
  | EventOf<'payment.held', PaymentIntent>
  | EventOf<'payment.expired', PaymentIntent>
  | EventOf<'refund.succeeded', Refund>
  | EventOf<'refund.failed', Refund>
  | EventOf<'dispute.opened', Dispute>
  | EventOf<'dispute.won', Dispute>
  | EventOf<'dispute.lost', Dispute>
  | EventOf<'transfer.received', Transfer>
  | EventOf<'transfer.sent', Transfer>
  | EventOf<'transfer.held', Transfer>
  | EventOf<'transfer.refused', Transfer>
  | EventOf<'payout.held', Payout>
  | EventOf<'payout.requires_action', Payout>
  | EventOf<'payout.sent', Payout>
  | EventOf<'payout.succeeded', Payout>
  | EventOf<'payout.failed', Payout>
  | EventOf<'payout.returned', Payout>;

export interface EventOf<Type extends string, Data> extends Omit<Event, 'type' | 'data'> {
  type: Type;
  data: Data;
}
