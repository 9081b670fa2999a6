# Written by npm run clients from api/openapi.json.

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, TypeAlias, TypedDict


Amount: TypeAlias = Decimal
"""An exact decimal with at least two decimals, such as `Decimal("5000.00")`."""


AmountLike: TypeAlias = "str | int | Decimal"
"""A decimal text, such as "5000" or "49.90", an int or a Decimal: never a float."""


class AdvanceSandboxClockRequest(TypedDict, total=False):
    """seconds: How far the clock is moved.
    to: An ISO 8601 instant of the account's clock, not before its `now`.
    to_next: To what is due next. With nothing waiting nothing moves.
    """

    seconds: int
    to: str
    to_next: Literal[True]


class ApiKey(TypedDict):
    """scopes: What the key may do; each operation names the one that it needs.
    expires_at: From then on it is refused; null: never.
    daily_limit: What may leave the account by this key in 24 hours. Nothing may leave of a
        currency that is left out; null: there is no limit.
    """

    id: str
    name: str
    scopes: list[Scope | str]
    expires_at: str | None
    daily_limit: DailyLimit | None


class AttemptFailure(TypedDict):
    """provider_code: The provider’s own code for it."""

    code: Literal[
        "payer_not_found",
        "payer_blocked",
        "payer_limit_exceeded",
        "insufficient_funds",
        "not_approved",
        "wrong_otp",
        "expired",
        "amount_out_of_bounds",
        "provider_unavailable",
        "rejected",
        "unspecified",
    ] | str
    message: str
    provider_code: str | None


class _BankDestination(TypedDict):
    type: Literal["bank"]
    account: str
    name: str


class BankDestination(_BankDestination, total=False):
    """account: An IBAN or the number of the account.
    name: The holder of the account.
    """

    bank_code: str


BatchedItemStatus = Literal["pending", "completed", "failed"]


class BatchedPayout(TypedDict):
    """index: Its place in the order, from 0.
    reference: The reference of the payout, once it was ordered.
    """

    index: int
    destination: PayoutDestination
    currency: Currency | str
    amount: Amount
    status: BatchedItemStatus | str
    reference: str | None
    error: BatchedPayoutError | None


class BatchedPayoutError(TypedDict):
    """code: The code of the payout’s failure, or that with which POST /payouts refuses it;
        canceled when it was stopped before it was sent, excluded when it was left out.
    """

    code: str
    message: str


class BatchedPayoutList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    payouts: list[BatchedPayout]
    next_cursor: str | None
    has_more: bool


class BatchedTransfer(TypedDict):
    """index: Its place in the order, from 0.
    reference: The reference of the transfer, once it is completed or held.
    replayed: Its key had been answered before; nothing was done for it here.
    """

    index: int
    to_username: str
    currency: Currency | str
    amount: Amount
    status: BatchedTransferStatus | str
    reference: str | None
    error: BatchedTransferError | None
    idempotency_key: str | None
    description: str | None
    simulated: bool
    replayed: bool


class BatchedTransferError(TypedDict):
    code: ErrorCode | str
    message: str


class BatchedTransferList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    transfers: list[BatchedTransfer]
    next_cursor: str | None
    has_more: bool


BatchedTransferStatus = Literal["pending", "completed", "failed", "held"]


class ChangePaymentLinkRequest(TypedDict, total=False):
    """title: What is paid for, as customers read it.
    description: Shown below the title.
    active: False: the link takes no payment until it is true.
    active_until: An ISO 8601 instant or date, later than now.
    max_payments: How many customers may pay. A payment that is under way counts until it ends
        without success.
    return_url: Where the pay page leads after a success: https, without user info.
        payment_intent, reference and status are added to its query. They prove nothing: ask
        the API, or wait for the webhook.
    metadata: In place of what it has.
    """

    title: str
    description: str | None
    active: bool
    active_until: str | None
    max_payments: int | None
    return_url: str | None
    metadata: Metadata


class ChangeWebhookEndpointRequest(TypedDict, total=False):
    """url: Begins with https:// and leads to a public address.
    types: The event types it receives; those of payments when left out.
    max_per_second: Deliveries a second; no limit when null.
    status: Enabling sends what was held while it was disabled.
    """

    url: str
    types: list[EventType]
    description: str | None
    max_per_second: int | None
    status: WebhookEndpointStatus


class _CheckPayoutDestinationRequest(TypedDict):
    currency: Currency
    destination: PayoutDestinationFields


class CheckPayoutDestinationRequest(_CheckPayoutDestinationRequest, total=False):
    """amount: A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
        "5000.00". Whole for XOF.
    name: The recipient’s name, to be compared with the one that the operator has. Of a bank
        account it is the holder’s, and may be left out.
    """

    amount: AmountLike
    name: str


Collected: TypeAlias = "dict[str, str | None]"
"""What the customer answered to a reusable link, by key; null without one."""


class CollectedField(TypedDict):
    key: str
    label: str
    required: bool


class _CollectedFieldRequest(TypedDict):
    key: str
    label: str


class CollectedFieldRequest(_CollectedFieldRequest, total=False):
    required: bool


ComponentStatus = Literal["operational", "degraded"]


class Components(TypedDict):
    postgres: ComponentStatus | str
    temporal: ComponentStatus | str


class ConfirmPayoutBatchRequest(TypedDict, total=False):
    """exclude: Payouts of which this was found are not sent: they fail with `excluded`."""

    exclude: list[PayoutBatchCheck]


class _CreatePaymentAttemptRequest(TypedDict):
    operator: str
    phone: str


class CreatePaymentAttemptRequest(_CreatePaymentAttemptRequest, total=False):
    """operator: An operator of GET /payment-methods.
    phone: The phone that pays, with the code of its country; an old number of Benin (+229 and
        eight digits) becomes the one with 01.
    otp: The customer’s one-time code, where the step is otp. Without it the attempt waits for
        the code.
    """

    otp: str


class _CreatePaymentIntentRequest(TypedDict):
    amount: AmountLike
    currency: Currency


class CreatePaymentIntentRequest(_CreatePaymentIntentRequest, total=False):
    """amount: A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
        "5000.00". Whole for XOF.
    country: ISO 3166-1 alpha-2; the United Kingdom is GB.
    description: Shown on the pay page.
    customer_email: Stored and given back in lower case, the domain as DNS has it (xn--…); a
        dot in the domain.
    customer_phone: In international format (E.164), with spaces, dots, hyphens and brackets
        as you like.
    metadata: Given back with the same names and values, perhaps in another order. Numbers
        have at most 15 digits and no exponent.
    return_url: Where the pay page leads after a success: https, without user info.
        payment_intent, reference and status are added to its query. They prove nothing: ask
        the API, or wait for the webhook.
    cancel_url: Where it leads a customer who gives up; the same is added. The payment intent
        stays open.
    expires_in: Seconds; at least 900 with a live key. When left out: 86400.
    """

    country: str
    description: str
    customer_email: str
    customer_phone: str
    metadata: Metadata
    return_url: str
    cancel_url: str
    expires_in: int


class _CreatePaymentLinkRequest(TypedDict):
    title: str
    currency: Currency


class CreatePaymentLinkRequest(_CreatePaymentLinkRequest, total=False):
    """title: What is paid for, as customers read it.
    amount: The price of one; or send open_amount.
    max_payments: How many customers may pay. A payment that is under way counts until it ends
        without success.
    active_until: An ISO 8601 instant or date, later than now.
    collect: What customers are asked for.
    description: Shown below the title.
    return_url: Where the pay page leads after a success: https, without user info.
        payment_intent, reference and status are added to its query. They prove nothing: ask
        the API, or wait for the webhook.
    metadata: Given to each payment of the link.
    """

    amount: AmountLike
    open_amount: OpenAmountRequest
    quantity: QuantityRange
    max_payments: int
    active_until: str
    collect: list[CollectedFieldRequest]
    description: str
    return_url: str
    metadata: Metadata


class _CreatePayoutBatchRequest(TypedDict):
    payouts: list[PayoutOrder]


