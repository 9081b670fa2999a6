# Written by npm run clients from api/openapi.json.

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, TypeAlias, TypedDict


Amount: TypeAlias = Decimal
"""An exact decimal with at least two decimals, such as `Decimal("5000.00")`."""


AmountLike: TypeAlias = "str | Decimal"
"""A decimal text, such as "5000" or "49.90", or a Decimal: never a float."""


class AdvanceSandboxClockRequest(TypedDict, total=False):
    seconds: int
    """How far the clock is moved."""
    to: str
    """An ISO 8601 instant of the account's clock, not before its `now`."""
    to_next: Literal[True]
    """To what is due next. With nothing waiting nothing moves."""


class ApiKey(TypedDict):
    id: str
    name: str
    scopes: list[Scope | str]
    """What the key may do; each operation names the one that it needs."""
    expires_at: str | None
    """From then on it is refused; null: never."""
    daily_limit: DailyLimit | None
    """What may leave the account by this key in 24 hours. A currency that is left out has no
    limit; null: none has.
    """


class AttemptFailure(TypedDict):
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
    """The provider’s own code for it."""


class _BankDestination(TypedDict):
    type: Literal["bank"]
    account: str
    """An IBAN or the number of the account."""
    name: str
    """The holder of the account."""


class BankDestination(_BankDestination, total=False):
    bank_code: str


BatchedItemStatus = Literal["pending", "completed", "failed"]


class BatchedPayout(TypedDict):
    index: int
    """Its place in the order, from 0."""
    destination: PayoutDestination
    currency: Currency | str
    amount: Amount
    status: BatchedItemStatus | str
    """Items with this status only."""
    reference: str | None
    """The reference of the payout, once it was ordered."""
    error: BatchedPayoutError | None


class BatchedPayoutError(TypedDict):
    code: str
    """The code of the payout’s failure, or that with which POST /payouts refuses it; canceled
    when it was stopped before it was sent, excluded when it was left out.
    """
    message: str


class BatchedPayoutList(TypedDict):
    ok: Literal[True]
    payouts: list[BatchedPayout]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
    has_more: bool


class BatchedTransfer(TypedDict):
    index: int
    """Its place in the order, from 0."""
    to_username: str
    currency: Currency | str
    amount: Amount
    status: BatchedItemStatus | str
    reference: str | None
    """The reference of the transfer, once it is completed."""
    error: BatchedTransferError | None
    idempotency_key: str | None
    description: str | None
    simulated: bool
    replayed: bool
    """Its key had been answered before; nothing was done for it here."""


class BatchedTransferError(TypedDict):
    code: ErrorCode | str
    message: str


class BatchedTransferList(TypedDict):
    ok: Literal[True]
    transfers: list[BatchedTransfer]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
    has_more: bool


class ChangePaymentLinkRequest(TypedDict, total=False):
    title: str
    """What is paid for, as customers read it."""
    description: str | None
    """Shown below the title."""
    active: bool
    """False: the link takes no payment until it is true."""
    active_until: str | None
    """An ISO 8601 instant or date, later than now."""
    max_payments: int | None
    """How many customers may pay. A payment that is under way counts until it ends without
    success.
    """
    return_url: str | None
    """Where the pay page leads after a success: https, without user info. payment_intent,
    reference and status are added to its query. They prove nothing: ask the API, or wait for
    the webhook.
    """
    metadata: Metadata
    """In place of what it has."""


class ChangeWebhookEndpointRequest(TypedDict, total=False):
    url: str
    """Begins with https:// and leads to a public address."""
    types: list[EventType]
    """The event types it receives; those of payments when left out."""
    description: str | None
    max_per_second: int | None
    """Deliveries a second; no limit when null."""
    status: WebhookEndpointStatus
    """Enabling sends what was held while it was disabled."""


class _CheckPayoutDestinationRequest(TypedDict):
    currency: Currency
    destination: PayoutDestinationFields


class CheckPayoutDestinationRequest(_CheckPayoutDestinationRequest, total=False):
    amount: AmountLike
    """A plain decimal with at most two decimals; whole for XOF."""
    name: str
    """The recipient’s name, to be compared with the one that the operator has. Of a bank account
    it is the holder’s, and may be left out.
    """


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
    exclude: list[PayoutBatchCheck]
    """Payouts of which this was found are not sent: they fail with `excluded`."""


class _CreatePaymentAttemptRequest(TypedDict):
    operator: str
    """An operator of GET /payment-methods."""
    phone: str
    """The phone that pays, with the code of its country."""


class CreatePaymentAttemptRequest(_CreatePaymentAttemptRequest, total=False):
    otp: str
    """The customer’s one-time code, where the step is otp. Without it the attempt waits for the
    code.
    """


class _CreatePaymentIntentRequest(TypedDict):
    amount: AmountLike
    """A plain decimal with at most two decimals; whole for XOF."""
    currency: Currency


class CreatePaymentIntentRequest(_CreatePaymentIntentRequest, total=False):
    country: str
    """ISO 3166-1 alpha-2; the United Kingdom is GB."""
    description: str
    """Shown on the pay page."""
    customer_email: str
    """Stored and given back in lower case, the domain as DNS has it (xn--…); a dot in the
    domain.
    """
    customer_phone: str
    """In international format (E.164), with spaces, dots, hyphens and brackets as you like."""
    metadata: Metadata
    """Given back with the same names and values, perhaps in another order. Numbers have at most
    15 digits and no exponent.
    """
    return_url: str
    """Where the pay page leads after a success: https, without user info. payment_intent,
    reference and status are added to its query. They prove nothing: ask the API, or wait for
    the webhook.
    """
    cancel_url: str
    """Where it leads a customer who gives up; the same is added. The payment intent stays open."""
    expires_in: int
    """Seconds; at least 900 with a live key. When left out: 86400."""


