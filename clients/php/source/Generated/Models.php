<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

/**
 * What the arrays of requests and responses have in them. An amount is an exact decimal text, such as "5000.00"; in requests an int, too.
 *
 * @phpstan-type AdvanceSandboxClockRequest array{seconds?: int, to?: string, to_next?: true}
 *
 * @phpstan-type ApiKey array{id: string, name: string, scopes: list<Scope|string>, expires_at: string|null, daily_limit: DailyLimit|null}
 *
 * @phpstan-type AttemptFailure array{code: 'payer_not_found'|'payer_blocked'|'payer_limit_exceeded'|'insufficient_funds'|'not_approved'|'wrong_otp'|'expired'|'amount_out_of_bounds'|'provider_unavailable'|'rejected'|'unspecified'|string, message: string, provider_code: string|null}
 *
 * @phpstan-type BankDestination array{type: 'bank', account: string, name: string, bank_code?: string}
 *
 * @phpstan-type BatchedItemStatus 'pending'|'completed'|'failed'
 *
 * @phpstan-type BatchedPayout array{index: int, destination: PayoutDestination, currency: Currency|string, amount: numeric-string, status: BatchedItemStatus|string, reference: string|null, error: BatchedPayoutError|null}
 *
 * @phpstan-type BatchedPayoutError array{code: string, message: string}
 *
 * @phpstan-type BatchedPayoutList array{ok: true, payouts: list<BatchedPayout>, next_cursor: string|null, has_more: bool}
 *
 * @phpstan-type BatchedTransfer array{index: int, to_username: string, currency: Currency|string, amount: numeric-string, status: BatchedTransferStatus|string, reference: string|null, error: BatchedTransferError|null, idempotency_key: string|null, description: string|null, simulated: bool, replayed: bool}
 *
 * @phpstan-type BatchedTransferError array{code: ErrorCode|string, message: string}
 *
 * @phpstan-type BatchedTransferList array{ok: true, transfers: list<BatchedTransfer>, next_cursor: string|null, has_more: bool}
 *
 * @phpstan-type BatchedTransferStatus 'pending'|'completed'|'failed'|'held'
 *
 * @phpstan-type ChangePaymentLinkRequest array{title?: string, description?: string|null, active?: bool, active_until?: string|null, max_payments?: int|null, return_url?: string|null, metadata?: Metadata}
 *
 * @phpstan-type ChangeWebhookEndpointRequest array{url?: string, types?: list<EventType>, description?: string|null, max_per_second?: int|null, status?: WebhookEndpointStatus}
 *
 * @phpstan-type CheckPayoutDestinationRequest array{currency: Currency, destination: PayoutDestinationFields, amount?: numeric-string|int, name?: string}
 *
 * What the customer answered to a reusable link, by key; null without one.
 * @phpstan-type Collected array<string, string|null>
 *
 * @phpstan-type CollectedField array{key: string, label: string, required: bool}
 *
 * @phpstan-type CollectedFieldRequest array{key: string, label: string, required?: bool}
 *
 * @phpstan-type ComponentStatus 'operational'|'degraded'
 *
 * @phpstan-type Components array{postgres: ComponentStatus|string, temporal: ComponentStatus|string}
 *
 * @phpstan-type ConfirmPayoutBatchRequest array{exclude?: list<PayoutBatchCheck>}
 *
 * @phpstan-type CreatePaymentAttemptRequest array{operator: string, phone: string, otp?: string}
 *
 * @phpstan-type CreatePaymentIntentRequest array{amount: numeric-string|int, currency: Currency, country?: string, description?: string, customer_email?: string, customer_phone?: string, metadata?: Metadata, return_url?: string, cancel_url?: string, expires_in?: int}
 *
 * @phpstan-type CreatePaymentLinkRequest array{title: string, currency: Currency, amount?: numeric-string|int, open_amount?: OpenAmountRequest, quantity?: QuantityRange, max_payments?: int, active_until?: string, collect?: list<CollectedFieldRequest>, description?: string, return_url?: string, metadata?: Metadata}
 *
 * @phpstan-type CreatePayoutBatchRequest array{payouts: list<PayoutOrder>, confirm?: bool, dry_run?: bool}
 *
 * @phpstan-type CreatePayoutRequest array{currency: Currency, amount: numeric-string|int, destination: PayoutDestinationFields, name?: string, name_check?: NameCheck, confirm?: bool, when_closed?: 'queue'|'refuse', expires_in?: int, description?: string, metadata?: Metadata}
 *
 * @phpstan-type CreateRefundRequest array{amount?: numeric-string|int, reason?: string, metadata?: Metadata}
 *
 * @phpstan-type CreateReversalRequest array{amount?: numeric-string|int, reason?: string}
 *
 * @phpstan-type CreateSandboxFaultRequest array{operation: string, fault: string, times?: int}
 *
 * @phpstan-type CreateTransferBatchRequest array{transfers: list<TransferOrder>, mode?: TransferBatchMode, dry_run?: bool}
 *
 * @phpstan-type CreateTransferRequest array{to_username: string, currency: Currency, amount: numeric-string|int, description?: string, metadata?: Metadata}
 *
 * @phpstan-type CreateWebhookEndpointRequest array{url: string, types?: list<EventType>, description?: string|null, max_per_second?: int|null}
 *
 * @phpstan-type CreateWebhookFaultRequest array{fault: string, times?: int}
 *
 * @phpstan-type CreatedTransfer array{ok: true, reference: string, status: TransferStatus|string, environment: Environment|string, to_username: string, currency: Currency|string, amount: numeric-string, simulated: bool, description: string|null, metadata: Metadata, hold?: Hold}
 *
 * @phpstan-type CreatedWebhookEndpoint array{ok: true, id: string, url: string, types: list<EventType|string>, description: string|null, max_per_second: int|null, status: WebhookEndpointStatus|string, disabled_reason: WebhookDisabledReason|string|null, consecutive_failures: int, failing_since: string|null, last_failure: WebhookFailure|null, previous_secret_until: string|null, created_at: string, updated_at: string, secret: string}
 *
 * @phpstan-type Currency 'XOF'|'EUR'|'USD'
 *
 * @phpstan-type DailyLimit array{XOF?: numeric-string, EUR?: numeric-string, USD?: numeric-string}
 *
 * @phpstan-type DeletedWebhookEndpoint array{ok: true, id: string, deleted: true}
 *
 * @phpstan-type DestinationCheck array{ok?: true, payable: bool, operator: string|null, country: string|null, name_found: string|null, name_match: NameMatch|string|null, bounds: PayoutBounds, fee: numeric-string|null, tax: numeric-string|null, state: OperatorState|string}
 *
 * Whether the money came to the key's owner or left.
 * @phpstan-type Direction 'in'|'out'
 *
 * @phpstan-type Dispute array{ok?: true, id: string, reference: string, payment_intent_id: string, amount: numeric-string, currency: Currency|string, fee: numeric-string, status: DisputeStatus|string, reason: string, evidence_due_by: string|null, owed_amount: numeric-string, environment: Environment|string, created_at: string, closed_at: string|null}
 *
 * @phpstan-type DisputeList array{ok: true, disputes: list<Dispute>, next_cursor: string|null, has_more: bool}
 *
 * open: the customer's bank has not decided. One that is lost may still be won, by an
 * appeal.
 * @phpstan-type DisputeStatus 'open'|'won'|'lost'
 *
 * @phpstan-type DroppedSandboxFaults array{ok: true, deleted: int}
 *
 * Of the key: live moves money, sandbox is for trying.
 * @phpstan-type Environment 'live'|'sandbox'
 *
 * @phpstan-type Error array{ok: false, error: ErrorInfo}
 *
 * @phpstan-type ErrorCode 'unauthorized'|'invalid_request'|'invalid_json'|'insufficient_funds'|'recipient_not_found'|'rate_limited'|'invalid_idempotency_key'|'forbidden'|'approval_by_creator'|'account_frozen'|'kyc_required'|'risk_refused'|'risk_held'|'not_found'|'transaction_not_found'|'statement_not_found'|'payment_intent_not_found'|'attempt_not_found'|'payment_link_not_found'|'idempotency_key_not_found'|'transfer_not_found'|'transfer_batch_not_found'|'refund_not_found'|'dispute_not_found'|'payout_not_found'|'fee_invoice_not_found'|'payout_batch_not_found'|'webhook_endpoint_not_found'|'event_not_found'|'webhook_delivery_not_found'|'webhook_resend_not_found'|'method_not_allowed'|'idempotency_in_progress'|'payment_intent_not_payable'|'attempt_in_progress'|'otp_not_expected'|'intent_not_cancelable'|'batch_not_cancelable'|'batch_limit'|'batch_refused'|'payment_intent_not_refundable'|'too_many_refunds'|'payment_disputed'|'webhook_endpoint_disabled'|'webhook_resend_running'|'webhook_endpoint_limit'|'payout_not_cancelable'|'payout_not_confirmable'|'payout_not_approvable'|'payout_batch_not_cancelable'|'payout_batch_not_confirmable'|'payout_batch_not_approvable'|'malformed_request'|'request_timeout'|'headers_too_large'|'payload_too_large'|'unsupported_media_type'|'idempotency_key_reuse'|'refund_exceeds_payment'|'reversal_exceeds_transfer'|'unsupported_destination'|'amount_out_of_bounds'|'limit_exceeded'|'name_mismatch'|'internal_error'|'gateway_error'|'unavailable'|'provider_unavailable'|'payouts_not_configured'|'gateway_not_configured'|'gateway_timeout'
 *
 * @phpstan-type ErrorDetail array{param: string, message: string}
 *
 * @phpstan-type ErrorInfo array{code: ErrorCode|string, message: string, param?: string, details?: list<ErrorDetail>|array<string, mixed>, doc_url: string, request_id: string, retryable: bool}
 *
 * @phpstan-type Event array{id: string, type: EventType|string, api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: PaymentIntent|Refund|Dispute|Transfer|Payout}
 *
 * @phpstan-type EventList array{ok: true, events: list<Event>, next_cursor: string|null, has_more: bool}
 *
 * @phpstan-type EventType 'payment.succeeded'|'payment.failed'|'payment.held'|'payment.expired'|'refund.succeeded'|'refund.failed'|'dispute.opened'|'dispute.won'|'dispute.lost'|'transfer.received'|'transfer.sent'|'transfer.held'|'transfer.refused'|'payout.held'|'payout.requires_action'|'payout.sent'|'payout.succeeded'|'payout.failed'|'payout.returned'
 *
 * @phpstan-type EventWithDeliveries array{ok: true, id: string, type: EventType|string, api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: PaymentIntent|Refund|Dispute|Transfer|Payout, deliveries: list<WebhookDeliveryWithAttempts>}
 *
 * `recipient`: the fee is taken from the amount. `payer`: the sender pays it on top of the
 * amount, and the recipient has no fee.
 * @phpstan-type FeeBearer 'recipient'|'payer'
 *
 * @phpstan-type FeeInvoice array{ok?: true, number: string, environment: Environment|string, currency: Currency|string, period_from: string, period_to: string, issued_at: string, issuer: string, account: InvoicedAccount, lines: list<FeeInvoiceLine>, fee: numeric-string, tax: numeric-string, total: numeric-string}
 *
 * @phpstan-type FeeInvoiceLine array{kind: FeeKind|string, method: string|null, count: int, volume: numeric-string, fee: numeric-string, tax: numeric-string}
 *
 * @phpstan-type FeeInvoiceList array{ok: true, fee_invoices: list<FeeInvoice>, next_cursor: string|null, has_more: bool}
 *
 * @phpstan-type FeeKind 'transfer'|'payment_intent'|'payout'
 *
 * @phpstan-type FeePreview array{ok: true, kind: FeeKind|string, currency: Currency|string, amount: numeric-string, method: string|null, fee: numeric-string, tax: numeric-string, total: numeric-string, net_amount: numeric-string, bearer: PreviewBearer|string}
 *
 * @phpstan-type FundLimits array{maximum: numeric-string, a_day: int}
 *
 * @phpstan-type FundSandboxWalletRequest array{currency: Currency, amount: numeric-string|int}
 *
 * @phpstan-type GivePaymentOtpRequest array{otp: string}
 *
 * @phpstan-type GivenApproval array{by: string, at: string}
 *
 * @phpstan-type Health array{ok: true, service: string, version: 'v1', time: string}
 *
 * @phpstan-type Hold array{reference: string, expires_at: string}
 *
 * @phpstan-type IdempotencyKey array{ok: true, key: string, operation: IdempotentOperation|string, state: IdempotencyKeyState|string, http_status: int|null, response: array<string, mixed>|null, reference: string|null, request_id: string, created_at: string}
 *
 * completed: the key has its response, which every repetition gets. in_progress: a request
 * with it may still have an effect.
 * @phpstan-type IdempotencyKeyState 'in_progress'|'completed'
 *
 * @phpstan-type IdempotentOperation 'transfer'|'payment_intent'|'payment_attempt'|'payment_link'|'transfer_batch'|'refund'|'reversal'|'payout'|'payout_batch'|'sandbox_fund'
 *
 * @phpstan-type InvoicedAccount array{username: string, display_name: string|null, country: string}
 *
 * @phpstan-type KeyOwner array{ok: true, environment: Environment|string, key: ApiKey, profile: Profile}
 *
 * The identity check: live keys work once it is approved.
 * @phpstan-type KycStatus 'not_started'|'pending'|'approved'|'rejected'|'expired'
 *
 * @phpstan-type Limit array{currency: Currency|string, limit: LimitName|string, maximum: numeric-string, used: numeric-string, remaining: numeric-string, resets_at: string|null}
 *
 * `single_…`: of one movement; `daily_…`, `monthly_…`: of a day, a month (UTC); `…_in`: of
 * what arrives; `…_out`: of what leaves; `balance`: of what the wallet holds.
 * @phpstan-type LimitName 'balance'|'single_in'|'daily_in'|'monthly_in'|'single_out'|'daily_out'|'monthly_out'
 *
 * @phpstan-type Limits array{ok: true, environment: Environment|string, tier: Tier|string, limits: list<Limit>}
 *
 * What was given.
 * @phpstan-type Metadata array<string, string|int|float|bool|null>
 *
 * warn: the result is shown. require: nothing is sent unless the name matches. off: the name
 * is not compared. When left out: "warn".
 * @phpstan-type NameCheck 'off'|'warn'|'require'
 *
 * Accents, capitals, apostrophes, hyphens and the order of the parts do not count. close: a
 * part is missing, or one or two letters differ in a name that is long enough. unavailable:
 * the operator does not tell, or too many names that are not the recipient’s were tried: in
 * a day five for a destination, and 300 that fit none at all.
 * @phpstan-type NameMatch 'match'|'close'|'no_match'|'unavailable'
 *
 * What the customer has to do now; null once it has ended, and while the operator has not
 * answered.
 * @phpstan-type NextStep array{kind: PaymentStep|string, expires_at: string, code: string|null, url: string|null, instructions: StepInstructions}
 *
 * @phpstan-type OpenAmount array{minimum: numeric-string|null, maximum: numeric-string|null, suggestions: list<numeric-string>}
 *
 * The customer chooses the amount, within these bounds.
 * @phpstan-type OpenAmountRequest array{minimum?: numeric-string|int, maximum?: numeric-string|int, suggestions?: list<numeric-string|int>}
 *
 * closed: payouts wait until it opens.
 * @phpstan-type OperatorState 'open'|'delayed'|'closed'
 *
 * @phpstan-type OrderedSandboxFault array{ok: true, id: string, operation: string, fault: string, times: int, left: int}
 *
 * @phpstan-type OrderedWebhookFault array{ok: true, id: string, fault: string, times: int, left: int}
 *
 * @phpstan-type PaymentAttempt array{ok?: true, id: string, payment_intent_id: string, status: PaymentAttemptStatus|string, operator: string, phone: string, next_step: NextStep|null, failure: AttemptFailure|null, created_at: string, expires_at: string, ended_at: string|null}
 *
 * A failed attempt leaves the payment intent open. It may still become succeeded: a phone
 * may pay after its time, and the money then goes where late money goes.
 * @phpstan-type PaymentAttemptStatus 'waiting'|'succeeded'|'failed'
 *
 * @phpstan-type PaymentAttempts array{ok: true, attempts: list<PaymentAttempt>}
 *
 * @phpstan-type PaymentError array{code: string, message: string}
 *
 * @phpstan-type PaymentIntent array{ok?: true, id: string, short_code: string, reference: string, amount: numeric-string, currency: Currency|string, status: PaymentIntentStatus|string, checkout_url: string, pay_url: string, environment: Environment|string, country: string|null, description: string|null, customer_email: string|null, customer_phone: string|null, metadata: Metadata, return_url: string|null, cancel_url: string|null, fee: numeric-string, tax: numeric-string, net_amount: numeric-string, amount_received: numeric-string|null, refunded_amount: numeric-string|null, last_payment_error: PaymentError|null, hold: Hold|null, transaction_id: string|null, created_at: string, updated_at: string, expires_at: string, succeeded_at: string|null, failed_at: string|null, expired_at: string|null, canceled_at: string|null, payment_link_id: string|null, quantity: int|null, collected: Collected|null}
 *
 * @phpstan-type PaymentIntentList array{ok: true, payment_intents: list<PaymentIntent>, next_cursor: string|null, has_more: bool}
 *
 * @phpstan-type PaymentIntentStatus 'open'|'processing'|'succeeded'|'failed'|'expired'|'canceled'
 *
 * @phpstan-type PaymentIntentTimeline array{ok: true, timeline: list<TimelineEntry>}
 *
 * @phpstan-type PaymentLink array{ok?: true, id: string, code: string, url: string, qr_url: string, status: PaymentLinkStatus|string, title: string, currency: Currency|string, amount: numeric-string|null, open_amount: OpenAmount|null, quantity: Quantity|null, max_payments: int|null, active_until: string|null, collect: list<CollectedField>, description: string|null, return_url: string|null, metadata: Metadata, payments: int, paid_amount: numeric-string, environment: Environment|string, created_at: string, updated_at: string}
 *
 * @phpstan-type PaymentLinkList array{ok: true, payment_links: list<PaymentLink>, next_cursor: string|null, has_more: bool}
 *
 * sold_out: each of max_payments is paid or under way; one that ends without success is free
 * again.
 * @phpstan-type PaymentLinkStatus 'active'|'inactive'|'sold_out'|'expired'
 *
 * @phpstan-type PaymentMethod array{operator: string, name: string, country: string, currency: Currency|string, prefixes: list<string>, minimum: numeric-string, maximum: numeric-string, step: PaymentStep|string, state: PaymentMethodState|string}
 *
 * delayed: payments take longer than usual. closed: it takes none now.
 * @phpstan-type PaymentMethodState 'open'|'delayed'|'closed'
 *
 * @phpstan-type PaymentMethods array{ok: true, payment_methods: list<PaymentMethod>}
 *
 * What the customer does. prompt: confirms a question on the phone. dial: dials a code and
 * confirms there. otp: makes a one-time code and types it. redirect: leaves for the
 * operator’s page.
 * @phpstan-type PaymentStep 'prompt'|'dial'|'otp'|'redirect'
 *
 * @phpstan-type Payout array{ok?: true, id: string, reference: string, status: PayoutStatus|string, stage: PayoutStage|string|null, conclusive: bool, currency: Currency|string, amount: numeric-string, fee: numeric-string, tax: numeric-string, total: numeric-string, destination: PayoutDestination, provider: PayoutProvider, failure: PayoutFailure|null, returned_amount: numeric-string, approval: PayoutApproval|null, hold: Hold|null, batch_id: string|null, description: string|null, metadata: Metadata, environment: Environment|string, created_at: string, updated_at: string, sent_at: string|null, completed_at: string|null, expires_at: string|null}
 *
 * Set when other people have to approve it.
 * @phpstan-type PayoutApproval array{needed: int, given: list<GivenApproval>}
 *
 * @phpstan-type PayoutBatch array{ok?: true, id: string, status: PayoutBatchStatus|string, confirm: bool, dry_run: bool, environment: Environment|string, total: int, completed: int, failed: int, checks: PayoutBatchChecks, approval: PayoutApproval|null, reject_reason: string|null, created_at: string, finished_at: string|null, expires_at: string|null}
 *
 * @phpstan-type PayoutBatchCheck 'match'|'close'|'no_match'|'unavailable'|'unreachable'
 *
 * What was found of its destinations so far.
 * @phpstan-type PayoutBatchChecks array{match: int, close: int, no_match: int, unavailable: int, unreachable: int}
 *
 * @phpstan-type PayoutBatchList array{ok: true, payout_batches: list<PayoutBatch>, next_cursor: string|null, has_more: bool}
 *
 * processing: its destinations are looked at, or its payouts are under way. completed: every
 * payout has ended, and some may have failed.
 * @phpstan-type PayoutBatchStatus 'processing'|'requires_approval'|'requires_confirmation'|'completed'|'canceled'
 *
 * @phpstan-type PayoutBounds array{minimum: numeric-string, maximum: numeric-string}
 *
 * @phpstan-type PayoutDestination array{type: 'mobile_money'|'bank'|string, phone: string|null, operator: string|null, account: string|null, bank_code: string|null, name: string|null, name_found: string|null, name_match: NameMatch|string|null}
 *
 * A phone with an account at a mobile money operator, or a bank account.
 * @phpstan-type PayoutDestinationFields PhoneDestination|BankDestination
 *
 * @phpstan-type PayoutFailure array{code: 'recipient_not_found'|'recipient_blocked'|'recipient_limit_exceeded'|'name_mismatch'|'amount_out_of_bounds'|'provider_out_of_funds'|'provider_unavailable'|'rejected'|'fraud_suspected'|'risk_refused'|'unspecified'|string, message: string, provider_code: string|null}
 *
 * @phpstan-type PayoutList array{ok: true, payouts: list<Payout>, next_cursor: string|null, has_more: bool}
 *
 * @phpstan-type PayoutOrder array{destination: PayoutDestinationFields, currency: Currency, amount: numeric-string|int, name?: string, description?: string}
 *
 * @phpstan-type PayoutProvider array{name: string, payment_id: string|null}
 *
 * While it is pending. queued: the operator was not asked yet, or has it waiting; it can be
 * canceled. unknown: it was asked and has not answered; it is asked what became of it until
 * it does.
 * @phpstan-type PayoutStage 'queued'|'sent'|'unknown'
 *
 * succeeded never becomes failed: money that comes back later makes it returned, and before
 * that returned_amount grows.
 * @phpstan-type PayoutStatus 'held'|'requires_approval'|'requires_confirmation'|'pending'|'succeeded'|'failed'|'canceled'|'returned'
 *
 * @phpstan-type PhoneDestination array{type: 'mobile_money', phone: string, operator?: string}
 *
 * @phpstan-type PreviewBearer 'recipient'|'payer'|'merchant'
 *
 * @phpstan-type Profile array{id: string, username: string, email: string, first_name: string, last_name: string, display_name: string|null, contact: string|null, country: string, kyc_status: KycStatus|string}
 *
 * @phpstan-type Quantity array{minimum: int, maximum: int}
 *
 * The customer chooses how many; only with amount. One when left out.
 * @phpstan-type QuantityRange array{minimum: int, maximum: int}
 *
 * @phpstan-type Refund array{ok?: true, id: string, reference: string, payment_intent_id: string, amount: numeric-string, currency: Currency|string, status: RefundStatus|string, environment: Environment|string, reason: string|null, metadata: Metadata, failure: RefundFailure|null, created_at: string, updated_at: string}
 *
 * Why it failed; the money is in the wallet again.
 * @phpstan-type RefundFailure array{code: 'refund_refused'|'refund_failed'|string, message: string}
 *
 * @phpstan-type RefundList array{ok: true, refunds: list<Refund>, next_cursor: string|null, has_more: bool}
 *
 * pending: the gateway has not finished it. One that succeeded may fail weeks later, when
 * the bank of the customer sends the money back.
 * @phpstan-type RefundStatus 'pending'|'succeeded'|'failed'
 *
 * @phpstan-type RejectPayoutBatchRequest array{reason?: string}
 *
 * @phpstan-type RejectPayoutRequest array{reason?: string}
 *
 * @phpstan-type ResendEventRequest array{endpoint_id?: string}
 *
 * @phpstan-type ResendWebhooksRequest array{status?: ResentStatus|list<ResentStatus>, type?: EventType, created_from?: string, created_to?: string}
 *
 * @phpstan-type ResentEvent array{ok: true, deliveries: list<WebhookDelivery>}
 *
 * @phpstan-type ResentStatus 'pending'|'held'|'delivered'|'exhausted'
 *
 * @phpstan-type Reversal array{ok: true, reference: string, transfer_reference: string, amount: numeric-string, currency: Currency|string, reason: string|null, environment: Environment|string, simulated: bool, created_at: string}
 *
 * @phpstan-type RotateWebhookSecretRequest array{overlap_seconds?: int}
 *
 * @phpstan-type RotatedWebhookSecret array{ok: true, id: string, secret: string, previous_secret_until: string|null}
 *
 * @phpstan-type SandboxClock array{ok: true, now: string, offset_seconds: int, next_due_at: string|null, waiting: list<SandboxWaiting>}
 *
 * @phpstan-type SandboxClockMove array{ok: true, now: string, offset_seconds: int, moved: SandboxMoved, settled: bool}
 *
 * @phpstan-type SandboxFault array{id: string, operation: string, fault: string, times: int, left: int}
 *
 * @phpstan-type SandboxFaultList array{ok: true, faults: list<SandboxFault>}
 *
 * How many came nearer.
 * @phpstan-type SandboxMoved array{payment_intents: int, payment_attempts: int, webhook_deliveries: int, payouts: int, payout_batches: int, refunds: int}
 *
 * @phpstan-type SandboxWaiting array{type: SandboxWaitingType|string, id: string, due_at: string}
 *
 * @phpstan-type SandboxWaitingType 'transfer'|'payment_intent'|'payment_attempt'|'webhook_delivery'|'payout'|'payout_batch'
 *
 * @phpstan-type Scope 'read'|'transfers:write'|'payment_intents:write'|'refunds:write'|'payouts:write'|'payouts:approve'|'webhooks:write'|'sandbox'
 *
 * @phpstan-type SendTestWebhookRequest array{type?: EventType}
 *
 * @phpstan-type SentTestEvent array{ok: true, event_id: string, delivery_id: string}
 *
 * @phpstan-type ServiceStatus array{ok: true, status: ComponentStatus|string, components: Components}
 *
 * @phpstan-type Statement array{ok: true, currency: Currency|string, month: string, is_closed: bool, opening: numeric-string, generated_at: string, transactions: list<StatementLine>, closing: numeric-string, totals: list<StatementTotal>}
 *
 * @phpstan-type StatementLine array{id: string, type: TransactionType|string, direction: Direction|string, currency: Currency|string, amount: numeric-string, fee: numeric-string, tax: numeric-string, net_amount: numeric-string, balance_after: numeric-string, reference: string, counterparty: string|null, description: string|null, related: string|null, created_at: string}
 *
 * @phpstan-type StatementRow array{currency: Currency|string, month: string, opening: numeric-string, closing: numeric-string, is_closed: bool}
 *
 * @phpstan-type StatementRowList array{ok: true, statements: list<StatementRow>, next_cursor: string|null, has_more: bool}
 *
 * @phpstan-type StatementTotal array{type: TransactionType|string, direction: Direction|string, count: int, amount: numeric-string, fee: numeric-string, tax: numeric-string}
 *
 * @phpstan-type StepInstructions array{fr: list<string>, en: list<string>}
 *
 * @phpstan-type TestButton array{action: string, meaning: string}
 *
 * @phpstan-type TestDelay array{default: int, maximum: int}
 *
 * @phpstan-type TestPhone array{digits: string, outcome: string, meaning: string}
 *
 * @phpstan-type TestRefunds array{refunds: string, meaning: string}
 *
 * @phpstan-type TestValues array{ok: true, phones: list<TestPhone>, paying_phones: list<TestPhone>, buttons: list<TestButton>, refunds: list<TestRefunds>, delay_ms: TestDelay, faults: string, fund: FundLimits}
 *
 * Which limits hold, where the account has none of its own.
 * @phpstan-type Tier 'none'|'identified'|'merchant'|'agent'
 *
 * What belongs to it; differs by kind.
 * @phpstan-type TimelineDetail array<string, mixed>
 *
 * @phpstan-type TimelineEntry array{at: string, source: TimelineSource|string, kind: string, detail: TimelineDetail}
 *
 * @phpstan-type TimelineSource 'api'|'workflow'|'gateway'|'ledger'|'webhook'
 *
 * @phpstan-type Transaction array{ok?: true, id: string, type: TransactionType|string, status: TransactionStatus|string, direction: Direction|string, currency: Currency|string, amount: numeric-string, fee: numeric-string, tax: numeric-string, net_amount: numeric-string, balance_after: numeric-string, reference: string, counterparty: string|null, description: string|null, related: string|null, created_at: string}
 *
 * Rows of this type only; transfer stands for transfer_in and transfer_out.
 * @phpstan-type TransactionFilter 'deposit'|'withdrawal'|'transfer_in'|'transfer_out'|'refund'|'dispute'|'reversal'|'adjustment'|'transfer'
 *
 * @phpstan-type TransactionList array{ok: true, transactions: list<Transaction>, next_cursor: string|null, has_more: bool}
 *
 * @phpstan-type TransactionStatus 'pending'|'completed'|'failed'|'reversed'|'simulated'
 *
 * @phpstan-type TransactionType 'deposit'|'withdrawal'|'transfer_in'|'transfer_out'|'refund'|'dispute'|'reversal'|'adjustment'
 *
 * @phpstan-type Transfer array{ok?: true, reference: string, status: TransferStatus|string, environment: Environment|string, to_username: string, currency: Currency|string, amount: numeric-string, simulated: bool, direction: Direction|string, from_username: string, fee: numeric-string, tax: numeric-string, total: numeric-string, fee_bearer: FeeBearer|string, net_amount: numeric-string, reversed_amount: numeric-string, description: string|null, metadata: Metadata|null, batch_id: string|null, hold: Hold|null, created_at: string}
 *
 * @phpstan-type TransferBatch array{ok?: true, id: string, status: TransferBatchStatus|string, mode: TransferBatchMode|string, dry_run: bool, environment: Environment|string, total: int, completed: int, failed: int, held: int, created_at: string, finished_at: string|null}
 *
 * @phpstan-type TransferBatchList array{ok: true, transfer_batches: list<TransferBatch>, next_cursor: string|null, has_more: bool}
 *
 * @phpstan-type TransferBatchMode 'independent'|'atomic'
 *
 * completed: every transfer is done, and some may have failed. failed: an atomic batch of
 * which one was refused; nothing was moved.
 * @phpstan-type TransferBatchStatus 'processing'|'completed'|'failed'|'canceled'
 *
 * @phpstan-type TransferOrder array{to_username: string, currency: Currency, amount: numeric-string|int, idempotency_key?: string, description?: string}
 *
 * held: it waits for a check by the operator of the service, and the recipient has nothing
 * yet. refused: after it, and the money is back.
 * @phpstan-type TransferStatus 'completed'|'reversed'|'simulated'|'held'|'refused'
 *
 * @phpstan-type Wallet array{id: string, currency: Currency|string, balance: numeric-string}
 *
 * @phpstan-type WalletList array{ok: true, environment: Environment|string, wallets: list<Wallet>}
 *
 * @phpstan-type WebhookAttempt array{number: int, trigger: WebhookAttemptTrigger|string, url: string, started_at: string, duration_ms: int, outcome: WebhookAttemptOutcome|string, status: int|null, retry_after_seconds: int|null, response_body: string|null, response_truncated: bool}
 *
 * @phpstan-type WebhookAttemptList array{ok: true, attempts: list<WebhookAttempt>, next_cursor: string|null, has_more: bool}
 *
 * refused: it answered, and not with 2xx. blocked: its address is not allowed.
 * @phpstan-type WebhookAttemptOutcome 'delivered'|'refused'|'timeout'|'dns_failed'|'connection_failed'|'tls_failed'|'invalid_response'|'blocked'
 *
 * @phpstan-type WebhookAttemptSummary array{number: int, trigger: WebhookAttemptTrigger|string, url: string, started_at: string, duration_ms: int, outcome: WebhookAttemptOutcome|string, status: int|null, retry_after_seconds: int|null}
 *
 * @phpstan-type WebhookAttemptTrigger 'automatic'|'resend'
 *
 * @phpstan-type WebhookDelivery array{ok?: true, id: string, event_id: string, endpoint_id: string, type: EventType|string, status: WebhookDeliveryStatus|string, attempts: int, next_attempt_at: string|null, delivered_at: string|null, created_at: string}
 *
 * @phpstan-type WebhookDeliveryList array{ok: true, webhook_deliveries: list<WebhookDelivery>, next_cursor: string|null, has_more: bool}
 *
 * pending: will be tried. held: its endpoint is disabled. exhausted: was tried in vain for
 * days. discarded: its endpoint was deleted.
 * @phpstan-type WebhookDeliveryStatus 'pending'|'held'|'delivered'|'exhausted'|'discarded'
 *
 * @phpstan-type WebhookDeliveryWithAttempts array{id: string, event_id: string, endpoint_id: string, type: EventType|string, status: WebhookDeliveryStatus|string, attempts: int, next_attempt_at: string|null, delivered_at: string|null, created_at: string, last_attempts: list<WebhookAttemptSummary>}
 *
 * gone: it answered 410. failing: nothing arrived for days.
 * @phpstan-type WebhookDisabledReason 'merchant'|'gone'|'failing'
 *
 * @phpstan-type WebhookEndpoint array{ok?: true, id: string, url: string, types: list<EventType|string>, description: string|null, max_per_second: int|null, status: WebhookEndpointStatus|string, disabled_reason: WebhookDisabledReason|string|null, consecutive_failures: int, failing_since: string|null, last_failure: WebhookFailure|null, previous_secret_until: string|null, created_at: string, updated_at: string}
 *
 * @phpstan-type WebhookEndpointList array{ok: true, webhook_endpoints: list<WebhookEndpoint>, next_cursor: null, has_more: bool}
 *
 * @phpstan-type WebhookEndpointStatus 'enabled'|'disabled'
 *
 * @phpstan-type WebhookFailure array{at: string, outcome: WebhookAttemptOutcome|string, status: int|null}
 *
 * @phpstan-type WebhookFault array{id: string, fault: string, times: int, left: int}
 *
 * @phpstan-type WebhookFaultList array{ok: true, faults: list<WebhookFault>}
 *
 * @phpstan-type WebhookResend array{ok: true, id: string, endpoint_id: string, status: WebhookResendStatus|string, queued: int, created_at: string, completed_at: string|null}
 *
 * @phpstan-type WebhookResendStatus 'running'|'completed'
 *
 * What became of a request whose response was lost
 * @phpstan-type GetIdempotencyKeyParams array{operation: IdempotentOperation}
 *
 * The history, newest first; all of it as CSV
 * @phpstan-type ListTransactionsParams array{limit?: int, cursor?: string, type?: TransactionFilter, currency?: Currency, status?: TransactionStatus, direction?: Direction, reference?: string, created_from?: string, created_to?: string}
 *
 * The monthly statements, newest first
 * @phpstan-type ListStatementsParams array{limit?: int, cursor?: string}
 *
 * Transfer batches, newest first
 * @phpstan-type ListTransferBatchesParams array{limit?: int, cursor?: string}
 *
 * The transfers of a batch, in the order given; all of them as CSV
 * @phpstan-type ListBatchTransfersParams array{status?: BatchedTransferStatus, limit?: int, cursor?: int}
 *
 * Payment links, newest first
 * @phpstan-type ListPaymentIntentsParams array{limit?: int, cursor?: string, status?: PaymentIntentStatus, currency?: Currency, reference?: string, customer_email?: string, created_from?: string, created_to?: string}
 *
 * The refunds of a payment, newest first
 * @phpstan-type ListPaymentIntentRefundsParams array{limit?: int, cursor?: string, status?: RefundStatus}
 *
 * The operators through which customers pay by phone
 * @phpstan-type ListPaymentMethodsParams array{currency?: Currency, country?: string}
 *
 * Reusable links, newest first
 * @phpstan-type ListPaymentLinksParams array{limit?: int, cursor?: string, status?: PaymentLinkStatus}
 *
 * The payments of a reusable link, newest first; all of them as CSV
 * @phpstan-type ListLinkPaymentsParams array{limit?: int, cursor?: string}
 *
 * Refunds, newest first
 * @phpstan-type ListRefundsParams array{limit?: int, cursor?: string, status?: RefundStatus, currency?: Currency, payment_intent_id?: string, created_from?: string, created_to?: string}
 *
 * Disputes, newest first
 * @phpstan-type ListDisputesParams array{limit?: int, cursor?: string, status?: DisputeStatus, currency?: Currency, payment_intent_id?: string, created_from?: string, created_to?: string}
 *
 * Payouts, newest first
 * @phpstan-type ListPayoutsParams array{limit?: int, cursor?: string, status?: PayoutStatus, currency?: Currency, reference?: string, batch_id?: string, created_from?: string, created_to?: string}
 *
 * Payout batches, newest first
 * @phpstan-type ListPayoutBatchesParams array{limit?: int, cursor?: string}
 *
 * The payouts of a batch, in the order given; all of them as CSV
 * @phpstan-type ListBatchPayoutsParams array{status?: BatchedItemStatus, limit?: int, cursor?: int}
 *
 * The fee of a movement before it is ordered
 * @phpstan-type PreviewFeeParams array{kind: FeeKind, currency: Currency, amount: string, method?: string, to_username?: string}
 *
 * Invoices of fees, newest first
 * @phpstan-type ListFeeInvoicesParams array{limit?: int, cursor?: string}
 *
 * Events as they were delivered, in the order in which they happened
 * @phpstan-type ListEventsParams array{limit?: int, after?: string, type?: EventType}
 *
 * Deliveries, newest first
 * @phpstan-type ListWebhookDeliveriesParams array{limit?: int, cursor?: string, endpoint_id?: string, event_id?: string, status?: WebhookDeliveryStatus, type?: EventType, created_from?: string, created_to?: string}
 *
 * Every attempt at a delivery with what was answered, newest first
 * @phpstan-type ListWebhookAttemptsParams array{limit?: int, cursor?: string}
 *
 * An event with the data of its type. Types that there are not yet come too.
 * @phpstan-type WebhookEvent array{id: string, type: 'payment.succeeded', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: PaymentIntent}|array{id: string, type: 'payment.failed', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: PaymentIntent}|array{id: string, type: 'payment.held', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: PaymentIntent}|array{id: string, type: 'payment.expired', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: PaymentIntent}|array{id: string, type: 'refund.succeeded', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Refund}|array{id: string, type: 'refund.failed', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Refund}|array{id: string, type: 'dispute.opened', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Dispute}|array{id: string, type: 'dispute.won', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Dispute}|array{id: string, type: 'dispute.lost', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Dispute}|array{id: string, type: 'transfer.received', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Transfer}|array{id: string, type: 'transfer.sent', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Transfer}|array{id: string, type: 'transfer.held', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Transfer}|array{id: string, type: 'transfer.refused', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Transfer}|array{id: string, type: 'payout.held', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Payout}|array{id: string, type: 'payout.requires_action', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Payout}|array{id: string, type: 'payout.sent', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Payout}|array{id: string, type: 'payout.succeeded', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Payout}|array{id: string, type: 'payout.failed', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Payout}|array{id: string, type: 'payout.returned', api_version: 'v1', created_at: string, environment: Environment|string, sequence: int, test?: true, data: Payout}
 */
final class Models
{
}