class CreatePayoutBatchRequest(_CreatePayoutBatchRequest, total=False):
    """confirm: True: the batch is confirmed with the order, and sent once its destinations were
        looked at. Otherwise it waits in requires_confirmation until you confirm it. When left
        out: false.
    dry_run: Only tells what would become of each payout. When left out: false.
    """

    confirm: bool
    dry_run: bool


class _CreatePayoutRequest(TypedDict):
    currency: Currency
    amount: AmountLike
    destination: PayoutDestinationFields


class CreatePayoutRequest(_CreatePayoutRequest, total=False):
    """amount: What the recipient gets; the fee comes on top. A plain decimal with at most two
        decimals, as a number or as text: 5000, 5000.00, "5000.00". Whole for XOF.
    name: The recipient’s name, to be compared with the one that the operator has. Of a bank
        account it is the holder’s, and may be left out.
    confirm: False: the payout waits in requires_confirmation with the name that was found,
        until you confirm it. When left out: true.
    when_closed: What happens when the operator takes no payouts now. When left out: "queue".
    expires_in: Seconds that the payout may wait for the operator; then it is canceled, and
        the money is back. A day when left out.
    description: The recipient sees it if the operator can show it.
    metadata: Given back with the same names and values, perhaps in another order. Numbers
        have at most 15 digits and no exponent.
    """

    name: str
    name_check: NameCheck
    confirm: bool
    when_closed: Literal["queue", "refuse"]
    expires_in: int
    description: str
    metadata: Metadata


class CreateRefundRequest(TypedDict, total=False):
    """amount: A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
        "5000.00". Whole for XOF. All that is left of the payment when left out.
    reason: For your own records: shown in your history, and not to the customer.
    metadata: Given back with the same names and values, perhaps in another order. Numbers
        have at most 15 digits and no exponent.
    """

    amount: AmountLike
    reason: str
    metadata: Metadata


class CreateReversalRequest(TypedDict, total=False):
    """amount: A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
        "5000.00". Whole for XOF. All that is left of the transfer when left out.
    reason: Shown in the history of both sides.
    """

    amount: AmountLike
    reason: str


class _CreateSandboxFaultRequest(TypedDict):
    operation: str
    fault: str


class CreateSandboxFaultRequest(_CreateSandboxFaultRequest, total=False):
    """operation: The method and the path as this document has them.
    fault: As in the header Sandbox-Fault: lost-response, unavailable, unavailable-after,
        rate-limited, in-progress, gateway-down, gateway-unknown, slow=MS or slow-after=MS
        with 0 to 60000 milliseconds.
    times: How many requests it is for. When left out: 1.
    """

    times: int


class _CreateTransferBatchRequest(TypedDict):
    transfers: list[TransferOrder]


class CreateTransferBatchRequest(_CreateTransferBatchRequest, total=False):
    """mode: atomic: all of them or none, and at most 500. When left out: "independent".
    dry_run: Only tells what would become of each transfer. When left out: false.
    """

    mode: TransferBatchMode
    dry_run: bool


class _CreateTransferRequest(TypedDict):
    to_username: str
    currency: Currency
    amount: AmountLike


class CreateTransferRequest(_CreateTransferRequest, total=False):
    """to_username: The recipient's username; capitals do not matter.
    amount: A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
        "5000.00". Whole for XOF.
    description: For both of you: the recipient sees it too.
    metadata: For you alone. Given back with the same names and values, perhaps in another
        order. Numbers have at most 15 digits and no exponent.
    """

    description: str
    metadata: Metadata


class _CreateWebhookEndpointRequest(TypedDict):
    url: str


class CreateWebhookEndpointRequest(_CreateWebhookEndpointRequest, total=False):
    """url: Begins with https:// and leads to a public address.
    types: The event types it receives; those of payments when left out.
    max_per_second: Deliveries a second; no limit when null.
    """

    types: list[EventType]
    description: str | None
    max_per_second: int | None


class _CreateWebhookFaultRequest(TypedDict):
    fault: str


class CreateWebhookFaultRequest(_CreateWebhookFaultRequest, total=False):
    """fault: duplicate, swap, bad-signature, or late=S with 1 to 34560000 seconds.
    times: How many attempts it is for. When left out: 1.
    """

    times: int


class _CreatedTransfer(TypedDict):
    ok: Literal[True]
    reference: str
    status: TransferStatus | str
    environment: Environment | str
    to_username: str
    currency: Currency | str
    amount: Amount
    simulated: bool
    description: str | None
    metadata: Metadata


class CreatedTransfer(_CreatedTransfer, total=False):
    """simulated: With a test key: nothing was moved.
    description: What its sender wrote for both of them.
    hold: With 202 only: the transfer waits for a check.
    """

    hold: Hold


class CreatedWebhookEndpoint(TypedDict):
    """url: Begins with https:// and leads to a public address.
    types: The event types it receives; those of payments when left out.
    max_per_second: Deliveries a second; no limit when null.
    previous_secret_until: During a rotation: until then the old secret signs too.
    secret: Shown this once.
    """

    ok: Literal[True]
    id: str
    url: str
    types: list[EventType | str]
    description: str | None
    max_per_second: int | None
    status: WebhookEndpointStatus | str
    disabled_reason: WebhookDisabledReason | str | None
    consecutive_failures: int
    failing_since: str | None
    last_failure: WebhookFailure | None
    previous_secret_until: str | None
    created_at: str
    updated_at: str
    secret: str


Currency = Literal["XOF", "EUR", "USD"]


class DailyLimit(TypedDict, total=False):
    XOF: Amount
    EUR: Amount
    USD: Amount


class DeletedWebhookEndpoint(TypedDict):
    ok: Literal[True]
    id: str
    deleted: Literal[True]


class _DestinationCheck(TypedDict):
    payable: bool
    operator: str | None
    country: str | None
    name_found: str | None
    name_match: NameMatch | str | None
    bounds: PayoutBounds
    fee: Amount | None
    tax: Amount | None
    state: OperatorState | str


class DestinationCheck(_DestinationCheck, total=False):
    """ok: In a response of its own; not in a list or an event.
    payable: False when the operator says that it would not be paid.
    name_found: Masked (A*** D***) unless it matches.
    """

    ok: Literal[True]


Direction = Literal["in", "out"]
"""Whether the money came to the key's owner or left."""


class _Dispute(TypedDict):
    id: str
    reference: str
    payment_intent_id: str
    amount: Amount
    currency: Currency | str
    fee: Amount
    status: DisputeStatus | str
    reason: str
    evidence_due_by: str | None
    owed_amount: Amount
    environment: Environment | str
    created_at: str
    closed_at: str | None


class Dispute(_Dispute, total=False):
    """ok: In a response of its own; not in a list or an event.
    reference: Its rows in GET /transactions have it too.
    amount: What the customer claims: the payment, or a part of it.
    fee: What the gateway charged for it; 0 unless it was lost.
    reason: The gateway's word for what the customer says, such as `fraudulent`.
    evidence_due_by: Until then the bank takes evidence; null when it takes none.
    owed_amount: What the wallet lacked so far: it is taken from what arrives next.
    """

    ok: Literal[True]


class DisputeList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    disputes: list[Dispute]
    next_cursor: str | None
    has_more: bool


DisputeStatus = Literal["open", "won", "lost"]
"""open: the customer's bank has not decided. One that is lost may still be won, by an appeal."""


class DroppedSandboxFaults(TypedDict):
    ok: Literal[True]
    deleted: int


Environment = Literal["live", "sandbox"]
"""Of the key: live moves money, sandbox is for trying."""


class Error(TypedDict):
    ok: Literal[False]
    error: ErrorInfo