class _CreatePaymentLinkRequest(TypedDict):
    title: str
    """What is paid for, as customers read it."""
    currency: Currency


class CreatePaymentLinkRequest(_CreatePaymentLinkRequest, total=False):
    amount: AmountLike
    """The price of one; or send open_amount."""
    open_amount: OpenAmountRequest
    quantity: QuantityRange
    max_payments: int
    """How many customers may pay. A payment that is under way counts until it ends without
    success.
    """
    active_until: str
    """An ISO 8601 instant or date, later than now."""
    collect: list[CollectedFieldRequest]
    """What customers are asked for."""
    description: str
    """Shown below the title."""
    return_url: str
    """Where the pay page leads after a success: https, without user info. payment_intent,
    reference and status are added to its query. They prove nothing: ask the API, or wait for
    the webhook.
    """
    metadata: Metadata
    """Given to each payment of the link."""


class _CreatePayoutBatchRequest(TypedDict):
    payouts: list[PayoutOrder]


class CreatePayoutBatchRequest(_CreatePayoutBatchRequest, total=False):
    confirm: bool
    """True: the batch waits in requires_confirmation once its destinations were looked at. When
    left out: false.
    """
    dry_run: bool
    """Only tells what would become of each payout. When left out: false."""


class _CreatePayoutRequest(TypedDict):
    currency: Currency
    amount: AmountLike
    """What the recipient gets; the fee comes on top. A plain decimal with at most two decimals;
    whole for XOF.
    """
    destination: PayoutDestinationFields


class CreatePayoutRequest(_CreatePayoutRequest, total=False):
    name: str
    """The recipient’s name, to be compared with the one that the operator has. Of a bank account
    it is the holder’s, and may be left out.
    """
    name_check: NameCheck
    confirm: bool
    """True: the payout waits in requires_confirmation with the name that was found, until you
    confirm it. When left out: false.
    """
    when_closed: Literal["queue", "refuse"]
    """What happens when the operator takes no payouts now. When left out: "queue"."""
    expires_in: int
    """Seconds that the payout may wait for the operator; then it is canceled, and the money is
    back. A day when left out.
    """
    description: str
    """The recipient sees it if the operator can show it."""
    metadata: Metadata
    """Given back with the same names and values, perhaps in another order. Numbers have at most
    15 digits and no exponent.
    """


class CreateRefundRequest(TypedDict, total=False):
    amount: AmountLike
    """A plain decimal with at most two decimals; whole for XOF. All that is left of the payment
    when left out.
    """
    reason: str
    """For your own records: shown in your history, and not to the customer."""
    metadata: Metadata
    """Given back with the same names and values, perhaps in another order. Numbers have at most
    15 digits and no exponent.
    """


class CreateReversalRequest(TypedDict, total=False):
    amount: AmountLike
    """A plain decimal with at most two decimals; whole for XOF. All that is left of the transfer
    when left out.
    """
    reason: str
    """Shown in the history of both sides."""


class _CreateSandboxFaultRequest(TypedDict):
    operation: str
    """The method and the path as this document has them."""
    fault: str
    """As in the header Sandbox-Fault: lost-response, unavailable, unavailable-after,
    rate-limited, in-progress, gateway-down, gateway-unknown, slow=MS or slow-after=MS with 0
    to 60000 milliseconds.
    """


class CreateSandboxFaultRequest(_CreateSandboxFaultRequest, total=False):
    times: int
    """How many requests it is for. When left out: 1."""


class _CreateTransferBatchRequest(TypedDict):
    transfers: list[TransferOrder]


class CreateTransferBatchRequest(_CreateTransferBatchRequest, total=False):
    mode: TransferBatchMode
    """atomic: all of them or none, and at most 500. When left out: "independent"."""
    dry_run: bool
    """Only tells what would become of each transfer. When left out: false."""


class _CreateTransferRequest(TypedDict):
    to_username: str
    """The recipient's username; capitals do not matter."""
    currency: Currency
    amount: AmountLike
    """A plain decimal with at most two decimals; whole for XOF."""


class CreateTransferRequest(_CreateTransferRequest, total=False):
    description: str
    """For both of you: the recipient sees it too."""
    metadata: Metadata
    """For you alone. Given back with the same names and values, perhaps in another order.
    Numbers have at most 15 digits and no exponent.
    """


class _CreateWebhookEndpointRequest(TypedDict):
    url: str
    """Begins with https:// and leads to a public address."""


class CreateWebhookEndpointRequest(_CreateWebhookEndpointRequest, total=False):
    types: list[EventType]
    """The event types it receives; those of payments when left out."""
    description: str | None
    max_per_second: int | None
    """Deliveries a second; no limit when null."""


class _CreateWebhookFaultRequest(TypedDict):
    fault: str
    """duplicate, swap, bad-signature, or late=S with 1 to 34560000 seconds."""


class CreateWebhookFaultRequest(_CreateWebhookFaultRequest, total=False):
    times: int
    """How many attempts it is for. When left out: 1."""


class CreatedTransfer(TypedDict):
    ok: Literal[True]
    reference: str
    status: TransferStatus | str
    environment: Environment | str
    to_username: str
    currency: Currency | str
    amount: Amount
    simulated: bool
    """With a test key: nothing was moved."""
    description: str | None
    """What its sender wrote for both of them."""
    metadata: Metadata