ErrorCode = Literal[
    "unauthorized",
    "invalid_request",
    "invalid_json",
    "insufficient_funds",
    "recipient_not_found",
    "rate_limited",
    "invalid_idempotency_key",
    "forbidden",
    "approval_by_creator",
    "account_frozen",
    "kyc_required",
    "risk_refused",
    "risk_held",
    "not_found",
    "transaction_not_found",
    "statement_not_found",
    "payment_intent_not_found",
    "attempt_not_found",
    "payment_link_not_found",
    "idempotency_key_not_found",
    "transfer_not_found",
    "transfer_batch_not_found",
    "refund_not_found",
    "dispute_not_found",
    "payout_not_found",
    "fee_invoice_not_found",
    "payout_batch_not_found",
    "webhook_endpoint_not_found",
    "event_not_found",
    "webhook_delivery_not_found",
    "webhook_resend_not_found",
    "method_not_allowed",
    "idempotency_in_progress",
    "payment_intent_not_payable",
    "attempt_in_progress",
    "otp_not_expected",
    "intent_not_cancelable",
    "batch_not_cancelable",
    "batch_limit",
    "batch_refused",
    "payment_intent_not_refundable",
    "too_many_refunds",
    "payment_disputed",
    "webhook_endpoint_disabled",
    "webhook_resend_running",
    "webhook_endpoint_limit",
    "payout_not_cancelable",
    "payout_not_confirmable",
    "payout_not_approvable",
    "payout_batch_not_cancelable",
    "payout_batch_not_confirmable",
    "payout_batch_not_approvable",
    "malformed_request",
    "request_timeout",
    "headers_too_large",
    "payload_too_large",
    "unsupported_media_type",
    "idempotency_key_reuse",
    "refund_exceeds_payment",
    "reversal_exceeds_transfer",
    "unsupported_destination",
    "amount_out_of_bounds",
    "limit_exceeded",
    "name_mismatch",
    "internal_error",
    "gateway_error",
    "unavailable",
    "provider_unavailable",
    "payouts_not_configured",
    "gateway_not_configured",
    "gateway_timeout",
]


class ErrorDetail(TypedDict):
    param: str
    message: str


class _ErrorInfo(TypedDict):
    code: ErrorCode | str
    message: str
    doc_url: str
    request_id: str
    retryable: bool


class ErrorInfo(_ErrorInfo, total=False):
    """message: For people; it may change.
    param: The field at fault.
    details: Every fault, when several fields are at fault. An object of figures where a limit
        was reached: `minimum` and `maximum`; or `limit` (`single`, `daily`, `monthly`,
        `key_daily`), `currency`, `maximum`, `used`, `remaining` and `resets_at`. Amounts are
        numbers.
    doc_url: What the code means and what to do.
    request_id: As in the header X-Request-Id.
    retryable: The same request, with the same Idempotency-Key, may succeed later.
    """

    param: str
    details: list[ErrorDetail] | dict[str, Any]


class _Event(TypedDict):
    id: str
    type: EventType | str
    api_version: Literal["v1"]
    created_at: str
    environment: Environment | str
    sequence: int
    data: PaymentIntent | Refund | Dispute | Transfer | Payout


class Event(_Event, total=False):
    """sequence: Without gaps per account and environment; 0 for a test event.
    test: On test events only.
    data: The payment intent of `payment.…`, the refund of `refund.…`, the dispute of
        `dispute.…`, the transfer of `transfer.…`, the payout of `payout.…`, as GET answered
        it at that moment.
    """

    test: Literal[True]


class EventList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    events: list[Event]
    next_cursor: str | None
    has_more: bool


EventType = Literal[
    "payment.succeeded",
    "payment.failed",
    "payment.held",
    "payment.expired",
    "refund.succeeded",
    "refund.failed",
    "dispute.opened",
    "dispute.won",
    "dispute.lost",
    "transfer.received",
    "transfer.sent",
    "transfer.held",
    "transfer.refused",
    "payout.held",
    "payout.requires_action",
    "payout.sent",
    "payout.succeeded",
    "payout.failed",
    "payout.returned",
]


class _EventWithDeliveries(TypedDict):
    ok: Literal[True]
    id: str
    type: EventType | str
    api_version: Literal["v1"]
    created_at: str
    environment: Environment | str
    sequence: int
    data: PaymentIntent | Refund | Dispute | Transfer | Payout
    deliveries: list[WebhookDeliveryWithAttempts]


class EventWithDeliveries(_EventWithDeliveries, total=False):
    """sequence: Without gaps per account and environment; 0 for a test event.
    test: On test events only.
    data: The payment intent of `payment.…`, the refund of `refund.…`, the dispute of
        `dispute.…`, the transfer of `transfer.…`, the payout of `payout.…`, as GET answered
        it at that moment.
    """

    test: Literal[True]


FeeBearer = Literal["recipient", "payer"]
"""`recipient`: the fee is taken from the amount. `payer`: the sender pays it on top of the
amount, and the recipient has no fee.
"""


class _FeeInvoice(TypedDict):
    number: str
    environment: Environment | str
    currency: Currency | str
    period_from: str
    period_to: str
    issued_at: str
    issuer: str
    account: InvoicedAccount
    lines: list[FeeInvoiceLine]
    fee: Amount
    tax: Amount
    total: Amount


class FeeInvoice(_FeeInvoice, total=False):
    """ok: In a response of its own; not in a list or an event.
    number: It belongs to one series for each environment and year, without a gap.
    tax: The part of `fee` that is tax.
    total: Settled: all of it was taken when it arose.
    """

    ok: Literal[True]


class FeeInvoiceLine(TypedDict):
    """volume: The sum of the amounts.
    tax: The part of `fee` that is tax.
    """

    kind: FeeKind | str
    method: str | None
    count: int
    volume: Amount
    fee: Amount
    tax: Amount


class FeeInvoiceList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    fee_invoices: list[FeeInvoice]
    next_cursor: str | None
    has_more: bool


FeeKind = Literal["transfer", "payment_intent", "payout"]


class FeePreview(TypedDict):
    """tax: The part of `fee` that is tax.
    total: The amount that leaves the payer.
    net_amount: The amount that arrives.
    """

    ok: Literal[True]
    kind: FeeKind | str
    currency: Currency | str
    amount: Amount
    method: str | None
    fee: Amount
    tax: Amount
    total: Amount
    net_amount: Amount
    bearer: PreviewBearer | str


class FundLimits(TypedDict):
    """maximum: Of one call.
    a_day: Calls in 24 hours.
    """

    maximum: Amount
    a_day: int


class FundSandboxWalletRequest(TypedDict):
    """amount: A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
        "5000.00". Whole for XOF.
    """

    currency: Currency
    amount: AmountLike


class GivePaymentOtpRequest(TypedDict):
    """otp: The customer’s one-time code, where the step is otp."""

    otp: str


class GivenApproval(TypedDict):
    by: str
    at: str


class Health(TypedDict):
    ok: Literal[True]
    service: str
    version: Literal["v1"]
    time: str


class Hold(TypedDict):
    """reference: The operator of the service knows the check by it.
    expires_at: When it is refused, unless it is decided before.
    """

    reference: str
    expires_at: str


class IdempotencyKey(TypedDict):
    """http_status: Of the response.
    response: The response, as a repetition of the request would get it.
    reference: Of what the request made: a reference, or the id of a batch.
    request_id: The first request's.
    """

    ok: Literal[True]
    key: str
    operation: IdempotentOperation | str
    state: IdempotencyKeyState | str
    http_status: int | None
    response: dict[str, Any] | None
    reference: str | None
    request_id: str
    created_at: str


IdempotencyKeyState = Literal["in_progress", "completed"]
"""completed: the key has its response, which every repetition gets. in_progress: a request with
it may still have an effect.
"""


IdempotentOperation = Literal[
    "transfer",
    "payment_intent",
    "payment_attempt",
    "payment_link",
    "transfer_batch",
    "refund",
    "reversal",
    "payout",
    "payout_batch",
    "sandbox_fund",
]


class InvoicedAccount(TypedDict):
    username: str
    display_name: str | None
    country: str


class KeyOwner(TypedDict):
    ok: Literal[True]
    environment: Environment | str
    key: ApiKey
    profile: Profile


KycStatus = Literal["not_started", "pending", "approved", "rejected", "expired"]
"""The identity check: live keys work once it is approved."""


class Limit(TypedDict):
    """used: It is what the wallet holds for `balance`, and 0.00 for `single_…`.
    resets_at: When a limit of a day or a month begins anew; null of the others.
    """

    currency: Currency | str
    limit: LimitName | str
    maximum: Amount
    used: Amount
    remaining: Amount
    resets_at: str | None


LimitName = Literal[
    "balance",
    "single_in",
    "daily_in",
    "monthly_in",
    "single_out",
    "daily_out",
    "monthly_out",
]
"""`single_…`: of one movement; `daily_…`, `monthly_…`: of a day, a month (UTC); `…_in`: of what
arrives; `…_out`: of what leaves; `balance`: of what the wallet holds.
"""


class Limits(TypedDict):
    """limits: Those that hold now. What is not named here has no limit."""

    ok: Literal[True]
    environment: Environment | str
    tier: Tier | str
    limits: list[Limit]


Metadata: TypeAlias = "dict[str, str | float | bool | None]"
"""What was given."""


NameCheck = Literal["off", "warn", "require"]
"""warn: the result is shown. require: nothing is sent unless the name matches. off: the name is
not compared. When left out: "warn".
"""


NameMatch = Literal["match", "close", "no_match", "unavailable"]
"""Accents, capitals, apostrophes, hyphens and the order of the parts do not count. close: a part
is missing, or one or two letters differ in a name that is long enough. unavailable: the
operator does not tell, or too many names that are not the recipient’s were tried: in a day
five for a destination, and 300 that fit none at all.
"""


class NextStep(TypedDict):
    """What the customer has to do now; null once it has ended, and while the operator has not
    answered.

    expires_at: Until when the operator waits.
    code: What to dial, for dial and otp.
    url: The operator’s page, for redirect.
    """

    kind: PaymentStep | str
    expires_at: str
    code: str | None
    url: str | None
    instructions: StepInstructions


class OpenAmount(TypedDict):
    minimum: Amount | None
    maximum: Amount | None
    suggestions: list[Amount]


class OpenAmountRequest(TypedDict, total=False):
    """The customer chooses the amount, within these bounds.

    minimum: A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
        "5000.00". Whole for XOF.
    maximum: A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
        "5000.00". Whole for XOF.
    """

    minimum: AmountLike
    maximum: AmountLike
    suggestions: list[AmountLike]


OperatorState = Literal["open", "delayed", "closed"]
"""closed: payouts wait until it opens."""


class OrderedSandboxFault(TypedDict):
    """operation: The method and the path as this document has them.
    fault: As in the header Sandbox-Fault: lost-response, unavailable, unavailable-after,
        rate-limited, in-progress, gateway-down, gateway-unknown, slow=MS or slow-after=MS
        with 0 to 60000 milliseconds.
    left: How many requests it is still for.
    """

    ok: Literal[True]
    id: str
    operation: str
    fault: str
    times: int
    left: int


class OrderedWebhookFault(TypedDict):
    """fault: duplicate, swap, bad-signature, or late=S with 1 to 34560000 seconds.
    left: How many attempts it is still for.
    """

    ok: Literal[True]
    id: str
    fault: str
    times: int
    left: int


class _PaymentAttempt(TypedDict):
    id: str
    payment_intent_id: str
    status: PaymentAttemptStatus | str
    operator: str
    phone: str
    next_step: NextStep | None
    failure: AttemptFailure | None
    created_at: str
    expires_at: str
    ended_at: str | None


class PaymentAttempt(_PaymentAttempt, total=False):
    """ok: In a response of its own; not in a list or an event.
    expires_at: When a waiting attempt is given up.
    """

    ok: Literal[True]


PaymentAttemptStatus = Literal["waiting", "succeeded", "failed"]
"""A failed attempt leaves the payment intent open. It may still become succeeded: a phone may
pay after its time, and the money then goes where late money goes.
"""


class PaymentAttempts(TypedDict):
    ok: Literal[True]
    attempts: list[PaymentAttempt]


class PaymentError(TypedDict):
    code: str
    message: str


class _PaymentIntent(TypedDict):
    id: str
    short_code: str
    reference: str
    amount: Amount
    currency: Currency | str
    status: PaymentIntentStatus | str
    checkout_url: str
    pay_url: str
    environment: Environment | str
    country: str | None
    description: str | None
    customer_email: str | None
    customer_phone: str | None
    metadata: Metadata
    return_url: str | None
    cancel_url: str | None
    fee: Amount
    tax: Amount
    net_amount: Amount
    amount_received: Amount | None
    refunded_amount: Amount | None
    last_payment_error: PaymentError | None
    hold: Hold | None
    transaction_id: str | None
    created_at: str
    updated_at: str
    expires_at: str
    succeeded_at: str | None
    failed_at: str | None
    expired_at: str | None
    canceled_at: str | None
    payment_link_id: str | None
    quantity: int | None
    collected: Collected | None


class PaymentIntent(_PaymentIntent, total=False):
    """ok: In a response of its own; not in a list or an event.
    checkout_url: The gateway's page.
    pay_url: The link to give to the customer.
    metadata: What was given on creation.
    tax: The part of `fee` that is tax.
    amount_received: What has arrived for it in its currency, also what an operator has yet to
        decide about; null until something has. Refunds are not subtracted.
    refunded_amount: What was given back, pending refunds included; null before the payment.
    transaction_id: Of the payment in GET /transactions, once it is paid.
    payment_link_id: The reusable link that the customer paid by; null for any other payment
        intent.
    quantity: How many the customer pays by a reusable link; null without one.
    """

    ok: Literal[True]


class PaymentIntentList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    payment_intents: list[PaymentIntent]
    next_cursor: str | None
    has_more: bool


PaymentIntentStatus = Literal["open", "processing", "succeeded", "failed", "expired", "canceled"]


class PaymentIntentTimeline(TypedDict):
    ok: Literal[True]
    timeline: list[TimelineEntry]


class _PaymentLink(TypedDict):
    id: str
    code: str
    url: str
    qr_url: str
    status: PaymentLinkStatus | str
    title: str
    currency: Currency | str
    amount: Amount | None
    open_amount: OpenAmount | None
    quantity: Quantity | None
    max_payments: int | None
    active_until: str | None
    collect: list[CollectedField]
    description: str | None
    return_url: str | None
    metadata: Metadata
    payments: int
    paid_amount: Amount
    environment: Environment | str
    created_at: str
    updated_at: str


class PaymentLink(_PaymentLink, total=False):
    """ok: In a response of its own; not in a list or an event.
    url: The page to give to customers.
    qr_url: Its QR code as an SVG picture; needs no key.
    amount: The price of one; null with open_amount.
    payments: How many have succeeded.
    paid_amount: The sum of those. Refunds are not subtracted.
    """

    ok: Literal[True]


class PaymentLinkList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    payment_links: list[PaymentLink]
    next_cursor: str | None
    has_more: bool


PaymentLinkStatus = Literal["active", "inactive", "sold_out", "expired"]
"""sold_out: each of max_payments is paid or under way; one that ends without success is free
again.
"""


class PaymentMethod(TypedDict):
    """operator: Such as orange_ci.
    name: As customers know it.
    prefixes: How its numbers begin; empty when it has no numbers of its own.
    """

    operator: str
    name: str
    country: str
    currency: Currency | str
    prefixes: list[str]
    minimum: Amount
    maximum: Amount
    step: PaymentStep | str
    state: PaymentMethodState | str


PaymentMethodState = Literal["open", "delayed", "closed"]
"""delayed: payments take longer than usual. closed: it takes none now."""


class PaymentMethods(TypedDict):
    ok: Literal[True]
    payment_methods: list[PaymentMethod]


PaymentStep = Literal["prompt", "dial", "otp", "redirect"]
"""What the customer does. prompt: confirms a question on the phone. dial: dials a code and
confirms there. otp: makes a one-time code and types it. redirect: leaves for the operator’s
page.
"""


class _Payout(TypedDict):
    id: str
    reference: str
    status: PayoutStatus | str
    stage: PayoutStage | str | None
    conclusive: bool
    currency: Currency | str
    amount: Amount
    fee: Amount
    tax: Amount
    total: Amount
    destination: PayoutDestination
    provider: PayoutProvider
    failure: PayoutFailure | None
    returned_amount: Amount
    approval: PayoutApproval | None
    hold: Hold | None
    batch_id: str | None
    description: str | None
    metadata: Metadata
    environment: Environment | str
    created_at: str
    updated_at: str
    sent_at: str | None
    completed_at: str | None
    expires_at: str | None