class CreatedWebhookEndpoint(TypedDict):
    ok: Literal[True]
    id: str
    url: str
    """Begins with https:// and leads to a public address."""
    types: list[EventType | str]
    """The event types it receives; those of payments when left out."""
    description: str | None
    max_per_second: int | None
    """Deliveries a second; no limit when null."""
    status: WebhookEndpointStatus | str
    disabled_reason: WebhookDisabledReason | str | None
    consecutive_failures: int
    failing_since: str | None
    last_failure: WebhookFailure | None
    previous_secret_until: str | None
    """During a rotation: until then the old secret signs too."""
    created_at: str
    updated_at: str
    secret: str
    """Shown this once."""


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
    """False when the operator says that it would not be paid."""
    operator: str | None
    country: str | None
    name_found: str | None
    """Masked (A** D***) unless it matches."""
    name_match: NameMatch | str | None
    bounds: PayoutBounds
    fee: Amount | None
    state: OperatorState | str


class DestinationCheck(_DestinationCheck, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


Direction = Literal["in", "out"]
"""Whether the money came to the key's owner or left."""


class _Dispute(TypedDict):
    id: str
    reference: str
    """Its rows in GET /transactions have it too."""
    payment_intent_id: str
    amount: Amount
    """What the customer claims: the payment, or a part of it."""
    currency: Currency | str
    fee: Amount
    """What the gateway charged for it; 0 unless it was lost."""
    status: DisputeStatus | str
    reason: str
    """The gateway's word for what the customer says, such as `fraudulent`."""
    evidence_due_by: str | None
    """Until then the bank takes evidence; null when it takes none."""
    owed_amount: Amount
    """What the wallet lacked so far: it is taken from what arrives next."""
    environment: Environment | str
    created_at: str
    closed_at: str | None


class Dispute(_Dispute, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


class DisputeList(TypedDict):
    ok: Literal[True]
    disputes: list[Dispute]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
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
    """For people; it may change."""
    doc_url: str
    """What the code means and what to do."""
    request_id: str
    """As in the header X-Request-Id."""
    retryable: bool
    """The same request, with the same Idempotency-Key, may succeed later."""


class ErrorInfo(_ErrorInfo, total=False):
    param: str
    """The field at fault."""
    details: list[ErrorDetail] | dict[str, Any]
    """Every fault, when several fields are at fault. An object of figures where a limit was
    reached.
    """


class _Event(TypedDict):
    id: str
    type: EventType | str
    api_version: Literal["v1"]
    created_at: str
    environment: Environment | str
    sequence: int
    """Without gaps per account and environment; 0 for a test event."""
    data: PaymentIntent | Refund | Dispute | Transfer | Payout
    """The payment intent of `payment.…`, the refund of `refund.…`, the dispute of `dispute.…`,
    the transfer of `transfer.…`, the payout of `payout.…`, as GET answered it at that moment.
    """


class Event(_Event, total=False):
    test: Literal[True]
    """On test events only."""


class EventList(TypedDict):
    ok: Literal[True]
    events: list[Event]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
    has_more: bool


EventType = Literal[
    "payment.succeeded",
    "payment.failed",
    "payment.expired",
    "refund.succeeded",
    "refund.failed",
    "dispute.opened",
    "dispute.won",
    "dispute.lost",
    "transfer.received",
    "transfer.sent",
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
    """Without gaps per account and environment; 0 for a test event."""
    data: PaymentIntent | Refund | Dispute | Transfer | Payout
    """The payment intent of `payment.…`, the refund of `refund.…`, the dispute of `dispute.…`,
    the transfer of `transfer.…`, the payout of `payout.…`, as GET answered it at that moment.
    """
    deliveries: list[WebhookDeliveryWithAttempts]


class EventWithDeliveries(_EventWithDeliveries, total=False):
    test: Literal[True]
    """On test events only."""


class FundLimits(TypedDict):
    maximum: Amount
    """Of one call."""
    a_day: int
    """Calls in 24 hours."""


class FundSandboxWalletRequest(TypedDict):
    currency: Currency
    amount: AmountLike
    """A plain decimal with at most two decimals; whole for XOF."""


class GivePaymentOtpRequest(TypedDict):
    otp: str
    """The customer’s one-time code, where the step is otp."""


class GivenApproval(TypedDict):
    by: str
    at: str


class Health(TypedDict):
    ok: Literal[True]
    service: str
    version: Literal["v1"]
    time: str


class IdempotencyKey(TypedDict):
    ok: Literal[True]
    key: str
    operation: IdempotentOperation | str
    state: IdempotencyKeyState | str
    http_status: int | None
    """Of the response."""
    response: dict[str, Any] | None
    """The response, as a repetition of the request would get it."""
    reference: str | None
    """Of what the request made: a reference, or the id of a batch."""
    request_id: str
    """The first request's."""
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


class KeyOwner(TypedDict):
    ok: Literal[True]
    environment: Environment | str
    key: ApiKey
    profile: Profile


KycStatus = Literal["not_started", "pending", "approved", "rejected", "expired"]
"""The identity check: live keys work once it is approved."""


Metadata: TypeAlias = "dict[str, str | float | bool | None]"
"""What was given."""


NameCheck = Literal["off", "warn", "require"]
"""warn: the result is shown. require: nothing is sent unless the name matches. off: the name is
not compared. When left out: "warn".
"""


NameMatch = Literal["match", "close", "no_match", "unavailable"]
"""close: a part is missing or two letters differ. unavailable: the operator does not tell."""


class NextStep(TypedDict):
    """What the customer has to do now; null once it has ended, and while the operator has not
    answered.
    """

    kind: PaymentStep | str
    expires_at: str
    """Until when the operator waits."""
    code: str | None
    """What to dial, for dial and otp."""
    url: str | None
    """The operator’s page, for redirect."""
    instructions: StepInstructions


class OpenAmount(TypedDict):
    minimum: Amount | None
    maximum: Amount | None
    suggestions: list[Amount]


class OpenAmountRequest(TypedDict, total=False):
    """The customer chooses the amount, within these bounds."""

    minimum: AmountLike
    """A plain decimal with at most two decimals; whole for XOF."""
    maximum: AmountLike
    """A plain decimal with at most two decimals; whole for XOF."""
    suggestions: list[AmountLike]


OperatorState = Literal["open", "delayed", "closed"]
"""closed: payouts wait until it opens."""


class OrderedSandboxFault(TypedDict):
    ok: Literal[True]
    id: str
    operation: str
    """The method and the path as this document has them."""
    fault: str
    """As in the header Sandbox-Fault: lost-response, unavailable, unavailable-after,
    rate-limited, in-progress, gateway-down, gateway-unknown, slow=MS or slow-after=MS with 0
    to 60000 milliseconds.
    """
    times: int
    left: int
    """How many requests it is still for."""


class OrderedWebhookFault(TypedDict):
    ok: Literal[True]
    id: str
    fault: str
    """duplicate, swap, bad-signature, or late=S with 1 to 34560000 seconds."""
    times: int
    left: int
    """How many attempts it is still for."""


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
    """When a waiting attempt is given up."""
    ended_at: str | None


class PaymentAttempt(_PaymentAttempt, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


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
    """The gateway's page."""
    pay_url: str
    """The link to give to the customer."""
    environment: Environment | str
    country: str | None
    description: str | None
    customer_email: str | None
    customer_phone: str | None
    metadata: Metadata
    """What was given on creation."""
    return_url: str | None
    cancel_url: str | None
    fee: Amount
    net_amount: Amount
    amount_received: Amount | None
    """What has arrived for it in its currency, also what an operator has yet to decide about;
    null until something has. Refunds are not subtracted.
    """
    refunded_amount: Amount | None
    """What was given back, pending refunds included; null before the payment."""
    last_payment_error: PaymentError | None
    transaction_id: str | None
    """Of the payment in GET /transactions, once it is paid."""
    created_at: str
    updated_at: str
    expires_at: str
    succeeded_at: str | None
    failed_at: str | None
    expired_at: str | None
    canceled_at: str | None
    payment_link_id: str | None
    """The reusable link that the customer paid by; null for any other payment intent."""
    quantity: int | None
    """How many the customer pays by a reusable link; null without one."""
    collected: Collected | None


class PaymentIntent(_PaymentIntent, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


class PaymentIntentList(TypedDict):
    ok: Literal[True]
    payment_intents: list[PaymentIntent]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
    has_more: bool


PaymentIntentStatus = Literal["open", "processing", "succeeded", "failed", "expired", "canceled"]


class PaymentIntentTimeline(TypedDict):
    ok: Literal[True]
    timeline: list[TimelineEntry]


class _PaymentLink(TypedDict):
    id: str
    code: str
    url: str
    """The page to give to customers."""
    qr_url: str
    """Its QR code as an SVG picture; needs no key."""
    status: PaymentLinkStatus | str
    title: str
    currency: Currency | str
    amount: Amount | None
    """The price of one; null with open_amount."""
    open_amount: OpenAmount | None
    quantity: Quantity | None
    max_payments: int | None
    active_until: str | None
    collect: list[CollectedField]
    description: str | None
    return_url: str | None
    metadata: Metadata
    payments: int
    """How many have succeeded."""
    paid_amount: Amount
    """The sum of those. Refunds are not subtracted."""
    environment: Environment | str
    created_at: str
    updated_at: str


class PaymentLink(_PaymentLink, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


class PaymentLinkList(TypedDict):
    ok: Literal[True]
    payment_links: list[PaymentLink]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
    has_more: bool


PaymentLinkStatus = Literal["active", "inactive", "sold_out", "expired"]
"""sold_out: each of max_payments is paid or under way; one that ends without success is free
again.
"""


class PaymentMethod(TypedDict):
    operator: str
    """Such as orange_ci."""
    name: str
    """As customers know it."""
    country: str
    currency: Currency | str
    prefixes: list[str]
    """How its numbers begin; empty when it has no numbers of its own."""
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
    """Its rows in GET /transactions have it too."""
    status: PayoutStatus | str
    stage: PayoutStage | str | None
    conclusive: bool
    """True in succeeded, failed, canceled and returned: nothing is under way."""
    currency: Currency | str
    amount: Amount
    """What the recipient gets."""
    fee: Amount
    total: Amount
    """amount + fee: what leaves the wallet."""
    destination: PayoutDestination
    provider: PayoutProvider
    failure: PayoutFailure | None
    returned_amount: Amount
    """What came back after it had succeeded."""
    approval: PayoutApproval | None
    batch_id: str | None
    description: str | None
    metadata: Metadata
    """What was given on creation."""
    environment: Environment | str
    created_at: str
    updated_at: str
    sent_at: str | None
    completed_at: str | None
    expires_at: str | None


class Payout(_Payout, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


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
    """How many payouts it has. completed and failed say how many have ended so far."""
    completed: int
    failed: int
    checks: PayoutBatchChecks
    approval: PayoutApproval | None
    created_at: str
    finished_at: str | None
    expires_at: str | None


class PayoutBatch(_PayoutBatch, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


PayoutBatchCheck = Literal["match", "close", "no_match", "unavailable", "unreachable"]


class PayoutBatchChecks(TypedDict):
    """What was found of its destinations so far."""

    match: int
    close: int
    no_match: int
    unavailable: int
    """No name was given, or the operator tells none."""
    unreachable: int
    """The operator says that it would not pay them."""


class PayoutBatchList(TypedDict):
    ok: Literal[True]
    payout_batches: list[PayoutBatch]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
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
    type: Literal["mobile_money", "bank"] | str
    phone: str | None
    operator: str | None
    account: str | None
    """The last four characters."""
    bank_code: str | None
    name: str | None
    name_found: str | None
    """Masked (A** D***) unless it matches."""
    name_match: NameMatch | str | None


PayoutDestinationFields: TypeAlias = "PhoneDestination | BankDestination"
"""A phone with an account at a mobile money operator, or a bank account."""


class PayoutFailure(TypedDict):
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
        "unspecified",
    ] | str
    message: str
    provider_code: str | None
    """The provider’s own code for it."""


class PayoutList(TypedDict):
    ok: Literal[True]
    payouts: list[Payout]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
    has_more: bool


class _PayoutOrder(TypedDict):
    destination: PayoutDestinationFields
    currency: Currency
    amount: AmountLike
    """What the recipient gets; the fee comes on top. A plain decimal with at most two decimals;
    whole for XOF.
    """


class PayoutOrder(_PayoutOrder, total=False):
    name: str
    """The recipient’s name, to be compared with the one that the operator has. Of a bank account
    it is the holder’s, and may be left out.
    """
    description: str
    """The recipient sees it if the operator can show it."""


class PayoutProvider(TypedDict):
    name: str
    payment_id: str | None


PayoutStage = Literal["queued", "sent", "unknown"]
"""While it is pending. queued: the operator was not asked yet, or has it waiting; it can be
canceled. unknown: it was asked and has not answered; it is asked what became of it until it
does.
"""


PayoutStatus = Literal[
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
    """With the country code, such as +221 77 123 45 67."""


class PhoneDestination(_PhoneDestination, total=False):
    operator: str
    """Such as orange_sn; found from the phone when left out."""


class Profile(TypedDict):
    id: str
    username: str
    email: str
    first_name: str
    last_name: str
    display_name: str | None
    """What customers see; null: the name above."""
    contact: str | None
    """How customers reach the merchant."""
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
    """Of its rows in GET /transactions."""
    payment_intent_id: str
    amount: Amount
    currency: Currency | str
    status: RefundStatus | str
    environment: Environment | str
    reason: str | None
    metadata: Metadata
    """What was given on creation."""
    failure: RefundFailure | None
    created_at: str
    updated_at: str


class Refund(_Refund, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


class RefundFailure(TypedDict):
    """Why it failed; the money is in the wallet again."""

    code: Literal["refund_refused", "refund_failed"] | str
    """refund_refused: the gateway made no refund. refund_failed: it made one, and that failed."""
    message: str
    """In the words of the gateway, or of the operator who has ended it."""


class RefundList(TypedDict):
    ok: Literal[True]
    refunds: list[Refund]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
    has_more: bool


RefundStatus = Literal["pending", "succeeded", "failed"]
"""pending: the gateway has not finished it. One that succeeded may fail weeks later, when the
bank of the customer sends the money back.
"""


class RejectPayoutBatchRequest(TypedDict, total=False):
    reason: str
    """Shown in the timeline."""


class RejectPayoutRequest(TypedDict, total=False):
    reason: str
    """Shown in the timeline."""


class ResendEventRequest(TypedDict, total=False):
    endpoint_id: str
    """To this endpoint alone, also when it never had the event. Otherwise to all that have it
    and are enabled.
    """


class ResendWebhooksRequest(TypedDict, total=False):
    status: ResentStatus | list[ResentStatus]
    """One or several; all but delivered when left out."""
    type: EventType
    """Deliveries of this type of event; all when left out."""
    created_from: str
    """An ISO 8601 instant or date; deliveries created at it or later."""
    created_to: str
    """An ISO 8601 instant or date; deliveries created before it, and before now."""


class ResentEvent(TypedDict):
    ok: Literal[True]
    deliveries: list[WebhookDelivery]


ResentStatus = Literal["pending", "held", "delivered", "exhausted"]


class Reversal(TypedDict):
    ok: Literal[True]
    reference: str
    """Of its rows in GET /transactions, on both sides."""
    transfer_reference: str
    amount: Amount
    currency: Currency | str
    reason: str | None
    environment: Environment | str
    simulated: bool
    """With a test key: nothing was moved."""
    created_at: str


class RotateWebhookSecretRequest(TypedDict, total=False):
    overlap_seconds: int
    """How long x-service-signature stays with the old secret, with the new one in
    x-service-signature-next. webhook-signature has both. When left out: 86400.
    """


class RotatedWebhookSecret(TypedDict):
    ok: Literal[True]
    id: str
    secret: str
    """Shown this once."""
    previous_secret_until: str | None
    """During a rotation: until then the old secret signs too."""


class SandboxClock(TypedDict):
    ok: Literal[True]
    now: str
    """The account's clock."""
    offset_seconds: int
    """How many seconds the clock is ahead of the time."""
    next_due_at: str | None
    """Of the first in `waiting`; null with none."""
    waiting: list[SandboxWaiting]
    """What waits, the first 100 by when it is due, by this clock."""


class SandboxClockMove(TypedDict):
    ok: Literal[True]
    now: str
    """The account's clock."""
    offset_seconds: int
    """How many seconds the clock is ahead of the time."""
    moved: SandboxMoved
    settled: bool
    """True when all that became due is done, with its webhooks. False after ten seconds: it goes
    on, ask again.
    """


class SandboxFault(TypedDict):
    id: str
    operation: str
    """The method and the path as this document has them."""
    fault: str
    """As in the header Sandbox-Fault: lost-response, unavailable, unavailable-after,
    rate-limited, in-progress, gateway-down, gateway-unknown, slow=MS or slow-after=MS with 0
    to 60000 milliseconds.
    """
    times: int
    left: int
    """How many requests it is still for."""


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
    type: EventType
    """When left out: "payment.succeeded"."""


class SentTestEvent(TypedDict):
    ok: Literal[True]
    event_id: str
    delivery_id: str


class ServiceStatus(TypedDict):
    ok: Literal[True]
    status: ComponentStatus | str
    components: Components


class Statement(TypedDict):
    ok: Literal[True]
    currency: Currency | str
    month: str
    """A year and a month, of UTC."""
    is_closed: bool
    """Nothing enters the month any more: the statement stays as it is, byte for byte."""
    opening: Amount
    """What the wallet held when the month began."""
    generated_at: str
    """When it was read; of a closed month, the end of the month."""
    transactions: list[Transaction]
    """What moved the wallet, oldest first. The wallet gains the net amount of what comes in, and
    loses the amount of what goes out.
    """
    closing: Amount
    """What it held when the month ended; of the running month, now."""
    totals: list[StatementTotal]
    """The transactions by type and direction."""


class StatementRow(TypedDict):
    currency: Currency | str
    month: str
    """A year and a month, of UTC."""
    opening: Amount
    """What the wallet held when the month began."""
    closing: Amount
    """What it held when the month ended; of the running month, now."""
    is_closed: bool
    """Nothing enters the month any more: the statement stays as it is, byte for byte."""


class StatementRowList(TypedDict):
    ok: Literal[True]
    statements: list[StatementRow]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
    has_more: bool


class StatementTotal(TypedDict):
    type: TransactionType | str
    direction: Direction | str
    count: int
    amount: Amount
    fee: Amount


class StepInstructions(TypedDict):
    fr: list[str]
    en: list[str]


class TestButton(TypedDict):
    action: str
    meaning: str


class TestPhone(TypedDict):
    digits: str
    outcome: str
    meaning: str


class TestValues(TypedDict):
    ok: Literal[True]
    phones: list[TestPhone]
    """When money is sent to it, by the last three digits of a phone or a bank account; any other
    is paid.
    """
    paying_phones: list[TestPhone]
    """When a customer pays with it, by the last three digits of the phone; any other pays."""
    buttons: list[TestButton]
    """Of the checkout of the simulated gateway."""
    faults: str
    """The values of the header Sandbox-Fault."""
    fund: FundLimits


TimelineDetail: TypeAlias = "dict[str, Any]"
"""What belongs to it; differs by kind."""


class TimelineEntry(TypedDict):
    at: str
    source: TimelineSource | str
    kind: str
    """What happened, such as ledger.posted."""
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
    net_amount: Amount
    balance_after: Amount
    reference: str
    counterparty: str | None
    description: str | None
    related: str | None
    created_at: str


class Transaction(_Transaction, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


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
    ok: Literal[True]
    transactions: list[Transaction]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
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
    """With a test key: nothing was moved."""
    direction: Direction | str
    from_username: str
    fee: Amount
    net_amount: Amount
    reversed_amount: Amount
    """What the recipient has given back; all of it when `status` is `reversed`."""
    description: str | None
    """What its sender wrote for both of them."""
    metadata: Metadata | None
    """Its sender's own; null for its recipient."""
    batch_id: str | None
    """Of the batch in which its sender ordered it."""
    created_at: str


class Transfer(_Transfer, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


class _TransferBatch(TypedDict):
    id: str
    status: TransferBatchStatus | str
    mode: TransferBatchMode | str
    dry_run: bool
    environment: Environment | str
    total: int
    """Of its transfers; so many are completed and failed so far."""
    completed: int
    failed: int
    created_at: str
    finished_at: str | None


class TransferBatch(_TransferBatch, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


class TransferBatchList(TypedDict):
    ok: Literal[True]
    transfer_batches: list[TransferBatch]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
    has_more: bool


TransferBatchMode = Literal["independent", "atomic"]


TransferBatchStatus = Literal["processing", "completed", "failed", "canceled"]
"""completed: every transfer is done, and some may have failed. failed: an atomic batch of which
one was refused; nothing was moved.
"""


class _TransferOrder(TypedDict):
    to_username: str
    """The recipient's username; capitals do not matter."""
    currency: Currency
    amount: AmountLike
    """A plain decimal with at most two decimals; whole for XOF."""


class TransferOrder(_TransferOrder, total=False):
    idempotency_key: str
    """The same as the Idempotency-Key of a single transfer, in both directions."""
    description: str
    """For both of you: the recipient sees it too."""


TransferStatus = Literal["completed", "reversed", "simulated"]


class Wallet(TypedDict):
    id: str
    currency: Currency | str
    balance: Amount


class WalletList(TypedDict):
    ok: Literal[True]
    environment: Environment | str
    wallets: list[Wallet]


class WebhookAttempt(TypedDict):
    number: int
    trigger: WebhookAttemptTrigger | str
    url: str
    """As it was then."""
    started_at: str
    duration_ms: int
    outcome: WebhookAttemptOutcome | str
    status: int | None
    """Of its response."""
    retry_after_seconds: int | None
    response_body: str | None
    response_truncated: bool


class WebhookAttemptList(TypedDict):
    ok: Literal[True]
    attempts: list[WebhookAttempt]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
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
    number: int
    trigger: WebhookAttemptTrigger | str
    url: str
    """As it was then."""
    started_at: str
    duration_ms: int
    outcome: WebhookAttemptOutcome | str
    status: int | None
    """Of its response."""
    retry_after_seconds: int | None


WebhookAttemptTrigger = Literal["automatic", "resend"]


class _WebhookDelivery(TypedDict):
    id: str
    event_id: str
    endpoint_id: str
    type: EventType | str
    status: WebhookDeliveryStatus | str
    attempts: int
    """How many were made."""
    next_attempt_at: str | None
    delivered_at: str | None
    created_at: str


class WebhookDelivery(_WebhookDelivery, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


class WebhookDeliveryList(TypedDict):
    ok: Literal[True]
    webhook_deliveries: list[WebhookDelivery]
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
    has_more: bool


WebhookDeliveryStatus = Literal["pending", "held", "delivered", "exhausted", "discarded"]
"""pending: will be tried. held: its endpoint is disabled. exhausted: was tried in vain for days.
discarded: its endpoint was deleted.
"""


class WebhookDeliveryWithAttempts(TypedDict):
    id: str
    event_id: str
    endpoint_id: str
    type: EventType | str
    status: WebhookDeliveryStatus | str
    attempts: int
    """How many were made."""
    next_attempt_at: str | None
    delivered_at: str | None
    created_at: str
    last_attempts: list[WebhookAttemptSummary]
    """Newest first, without the body of the response."""


WebhookDisabledReason = Literal["merchant", "gone", "failing"]
"""gone: it answered 410. failing: nothing arrived for days."""


class _WebhookEndpoint(TypedDict):
    id: str
    url: str
    """Begins with https:// and leads to a public address."""
    types: list[EventType | str]
    """The event types it receives; those of payments when left out."""
    description: str | None
    max_per_second: int | None
    """Deliveries a second; no limit when null."""
    status: WebhookEndpointStatus | str
    disabled_reason: WebhookDisabledReason | str | None
    consecutive_failures: int
    failing_since: str | None
    last_failure: WebhookFailure | None
    previous_secret_until: str | None
    """During a rotation: until then the old secret signs too."""
    created_at: str
    updated_at: str


class WebhookEndpoint(_WebhookEndpoint, total=False):
    ok: Literal[True]
    """In a response of its own; not in a list or an event."""


class WebhookEndpointList(TypedDict):
    ok: Literal[True]
    webhook_endpoints: list[WebhookEndpoint]
    next_cursor: None
    """The cursor of the next page; null on the last."""
    has_more: bool


WebhookEndpointStatus = Literal["enabled", "disabled"]


class WebhookFailure(TypedDict):
    at: str
    outcome: WebhookAttemptOutcome | str
    status: int | None
    """Of the receiver's response."""


class WebhookFault(TypedDict):
    id: str
    fault: str
    """duplicate, swap, bad-signature, or late=S with 1 to 34560000 seconds."""
    times: int
    left: int
    """How many attempts it is still for."""


class WebhookFaultList(TypedDict):
    ok: Literal[True]
    faults: list[WebhookFault]


class WebhookResend(TypedDict):
    ok: Literal[True]
    id: str
    endpoint_id: str
    status: WebhookResendStatus | str
    queued: int
    """Deliveries, so far."""
    created_at: str
    completed_at: str | None


WebhookResendStatus = Literal["running", "completed"]


class GetIdempotencyKeyParams(TypedDict):
    """What became of a request whose response was lost"""

    operation: IdempotentOperation
    """What the request was to do: each has its own keys."""


class ListTransactionsParams(TypedDict, total=False):
    """The history, newest first; all of it as CSV"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
    digits than next_cursor is refused where it may stand for several rows.
    """
    type: TransactionFilter
    """Rows of this type only; transfer stands for transfer_in and transfer_out."""
    currency: Currency
    """Rows of this wallet only."""
    status: TransactionStatus
    """Rows with this status only."""
    direction: Direction
    """Rows that credit (in) or debit (out) only."""
    reference: str
    """Rows of this transfer, payment, refund, dispute or adjustment only."""
    created_from: str
    """An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
    24:00:00 and leap seconds are refused.
    """
    created_to: str
    """An ISO 8601 instant or date, as in created_from; rows before it."""


class ListStatementsParams(TypedDict, total=False):
    """The monthly statements, newest first"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """As next_cursor gives it; the statements after it are listed."""


class ListTransferBatchesParams(TypedDict, total=False):
    """Transfer batches, newest first"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
    digits than next_cursor is refused where it may stand for several rows.
    """


class ListBatchTransfersParams(TypedDict, total=False):
    """The transfers of a batch, in the order given; all of them as CSV"""

    status: BatchedItemStatus
    """Items with this status only."""
    limit: int
    """How many rows a page has at most."""
    cursor: int
    """As next_cursor gives it; the items after it are listed."""


class ListPaymentIntentsParams(TypedDict, total=False):
    """Payment links, newest first"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
    digits than next_cursor is refused where it may stand for several rows.
    """
    status: PaymentIntentStatus
    """Links with this status only."""
    currency: Currency
    """Links in this currency only."""
    reference: str
    """The link with this reference, TRX-…."""
    customer_email: str
    """Links for this e-mail address only, however it is written."""
    created_from: str
    """An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
    24:00:00 and leap seconds are refused.
    """
    created_to: str
    """An ISO 8601 instant or date, as in created_from; rows before it."""


class ListPaymentIntentRefundsParams(TypedDict, total=False):
    """The refunds of a payment, newest first"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
    digits than next_cursor is refused where it may stand for several rows.
    """
    status: RefundStatus
    """pending: the gateway has not finished it. One that succeeded may fail weeks later, when
    the bank of the customer sends the money back.
    """


class ListPaymentMethodsParams(TypedDict, total=False):
    """The operators through which customers pay by phone"""

    currency: Currency
    """Operators that take this currency only."""
    country: str
    """Operators of this country only."""


class ListPaymentLinksParams(TypedDict, total=False):
    """Reusable links, newest first"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
    digits than next_cursor is refused where it may stand for several rows.
    """
    status: PaymentLinkStatus
    """Links with this status only."""


class ListLinkPaymentsParams(TypedDict, total=False):
    """The payments of a reusable link, newest first; all of them as CSV"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
    digits than next_cursor is refused where it may stand for several rows.
    """


class ListRefundsParams(TypedDict, total=False):
    """Refunds, newest first"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
    digits than next_cursor is refused where it may stand for several rows.
    """
    status: RefundStatus
    """pending: the gateway has not finished it. One that succeeded may fail weeks later, when
    the bank of the customer sends the money back.
    """
    currency: Currency
    """Refunds in this currency only."""
    payment_intent_id: str
    """Of this payment link only."""
    created_from: str
    """An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
    24:00:00 and leap seconds are refused.
    """
    created_to: str
    """An ISO 8601 instant or date, as in created_from; rows before it."""


class ListDisputesParams(TypedDict, total=False):
    """Disputes, newest first"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
    digits than next_cursor is refused where it may stand for several rows.
    """
    status: DisputeStatus
    """open: the customer's bank has not decided. One that is lost may still be won, by an
    appeal.
    """
    currency: Currency
    """Disputes in this currency only."""
    payment_intent_id: str
    """Disputes of this payment link only."""
    created_from: str
    """An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
    24:00:00 and leap seconds are refused.
    """
    created_to: str
    """An ISO 8601 instant or date, as in created_from; rows before it."""


class ListPayoutsParams(TypedDict, total=False):
    """Payouts, newest first"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
    digits than next_cursor is refused where it may stand for several rows.
    """
    status: PayoutStatus
    """succeeded never becomes failed: money that comes back later makes it returned, and before
    that returned_amount grows.
    """
    currency: Currency
    """Payouts in this currency only."""
    reference: str
    """The payout with this reference."""
    batch_id: str
    """Payouts of this batch only."""
    created_from: str
    """An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
    24:00:00 and leap seconds are refused.
    """
    created_to: str
    """An ISO 8601 instant or date, as in created_from; rows before it."""


class ListPayoutBatchesParams(TypedDict, total=False):
    """Payout batches, newest first"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
    digits than next_cursor is refused where it may stand for several rows.
    """


class ListBatchPayoutsParams(TypedDict, total=False):
    """The payouts of a batch, in the order given; all of them as CSV"""

    status: BatchedItemStatus
    """Items with this status only."""
    limit: int
    """How many rows a page has at most."""
    cursor: int
    """As next_cursor gives it; the items after it are listed."""


class ListEventsParams(TypedDict, total=False):
    """Events as they were delivered, in the order in which they happened"""

    limit: int
    """How many rows a page has at most."""
    after: str
    """A sequence, as next_cursor gives it; events after it are listed. `latest` lists the newest
    one, to go on from there.
    """
    type: EventType
    """Events of this type only."""


class ListWebhookDeliveriesParams(TypedDict, total=False):
    """Deliveries, newest first"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer
    digits than next_cursor is refused where it may stand for several rows.
    """
    endpoint_id: str
    """Deliveries to this endpoint only."""
    event_id: str
    """Deliveries of this event only."""
    status: WebhookDeliveryStatus
    """Deliveries with this status only."""
    type: EventType
    """Deliveries of this type of event only."""
    created_from: str
    """An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59:
    24:00:00 and leap seconds are refused.
    """
    created_to: str
    """An ISO 8601 instant or date, as in created_from; rows before it."""


class ListWebhookAttemptsParams(TypedDict, total=False):
    """Every attempt at a delivery with what was answered, newest first"""

    limit: int
    """How many rows a page has at most."""
    cursor: str
    """An attempt's number, as next_cursor gives it; those before it are listed."""


class __EventFields(TypedDict):
    id: str
    api_version: Literal["v1"]
    created_at: str
    environment: Environment | str
    sequence: int
    """Without gaps per account and environment; 0 for a test event."""


class _EventFields(__EventFields, total=False):
    test: Literal[True]
    """On test events only."""


class PaymentSucceededEvent(_EventFields):
    """A payment link was paid"""

    type: Literal["payment.succeeded"]
    data: PaymentIntent


class PaymentFailedEvent(_EventFields):
    """A payment failed for good"""

    type: Literal["payment.failed"]
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
    "| PaymentExpiredEvent "
    "| RefundSucceededEvent "
    "| RefundFailedEvent "
    "| DisputeOpenedEvent "
    "| DisputeWonEvent "
    "| DisputeLostEvent "
    "| TransferReceivedEvent "
    "| TransferSentEvent "
    "| PayoutRequiresActionEvent "
    "| PayoutSentEvent "
    "| PayoutSucceededEvent "
    "| PayoutFailedEvent "
    "| PayoutReturnedEvent"
)
"""An event with the data of its type. Types that there are not yet come too."""