class Payout(_Payout, total=False):
    """ok: In a response of its own; not in a list or an event.
    reference: Its rows in GET /transactions have it too.
    conclusive: True in succeeded, failed, canceled and returned: nothing is under way.
    amount: What the recipient gets.
    tax: The part of `fee` that is tax.
    total: amount + fee: what leaves the wallet.
    returned_amount: What came back after it had succeeded.
    metadata: What was given on creation.
    """

    ok: Literal[True]


class PayoutApproval(TypedDict):
    """Set when other people have to approve it."""

    needed: int
    given: list[GivenApproval]


class _PayoutBatch(TypedDict):
    id: str
    status: PayoutBatchStatus | str
    confirm: bool
    dry_run: bool
    environment: Environment | str
    total: int
    completed: int
    failed: int
    checks: PayoutBatchChecks
    approval: PayoutApproval | None
    reject_reason: str | None
    created_at: str
    finished_at: str | None
    expires_at: str | None


class PayoutBatch(_PayoutBatch, total=False):
    """ok: In a response of its own; not in a list or an event.
    total: How many payouts it has. completed and failed say how many have ended so far.
    """

    ok: Literal[True]


PayoutBatchCheck = Literal["match", "close", "no_match", "unavailable", "unreachable"]


class PayoutBatchChecks(TypedDict):
    """What was found of its destinations so far.

    unavailable: No name was given, or the operator tells none.
    unreachable: The operator says that it would not pay them.
    """

    match: int
    close: int
    no_match: int
    unavailable: int
    unreachable: int


class PayoutBatchList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    payout_batches: list[PayoutBatch]
    next_cursor: str | None
    has_more: bool


PayoutBatchStatus = Literal[
    "processing",
    "requires_approval",
    "requires_confirmation",
    "completed",
    "canceled",
]
"""processing: its destinations are looked at, or its payouts are under way. completed: every
payout has ended, and some may have failed.
"""


class PayoutBounds(TypedDict):
    minimum: Amount
    maximum: Amount


class PayoutDestination(TypedDict):
    """account: The last four characters.
    name_found: Masked (A*** D***) unless it matches.
    """

    type: Literal["mobile_money", "bank"] | str
    phone: str | None
    operator: str | None
    account: str | None
    bank_code: str | None
    name: str | None
    name_found: str | None
    name_match: NameMatch | str | None


PayoutDestinationFields: TypeAlias = "PhoneDestination | BankDestination"
"""A phone with an account at a mobile money operator, or a bank account."""


class PayoutFailure(TypedDict):
    """provider_code: The provider’s own code for it."""

    code: Literal[
        "recipient_not_found",
        "recipient_blocked",
        "recipient_limit_exceeded",
        "name_mismatch",
        "amount_out_of_bounds",
        "provider_out_of_funds",
        "provider_unavailable",
        "rejected",
        "fraud_suspected",
        "risk_refused",
        "unspecified",
    ] | str
    message: str
    provider_code: str | None


class PayoutList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    payouts: list[Payout]
    next_cursor: str | None
    has_more: bool


class _PayoutOrder(TypedDict):
    destination: PayoutDestinationFields
    currency: Currency
    amount: AmountLike


class PayoutOrder(_PayoutOrder, total=False):
    """amount: What the recipient gets; the fee comes on top. A plain decimal with at most two
        decimals, as a number or as text: 5000, 5000.00, "5000.00". Whole for XOF.
    name: The recipient’s name, to be compared with the one that the operator has. Of a bank
        account it is the holder’s, and may be left out.
    description: The recipient sees it if the operator can show it.
    """

    name: str
    description: str


class PayoutProvider(TypedDict):
    name: str
    payment_id: str | None


PayoutStage = Literal["queued", "sent", "unknown"]
"""While it is pending. queued: the operator was not asked yet, or has it waiting; it can be
canceled. unknown: it was asked and has not answered; it is asked what became of it until it
does.
"""


PayoutStatus = Literal[
    "held",
    "requires_approval",
    "requires_confirmation",
    "pending",
    "succeeded",
    "failed",
    "canceled",
    "returned",
]
"""succeeded never becomes failed: money that comes back later makes it returned, and before that
returned_amount grows.
"""


class _PhoneDestination(TypedDict):
    type: Literal["mobile_money"]
    phone: str


class PhoneDestination(_PhoneDestination, total=False):
    """phone: With the country code, such as +221 77 123 45 67; an old number of Benin (+229 and
        eight digits) becomes the one with 01.
    operator: Such as orange_sn; found from the phone when left out.
    """

    operator: str


PreviewBearer = Literal["recipient", "payer", "merchant"]


class Profile(TypedDict):
    """display_name: What customers see; null: the name above.
    contact: How customers reach the merchant.
    """

    id: str
    username: str
    email: str
    first_name: str
    last_name: str
    display_name: str | None
    contact: str | None
    country: str
    kyc_status: KycStatus | str


class Quantity(TypedDict):
    minimum: int
    maximum: int


class QuantityRange(TypedDict):
    """The customer chooses how many; only with amount. One when left out."""

    minimum: int
    maximum: int


class _Refund(TypedDict):
    id: str
    reference: str
    payment_intent_id: str
    amount: Amount
    currency: Currency | str
    status: RefundStatus | str
    environment: Environment | str
    reason: str | None
    metadata: Metadata
    failure: RefundFailure | None
    created_at: str
    updated_at: str


class Refund(_Refund, total=False):
    """ok: In a response of its own; not in a list or an event.
    reference: Of its rows in GET /transactions.
    metadata: What was given on creation.
    """

    ok: Literal[True]


class RefundFailure(TypedDict):
    """Why it failed; the money is in the wallet again.

    code: refund_refused: the gateway made no refund. refund_failed: it made one, and that
        failed.
    message: In the words of the gateway, or of the operator who has ended it.
    """

    code: Literal["refund_refused", "refund_failed"] | str
    message: str


class RefundList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    refunds: list[Refund]
    next_cursor: str | None
    has_more: bool


RefundStatus = Literal["pending", "succeeded", "failed"]
"""pending: the gateway has not finished it. One that succeeded may fail weeks later, when the
bank of the customer sends the money back.
"""


class RejectPayoutBatchRequest(TypedDict, total=False):
    """reason: Shown in the timeline."""

    reason: str


class RejectPayoutRequest(TypedDict, total=False):
    """reason: Shown in the timeline."""

    reason: str


class ResendEventRequest(TypedDict, total=False):
    """endpoint_id: To this endpoint alone, also when it never had the event. Otherwise to all
        that have it and are enabled.
    """

    endpoint_id: str


class ResendWebhooksRequest(TypedDict, total=False):
    """status: One or several; all but delivered when left out.
    type: Deliveries of this type of event; all when left out.
    created_from: An ISO 8601 instant or date; deliveries created at it or later.
    created_to: An ISO 8601 instant or date; deliveries created before it, and before now.
    """

    status: ResentStatus | list[ResentStatus]
    type: EventType
    created_from: str
    created_to: str


class ResentEvent(TypedDict):
    ok: Literal[True]
    deliveries: list[WebhookDelivery]


ResentStatus = Literal["pending", "held", "delivered", "exhausted"]


class Reversal(TypedDict):
    """reference: Of its rows in GET /transactions, on both sides.
    simulated: With a test key: nothing was moved.
    """

    ok: Literal[True]
    reference: str
    transfer_reference: str
    amount: Amount
    currency: Currency | str
    reason: str | None
    environment: Environment | str
    simulated: bool
    created_at: str


class RotateWebhookSecretRequest(TypedDict, total=False):
    """overlap_seconds: How long x-service-signature stays with the old secret, with the new one
        in x-service-signature-next. webhook-signature has both. When left out: 86400.
    """

    overlap_seconds: int


class RotatedWebhookSecret(TypedDict):
    """secret: Shown this once.
    previous_secret_until: During a rotation: until then the old secret signs too.
    """

    ok: Literal[True]
    id: str
    secret: str
    previous_secret_until: str | None


class SandboxClock(TypedDict):
    """now: The account's clock.
    offset_seconds: How many seconds the clock is ahead of the time.
    next_due_at: Of the first in `waiting`; null with none.
    waiting: What waits, the first 100 by when it is due, by this clock.
    """

    ok: Literal[True]
    now: str
    offset_seconds: int
    next_due_at: str | None
    waiting: list[SandboxWaiting]


class SandboxClockMove(TypedDict):
    """now: The account's clock.
    offset_seconds: How many seconds the clock is ahead of the time.
    settled: True when all that became due is done, with its webhooks. False after ten
        seconds: it goes on, ask again.
    """

    ok: Literal[True]
    now: str
    offset_seconds: int
    moved: SandboxMoved
    settled: bool


class SandboxFault(TypedDict):
    """operation: The method and the path as this document has them.
    fault: As in the header Sandbox-Fault: lost-response, unavailable, unavailable-after,
        rate-limited, in-progress, gateway-down, gateway-unknown, slow=MS or slow-after=MS
        with 0 to 60000 milliseconds.
    left: How many requests it is still for.
    """

    id: str
    operation: str
    fault: str
    times: int
    left: int


class SandboxFaultList(TypedDict):
    ok: Literal[True]
    faults: list[SandboxFault]


class SandboxMoved(TypedDict):
    """How many came nearer."""

    payment_intents: int
    payment_attempts: int
    webhook_deliveries: int
    payouts: int
    payout_batches: int
    refunds: int


class SandboxWaiting(TypedDict):
    type: SandboxWaitingType | str
    id: str
    due_at: str


SandboxWaitingType = Literal[
    "transfer",
    "payment_intent",
    "payment_attempt",
    "webhook_delivery",
    "payout",
    "payout_batch",
]


Scope = Literal[
    "read",
    "transfers:write",
    "payment_intents:write",
    "refunds:write",
    "payouts:write",
    "payouts:approve",
    "webhooks:write",
    "sandbox",
]


class SendTestWebhookRequest(TypedDict, total=False):
    """type: When left out: "payment.succeeded"."""

    type: EventType


class SentTestEvent(TypedDict):
    ok: Literal[True]
    event_id: str
    delivery_id: str


class ServiceStatus(TypedDict):
    ok: Literal[True]
    status: ComponentStatus | str
    components: Components


class Statement(TypedDict):
    """month: A year and a month, of UTC.
    is_closed: Nothing enters the month any more: the statement stays as it is, byte for byte.
    opening: What the wallet held when the month began.
    generated_at: When it was read; of a closed month, the end of the month.
    transactions: What moved the wallet, oldest first, without a status: that of a payout may
        change after its month. The wallet gains the net amount of what comes in, and loses
        the amount of what goes out.
    closing: What it held when the month ended; of the running month, now.
    totals: The transactions by type and direction.
    """

    ok: Literal[True]
    currency: Currency | str
    month: str
    is_closed: bool
    opening: Amount
    generated_at: str
    transactions: list[StatementLine]
    closing: Amount
    totals: list[StatementTotal]


class StatementLine(TypedDict):
    """tax: The part of `fee` that is tax."""

    id: str
    type: TransactionType | str
    direction: Direction | str
    currency: Currency | str
    amount: Amount
    fee: Amount
    tax: Amount
    net_amount: Amount
    balance_after: Amount
    reference: str
    counterparty: str | None
    description: str | None
    related: str | None
    created_at: str


class StatementRow(TypedDict):
    """month: A year and a month, of UTC.
    opening: What the wallet held when the month began.
    closing: What it held when the month ended; of the running month, now.
    is_closed: Nothing enters the month any more: the statement stays as it is, byte for byte.
    """

    currency: Currency | str
    month: str
    opening: Amount
    closing: Amount
    is_closed: bool


class StatementRowList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    statements: list[StatementRow]
    next_cursor: str | None
    has_more: bool


class StatementTotal(TypedDict):
    """tax: The part of the fees that is tax."""

    type: TransactionType | str
    direction: Direction | str
    count: int
    amount: Amount
    fee: Amount
    tax: Amount


class StepInstructions(TypedDict):
    fr: list[str]
    en: list[str]


class TestButton(TypedDict):
    action: str
    meaning: str


class TestDelay(TypedDict):
    """default: Milliseconds that slow things take."""

    default: int
    maximum: int


class TestPhone(TypedDict):
    digits: str
    outcome: str
    meaning: str


class TestRefunds(TypedDict):
    refunds: str
    meaning: str


class TestValues(TypedDict):
    """phones: When money is sent to it, by the last three digits of a phone or a bank account;
        any other is paid.
    paying_phones: When a customer pays with it, by the last three digits of the phone; any
        other pays.
    buttons: Of the checkout of the simulated gateway.
    refunds: Of the checkout’s field `refunds`: how refunds of the payment go. Without one of
        these they work at once.
    faults: The values of the header Sandbox-Fault.
    """

    ok: Literal[True]
    phones: list[TestPhone]
    paying_phones: list[TestPhone]
    buttons: list[TestButton]
    refunds: list[TestRefunds]
    delay_ms: TestDelay
    faults: str
    fund: FundLimits


Tier = Literal["none", "identified", "merchant", "agent"]
"""Which limits hold, where the account has none of its own."""


TimelineDetail: TypeAlias = "dict[str, Any]"
"""What belongs to it; differs by kind."""


class TimelineEntry(TypedDict):
    """kind: What happened, such as ledger.posted."""

    at: str
    source: TimelineSource | str
    kind: str
    detail: TimelineDetail


TimelineSource = Literal["api", "workflow", "gateway", "ledger", "webhook"]


class _Transaction(TypedDict):
    id: str
    type: TransactionType | str
    status: TransactionStatus | str
    direction: Direction | str
    currency: Currency | str
    amount: Amount
    fee: Amount
    tax: Amount
    net_amount: Amount
    balance_after: Amount
    reference: str
    counterparty: str | None
    description: str | None
    related: str | None
    created_at: str


class Transaction(_Transaction, total=False):
    """ok: In a response of its own; not in a list or an event.
    tax: The part of `fee` that is tax.
    """

    ok: Literal[True]


TransactionFilter = Literal[
    "deposit",
    "withdrawal",
    "transfer_in",
    "transfer_out",
    "refund",
    "dispute",
    "reversal",
    "adjustment",
    "transfer",
]
"""Rows of this type only; transfer stands for transfer_in and transfer_out."""


class TransactionList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    transactions: list[Transaction]
    next_cursor: str | None
    has_more: bool


TransactionStatus = Literal["pending", "completed", "failed", "reversed", "simulated"]


TransactionType = Literal[
    "deposit",
    "withdrawal",
    "transfer_in",
    "transfer_out",
    "refund",
    "dispute",
    "reversal",
    "adjustment",
]


class _Transfer(TypedDict):
    reference: str
    status: TransferStatus | str
    environment: Environment | str
    to_username: str
    currency: Currency | str
    amount: Amount
    simulated: bool
    direction: Direction | str
    from_username: str
    fee: Amount
    tax: Amount
    total: Amount
    fee_bearer: FeeBearer | str
    net_amount: Amount
    reversed_amount: Amount
    description: str | None
    metadata: Metadata | None
    batch_id: str | None
    hold: Hold | None
    created_at: str


class Transfer(_Transfer, total=False):
    """ok: In a response of its own; not in a list or an event.
    simulated: With a test key: nothing was moved.
    tax: The part of `fee` that is tax.
    total: The amount that left the sender; a recipient sees it without a fee that the sender
        bore.
    reversed_amount: What the recipient has given back; all of it when `status` is `reversed`.
    description: What its sender wrote for both of them.
    metadata: Its sender's own; null for its recipient.
    batch_id: Of the batch in which its sender ordered it.
    """

    ok: Literal[True]


class _TransferBatch(TypedDict):
    id: str
    status: TransferBatchStatus | str
    mode: TransferBatchMode | str
    dry_run: bool
    environment: Environment | str
    total: int
    completed: int
    failed: int
    held: int
    created_at: str
    finished_at: str | None


class TransferBatch(_TransferBatch, total=False):
    """ok: In a response of its own; not in a list or an event.
    total: Of its transfers; so many are completed, failed and held so far.
    held: Transfers that wait for a check: they are completed or failed later.
    """

    ok: Literal[True]


class TransferBatchList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    transfer_batches: list[TransferBatch]
    next_cursor: str | None
    has_more: bool


TransferBatchMode = Literal["independent", "atomic"]


TransferBatchStatus = Literal["processing", "completed", "failed", "canceled"]
"""completed: every transfer is done, and some may have failed. failed: an atomic batch of which
one was refused; nothing was moved.
"""


class _TransferOrder(TypedDict):
    to_username: str
    currency: Currency
    amount: AmountLike


class TransferOrder(_TransferOrder, total=False):
    """to_username: The recipient's username; capitals do not matter.
    amount: A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00,
        "5000.00". Whole for XOF.
    idempotency_key: The same as the Idempotency-Key of a single transfer, in both directions.
    description: For both of you: the recipient sees it too.
    """

    idempotency_key: str
    description: str


TransferStatus = Literal["completed", "reversed", "simulated", "held", "refused"]
"""held: it waits for a check by the operator of the service, and the recipient has nothing yet.
refused: after it, and the money is back.
"""


class Wallet(TypedDict):
    id: str
    currency: Currency | str
    balance: Amount


class WalletList(TypedDict):
    ok: Literal[True]
    environment: Environment | str
    wallets: list[Wallet]


class WebhookAttempt(TypedDict):
    """url: As it was then.
    status: Of its response.
    """

    number: int
    trigger: WebhookAttemptTrigger | str
    url: str
    started_at: str
    duration_ms: int
    outcome: WebhookAttemptOutcome | str
    status: int | None
    retry_after_seconds: int | None
    response_body: str | None
    response_truncated: bool


class WebhookAttemptList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    attempts: list[WebhookAttempt]
    next_cursor: str | None
    has_more: bool


WebhookAttemptOutcome = Literal[
    "delivered",
    "refused",
    "timeout",
    "dns_failed",
    "connection_failed",
    "tls_failed",
    "invalid_response",
    "blocked",
]
"""refused: it answered, and not with 2xx. blocked: its address is not allowed."""


class WebhookAttemptSummary(TypedDict):
    """url: As it was then.
    status: Of its response.
    """

    number: int
    trigger: WebhookAttemptTrigger | str
    url: str
    started_at: str
    duration_ms: int
    outcome: WebhookAttemptOutcome | str
    status: int | None
    retry_after_seconds: int | None


WebhookAttemptTrigger = Literal["automatic", "resend"]


class _WebhookDelivery(TypedDict):
    id: str
    event_id: str
    endpoint_id: str
    type: EventType | str
    status: WebhookDeliveryStatus | str
    attempts: int
    next_attempt_at: str | None
    delivered_at: str | None
    created_at: str


class WebhookDelivery(_WebhookDelivery, total=False):
    """ok: In a response of its own; not in a list or an event.
    attempts: How many were made.
    """

    ok: Literal[True]


class WebhookDeliveryList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    webhook_deliveries: list[WebhookDelivery]
    next_cursor: str | None
    has_more: bool


WebhookDeliveryStatus = Literal["pending", "held", "delivered", "exhausted", "discarded"]
"""pending: will be tried. held: its endpoint is disabled. exhausted: was tried in vain for days.
discarded: its endpoint was deleted.
"""


class WebhookDeliveryWithAttempts(TypedDict):
    """attempts: How many were made.
    last_attempts: Newest first, without the body of the response.
    """

    id: str
    event_id: str
    endpoint_id: str
    type: EventType | str
    status: WebhookDeliveryStatus | str
    attempts: int
    next_attempt_at: str | None
    delivered_at: str | None
    created_at: str
    last_attempts: list[WebhookAttemptSummary]


WebhookDisabledReason = Literal["merchant", "gone", "failing"]
"""gone: it answered 410. failing: nothing arrived for days."""


class _WebhookEndpoint(TypedDict):
    id: str
    url: str
    types: list[EventType | str]
    description: str | None
    max_per_second: int | None
    status: WebhookEndpointStatus | str
    disabled_reason: WebhookDisabledReason | str | None
    consecutive_failures: int
    failing_since: str | None
    last_failure: WebhookFailure | None
    previous_secret_until: str | None
    created_at: str
    updated_at: str


class WebhookEndpoint(_WebhookEndpoint, total=False):
    """ok: In a response of its own; not in a list or an event.
    url: Begins with https:// and leads to a public address.
    types: The event types it receives; those of payments when left out.
    max_per_second: Deliveries a second; no limit when null.
    previous_secret_until: During a rotation: until then the old secret signs too.
    """

    ok: Literal[True]


class WebhookEndpointList(TypedDict):
    """next_cursor: The cursor of the next page; null on the last."""

    ok: Literal[True]
    webhook_endpoints: list[WebhookEndpoint]
    next_cursor: None
    has_more: bool


WebhookEndpointStatus = Literal["enabled", "disabled"]


class WebhookFailure(TypedDict):
    """status: Of the receiver's response."""

    at: str
    outcome: WebhookAttemptOutcome | str
    status: int | None


class WebhookFault(TypedDict):
    """fault: duplicate, swap, bad-signature, or late=S with 1 to 34560000 seconds.
    left: How many attempts it is still for.
    """

    id: str
    fault: str
    times: int
    left: int


class WebhookFaultList(TypedDict):
    ok: Literal[True]
    faults: list[WebhookFault]


class WebhookResend(TypedDict):
    """queued: Deliveries, so far."""

    ok: Literal[True]
    id: str
    endpoint_id: str
    status: WebhookResendStatus | str
    queued: int
    created_at: str
    completed_at: str | None


WebhookResendStatus = Literal["running", "completed"]


class GetIdempotencyKeyParams(TypedDict):
    """What became of a request whose response was lost

    operation: What the request was to do: each has its own keys.
    """

    operation: IdempotentOperation


class ListTransactionsParams(TypedDict, total=False):
    """The history, newest first; all of it as CSV

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    type: Rows of this type only; transfer stands for transfer_in and transfer_out.
    currency: Rows of this wallet only.
    status: Rows with this status only.
    direction: Rows that credit (in) or debit (out) only.
    reference: Rows of this transfer, payment, refund, dispute or adjustment only.
    created_from: An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds
        to 59: 24:00:00 and leap seconds are refused.
    created_to: An ISO 8601 instant or date, as in created_from; rows before it.
    """

    limit: int
    cursor: str
    type: TransactionFilter
    currency: Currency
    status: TransactionStatus
    direction: Direction
    reference: str
    created_from: str
    created_to: str


class ListStatementsParams(TypedDict, total=False):
    """The monthly statements, newest first

    limit: How many rows a page has at most.
    cursor: As next_cursor gives it; the statements after it are listed.
    """

    limit: int
    cursor: str


class ListTransferBatchesParams(TypedDict, total=False):
    """Transfer batches, newest first

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    """

    limit: int
    cursor: str


class ListBatchTransfersParams(TypedDict, total=False):
    """The transfers of a batch, in the order given; all of them as CSV

    status: Items with this status only.
    limit: How many rows a page has at most.
    cursor: As next_cursor gives it; the items after it are listed.
    """

    status: BatchedTransferStatus
    limit: int
    cursor: int


class ListPaymentIntentsParams(TypedDict, total=False):
    """Payment links, newest first

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    status: Links with this status only.
    currency: Links in this currency only.
    reference: The link with this reference, TRX-….
    customer_email: Links for this e-mail address only, however it is written.
    created_from: An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds
        to 59: 24:00:00 and leap seconds are refused.
    created_to: An ISO 8601 instant or date, as in created_from; rows before it.
    """

    limit: int
    cursor: str
    status: PaymentIntentStatus
    currency: Currency
    reference: str
    customer_email: str
    created_from: str
    created_to: str


class ListPaymentIntentRefundsParams(TypedDict, total=False):
    """The refunds of a payment, newest first

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    status: pending: the gateway has not finished it. One that succeeded may fail weeks later,
        when the bank of the customer sends the money back.
    """

    limit: int
    cursor: str
    status: RefundStatus


class ListPaymentMethodsParams(TypedDict, total=False):
    """The operators through which customers pay by phone

    currency: Operators that take this currency only.
    country: Operators of this country only.
    """

    currency: Currency
    country: str


class ListPaymentLinksParams(TypedDict, total=False):
    """Reusable links, newest first

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    status: Links with this status only.
    """

    limit: int
    cursor: str
    status: PaymentLinkStatus


class ListLinkPaymentsParams(TypedDict, total=False):
    """The payments of a reusable link, newest first; all of them as CSV

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    """

    limit: int
    cursor: str


class ListRefundsParams(TypedDict, total=False):
    """Refunds, newest first

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    status: pending: the gateway has not finished it. One that succeeded may fail weeks later,
        when the bank of the customer sends the money back.
    currency: Refunds in this currency only.
    payment_intent_id: Of this payment link only.
    created_from: An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds
        to 59: 24:00:00 and leap seconds are refused.
    created_to: An ISO 8601 instant or date, as in created_from; rows before it.
    """

    limit: int
    cursor: str
    status: RefundStatus
    currency: Currency
    payment_intent_id: str
    created_from: str
    created_to: str


class ListDisputesParams(TypedDict, total=False):
    """Disputes, newest first

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    status: open: the customer's bank has not decided. One that is lost may still be won, by
        an appeal.
    currency: Disputes in this currency only.
    payment_intent_id: Disputes of this payment link only.
    created_from: An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds
        to 59: 24:00:00 and leap seconds are refused.
    created_to: An ISO 8601 instant or date, as in created_from; rows before it.
    """

    limit: int
    cursor: str
    status: DisputeStatus
    currency: Currency
    payment_intent_id: str
    created_from: str
    created_to: str


class ListPayoutsParams(TypedDict, total=False):
    """Payouts, newest first

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    status: succeeded never becomes failed: money that comes back later makes it returned, and
        before that returned_amount grows.
    currency: Payouts in this currency only.
    reference: The payout with this reference.
    batch_id: Payouts of this batch only.
    created_from: An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds
        to 59: 24:00:00 and leap seconds are refused.
    created_to: An ISO 8601 instant or date, as in created_from; rows before it.
    """

    limit: int
    cursor: str
    status: PayoutStatus
    currency: Currency
    reference: str
    batch_id: str
    created_from: str
    created_to: str


class ListPayoutBatchesParams(TypedDict, total=False):
    """Payout batches, newest first

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    """

    limit: int
    cursor: str


class ListBatchPayoutsParams(TypedDict, total=False):
    """The payouts of a batch, in the order given; all of them as CSV

    status: Items with this status only.
    limit: How many rows a page has at most.
    cursor: As next_cursor gives it; the items after it are listed.
    """

    status: BatchedItemStatus
    limit: int
    cursor: int


class _PreviewFeeParams(TypedDict):
    kind: FeeKind
    currency: Currency
    amount: str


class PreviewFeeParams(_PreviewFeeParams, total=False):
    """The fee of a movement before it is ordered

    kind: The movement that is to be charged.
    currency: The currency of the amount.
    amount: The amount of the order.
    method: The word of an operator, such as `orange_sn`, or `card` or `bank`; not for
        transfers.
    to_username: The recipient of a transfer, whose own fee comes first.
    """

    method: str
    to_username: str


class ListFeeInvoicesParams(TypedDict, total=False):
    """Invoices of fees, newest first

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    """

    limit: int
    cursor: str


class ListEventsParams(TypedDict, total=False):
    """Events as they were delivered, in the order in which they happened

    limit: How many rows a page has at most.
    after: A sequence, as next_cursor gives it; events after it are listed. `latest` lists the
        newest one, to go on from there.
    type: Events of this type only.
    """

    limit: int
    after: str
    type: EventType


class ListWebhookDeliveriesParams(TypedDict, total=False):
    """Deliveries, newest first

    limit: How many rows a page has at most.
    cursor: next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One
        with fewer digits than next_cursor is refused where it may stand for several rows.
    endpoint_id: Deliveries to this endpoint only.
    event_id: Deliveries of this event only.
    status: Deliveries with this status only.
    type: Deliveries of this type of event only.
    created_from: An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds
        to 59: 24:00:00 and leap seconds are refused.
    created_to: An ISO 8601 instant or date, as in created_from; rows before it.
    """

    limit: int
    cursor: str
    endpoint_id: str
    event_id: str
    status: WebhookDeliveryStatus
    type: EventType
    created_from: str
    created_to: str


class ListWebhookAttemptsParams(TypedDict, total=False):
    """Every attempt at a delivery with what was answered, newest first

    limit: How many rows a page has at most.
    cursor: An attempt's number, as next_cursor gives it; those before it are listed.
    """

    limit: int
    cursor: str


class __EventFields(TypedDict):
    id: str
    api_version: Literal["v1"]
    created_at: str
    environment: Environment | str
    sequence: int


class _EventFields(__EventFields, total=False):
    """sequence: Without gaps per account and environment; 0 for a test event.
    test: On test events only.
    """

    test: Literal[True]


class PaymentSucceededEvent(_EventFields):
    """A payment link was paid"""

    type: Literal["payment.succeeded"]
    data: PaymentIntent


class PaymentFailedEvent(_EventFields):
    """A payment failed for good"""

    type: Literal["payment.failed"]
    data: PaymentIntent


class PaymentHeldEvent(_EventFields):
    """A payment is being checked"""

    type: Literal["payment.held"]
    data: PaymentIntent


class PaymentExpiredEvent(_EventFields):
    """A payment link expired unpaid"""

    type: Literal["payment.expired"]
    data: PaymentIntent


class RefundSucceededEvent(_EventFields):
    """A refund was made"""

    type: Literal["refund.succeeded"]
    data: Refund


class RefundFailedEvent(_EventFields):
    """A refund failed"""

    type: Literal["refund.failed"]
    data: Refund


class DisputeOpenedEvent(_EventFields):
    """A payment is disputed"""

    type: Literal["dispute.opened"]
    data: Dispute


class DisputeWonEvent(_EventFields):
    """A dispute was won"""

    type: Literal["dispute.won"]
    data: Dispute


class DisputeLostEvent(_EventFields):
    """A dispute was lost"""

    type: Literal["dispute.lost"]
    data: Dispute


class TransferReceivedEvent(_EventFields):
    """A transfer came in"""

    type: Literal["transfer.received"]
    data: Transfer


class TransferSentEvent(_EventFields):
    """A transfer was carried out"""

    type: Literal["transfer.sent"]
    data: Transfer


class TransferHeldEvent(_EventFields):
    """A transfer is being checked"""

    type: Literal["transfer.held"]
    data: Transfer


class TransferRefusedEvent(_EventFields):
    """A transfer that was held is refused"""

    type: Literal["transfer.refused"]
    data: Transfer


class PayoutHeldEvent(_EventFields):
    """A payout is being checked"""

    type: Literal["payout.held"]
    data: Payout


class PayoutRequiresActionEvent(_EventFields):
    """A payout waits for a person"""

    type: Literal["payout.requires_action"]
    data: Payout


class PayoutSentEvent(_EventFields):
    """A payout is on its way"""

    type: Literal["payout.sent"]
    data: Payout


class PayoutSucceededEvent(_EventFields):
    """A payout was paid"""

    type: Literal["payout.succeeded"]
    data: Payout


class PayoutFailedEvent(_EventFields):
    """A payout failed"""

    type: Literal["payout.failed"]
    data: Payout


class PayoutReturnedEvent(_EventFields):
    """A payout came back"""

    type: Literal["payout.returned"]
    data: Payout


WebhookEvent: TypeAlias = (
    "PaymentSucceededEvent "
    "| PaymentFailedEvent "
    "| PaymentHeldEvent "
    "| PaymentExpiredEvent "
    "| RefundSucceededEvent "
    "| RefundFailedEvent "
    "| DisputeOpenedEvent "
    "| DisputeWonEvent "
    "| DisputeLostEvent "
    "| TransferReceivedEvent "
    "| TransferSentEvent "
    "| TransferHeldEvent "
    "| TransferRefusedEvent "
    "| PayoutHeldEvent "
    "| PayoutRequiresActionEvent "
    "| PayoutSentEvent "
    "| PayoutSucceededEvent "
    "| PayoutFailedEvent "
    "| PayoutReturnedEvent"
)
"""An event with the data of its type. Types that there are not yet come too."""
