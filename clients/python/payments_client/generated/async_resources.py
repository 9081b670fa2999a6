# Written by npm run clients from api/openapi.json.

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ..core import Arguments, AsyncList, Core, Operation
from .models import (
    AdvanceSandboxClockRequest,
    BatchedPayout,
    BatchedPayoutList,
    BatchedTransfer,
    BatchedTransferList,
    ChangePaymentLinkRequest,
    ChangeWebhookEndpointRequest,
    CheckPayoutDestinationRequest,
    ConfirmPayoutBatchRequest,
    CreatedTransfer,
    CreatedWebhookEndpoint,
    CreatePaymentAttemptRequest,
    CreatePaymentIntentRequest,
    CreatePaymentLinkRequest,
    CreatePayoutBatchRequest,
    CreatePayoutRequest,
    CreateRefundRequest,
    CreateReversalRequest,
    CreateSandboxFaultRequest,
    CreateTransferBatchRequest,
    CreateTransferRequest,
    CreateWebhookEndpointRequest,
    CreateWebhookFaultRequest,
    DeletedWebhookEndpoint,
    DestinationCheck,
    Dispute,
    DisputeList,
    DroppedSandboxFaults,
    Event,
    EventList,
    EventWithDeliveries,
    FeeInvoice,
    FeeInvoiceList,
    FeePreview,
    FundSandboxWalletRequest,
    GetIdempotencyKeyParams,
    GivePaymentOtpRequest,
    Health,
    IdempotencyKey,
    KeyOwner,
    Limits,
    ListBatchPayoutsParams,
    ListBatchTransfersParams,
    ListDisputesParams,
    ListEventsParams,
    ListFeeInvoicesParams,
    ListLinkPaymentsParams,
    ListPaymentIntentRefundsParams,
    ListPaymentIntentsParams,
    ListPaymentLinksParams,
    ListPaymentMethodsParams,
    ListPayoutBatchesParams,
    ListPayoutsParams,
    ListRefundsParams,
    ListStatementsParams,
    ListTransactionsParams,
    ListTransferBatchesParams,
    ListWebhookAttemptsParams,
    ListWebhookDeliveriesParams,
    OrderedSandboxFault,
    OrderedWebhookFault,
    PaymentAttempt,
    PaymentAttempts,
    PaymentIntent,
    PaymentIntentList,
    PaymentIntentTimeline,
    PaymentLink,
    PaymentLinkList,
    PaymentMethods,
    Payout,
    PayoutBatch,
    PayoutBatchList,
    PayoutList,
    PreviewFeeParams,
    Refund,
    RefundList,
    RejectPayoutBatchRequest,
    RejectPayoutRequest,
    ResendEventRequest,
    ResendWebhooksRequest,
    ResentEvent,
    Reversal,
    RotatedWebhookSecret,
    RotateWebhookSecretRequest,
    SandboxClock,
    SandboxClockMove,
    SandboxFaultList,
    SendTestWebhookRequest,
    SentTestEvent,
    ServiceStatus,
    Statement,
    StatementRow,
    StatementRowList,
    TestValues,
    Transaction,
    TransactionList,
    Transfer,
    TransferBatch,
    TransferBatchList,
    WalletList,
    WebhookAttempt,
    WebhookAttemptList,
    WebhookDelivery,
    WebhookDeliveryList,
    WebhookEndpoint,
    WebhookEndpointList,
    WebhookFaultList,
    WebhookResend,
)


class AsyncResources:
    def __init__(self, core: Core) -> None:
        self.health = AsyncHealthResource(core)
        self.status = AsyncStatusResource(core)
        self.account = AsyncAccountResource(core)
        self.idempotency_keys = AsyncIdempotencyKeysResource(core)
        self.wallets = AsyncWalletsResource(core)
        self.limits = AsyncLimitsResource(core)
        self.transactions = AsyncTransactionsResource(core)
        self.statements = AsyncStatementsResource(core)
        self.transfers = AsyncTransfersResource(core)
        self.transfer_batches = AsyncTransferBatchesResource(core)
        self.payment_intents = AsyncPaymentIntentsResource(core)
        self.payment_methods = AsyncPaymentMethodsResource(core)
        self.payment_links = AsyncPaymentLinksResource(core)
        self.refunds = AsyncRefundsResource(core)
        self.disputes = AsyncDisputesResource(core)
        self.payouts = AsyncPayoutsResource(core)
        self.payout_destinations = AsyncPayoutDestinationsResource(core)
        self.payout_batches = AsyncPayoutBatchesResource(core)
        self.fees = AsyncFeesResource(core)
        self.fee_invoices = AsyncFeeInvoicesResource(core)
        self.webhook_endpoints = AsyncWebhookEndpointsResource(core)
        self.webhook_resends = AsyncWebhookResendsResource(core)
        self.events = AsyncEventsResource(core)
        self.webhook_deliveries = AsyncWebhookDeliveriesResource(core)
        self.sandbox = AsyncSandboxResource(core)


class AsyncHealthResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def retrieve(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Health:
        """Whether the service is up. Needs no key and asks neither the database nor Temporal:
        for load balancers and monitors.
        """
        operation = Operation("GET", "/health")
        given = Arguments({}, headers=headers)
        return cast(Health, await self._core.call(operation, given))


class AsyncStatusResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def retrieve(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> ServiceStatus:
        """Whether its parts work: operational or degraded. `degraded` when Postgres or Temporal
        does not work just now. Money is safe meanwhile; writing calls may answer 503. While
        Postgres cannot be reached at all, this answers 503 as every call with a key does: the
        key cannot be checked. `GET /ready`, beside this API and without a key, tells which
        part it is.
        """
        operation = Operation("GET", "/status")
        given = Arguments({}, headers=headers)
        return cast(ServiceStatus, await self._core.call(operation, given))


class AsyncAccountResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def retrieve(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> KeyOwner:
        """The key's owner and environment, and what it may do. Use it to see whose key this is,
        whether it is a test key or a live one, its scopes and when it expires. Any key may
        ask.
        """
        operation = Operation("GET", "/me")
        given = Arguments({}, headers=headers)
        return cast(KeyOwner, await self._core.call(operation, given))


class AsyncIdempotencyKeysResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def retrieve(
        self,
        key: str,
        query: GetIdempotencyKeyParams,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> IdempotencyKey:
        """What became of a request whose response was lost. Asks without repeating the request.
        A key without the scope `read` asks about the operations that it may carry out. 404
        says that no request with the key has had an effect, and that none that came before
        this one still can: it takes five seconds, until the last of them would be over or is
        given up, and for `transfer_batch` half a minute, because a batch may be long in
        uploading. A request that comes later is a new one.
        """
        operation = Operation("GET", "/idempotency-keys/{key}")
        given = Arguments({"key": key}, query=query, headers=headers)
        return cast(IdempotencyKey, await self._core.call(operation, given))


class AsyncWalletsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> WalletList:
        """Balances, one wallet per currency. In the environment of the key: sandbox balances are
        for trying and are worth nothing.
        """
        operation = Operation("GET", "/wallets")
        given = Arguments({}, headers=headers)
        return cast(WalletList, await self._core.call(operation, given))


class AsyncLimitsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def retrieve(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Limits:
        """Limits of the account, and what is left of them. What may come in and go out, and what
        each wallet may hold, in the environment of the key. Above one of them an order is
        refused with `limit_exceeded`; a payment waits for the operator of this service.
        """
        operation = Operation("GET", "/limits")
        given = Arguments({}, headers=headers)
        return cast(Limits, await self._core.call(operation, given))


class AsyncTransactionsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        query: ListTransactionsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[TransactionList, Transaction]:
        """The history, newest first; all of it as CSV. Pass `next_cursor` as `cursor` to get the
        next page; `has_more` says whether there is one. Rows that are added meanwhile are
        neither skipped nor repeated on the pages that follow. As CSV all rows that match come
        as one file, whatever the `limit`: the columns have the names of the fields, amounts
        two decimals, and a cell that a spreadsheet would run as a formula a leading
        apostrophe. A file that could not be finished breaks off. An account can have two
        files at a time. Operators may have moved the months before a moment to their archive:
        a last page and a file then name the moment in the header `History-Since`.
        """
        operation = Operation("GET", "/transactions", items="transactions", cursor="cursor")
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def list_csv(
        self,
        query: ListTransactionsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """The history, newest first; all of it as CSV, as CSV. Pass `next_cursor` as `cursor` to
        get the next page; `has_more` says whether there is one. Rows that are added meanwhile
        are neither skipped nor repeated on the pages that follow. As CSV all rows that match
        come as one file, whatever the `limit`: the columns have the names of the fields,
        amounts two decimals, and a cell that a spreadsheet would run as a formula a leading
        apostrophe. A file that could not be finished breaks off. An account can have two
        files at a time. Operators may have moved the months before a moment to their archive:
        a last page and a file then name the moment in the header `History-Since`.
        """
        operation = Operation("GET", "/transactions", accept="text/csv")
        given = Arguments({}, query=query, headers=headers)
        return cast(bytes, await self._core.call(operation, given))

    async def retrieve(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Transaction:
        """One transaction. By its id. Transactions of other users and of the other environment
        are unknown.
        """
        operation = Operation("GET", "/transactions/{id}")
        given = Arguments({"id": id}, headers=headers)
        return cast(Transaction, await self._core.call(operation, given))


class AsyncStatementsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        query: ListStatementsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[StatementRowList, StatementRow]:
        """The monthly statements, newest first. One for each wallet and month (of UTC) since the
        account was made; months that operators have moved to their archive are left out. The
        running month is there with what it has so far. Each closing balance is the opening
        balance of the next month.
        """
        operation = Operation("GET", "/statements", items="statements", cursor="cursor")
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def retrieve(
        self,
        currency: str,
        month: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Statement:
        """A monthly statement: JSON, CSV or PDF. All that moved the wallet in the month, oldest
        first; what was simulated moved nothing and is left out. As CSV a file comes with a
        line for the opening balance, one for each transaction with the balance after it, and
        one for the closing balance; as PDF a document to print, in French if
        `Accept-Language` prefers it, which lists 10,000 transactions at most. A response that
        could not be finished breaks off. An account can have two at a time.
        """
        operation = Operation("GET", "/statements/{currency}/{month}")
        given = Arguments({"currency": currency, "month": month}, headers=headers)
        return cast(Statement, await self._core.call(operation, given))

    async def retrieve_csv(
        self,
        currency: str,
        month: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """A monthly statement: JSON, CSV or PDF, as CSV. All that moved the wallet in the month,
        oldest first; what was simulated moved nothing and is left out. As CSV a file comes
        with a line for the opening balance, one for each transaction with the balance after
        it, and one for the closing balance; as PDF a document to print, in French if
        `Accept-Language` prefers it, which lists 10,000 transactions at most. A response that
        could not be finished breaks off. An account can have two at a time.
        """
        operation = Operation("GET", "/statements/{currency}/{month}", accept="text/csv")
        given = Arguments({"currency": currency, "month": month}, headers=headers)
        return cast(bytes, await self._core.call(operation, given))

    async def retrieve_pdf(
        self,
        currency: str,
        month: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """A monthly statement: JSON, CSV or PDF, as PDF. All that moved the wallet in the month,
        oldest first; what was simulated moved nothing and is left out. As CSV a file comes
        with a line for the opening balance, one for each transaction with the balance after
        it, and one for the closing balance; as PDF a document to print, in French if
        `Accept-Language` prefers it, which lists 10,000 transactions at most. A response that
        could not be finished breaks off. An account can have two at a time.
        """
        operation = Operation("GET", "/statements/{currency}/{month}", accept="application/pdf")
        given = Arguments({"currency": currency, "month": month}, headers=headers)
        return cast(bytes, await self._core.call(operation, given))


class AsyncTransfersResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def create(
        self,
        body: CreateTransferRequest,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> CreatedTransfer:
        """Send money to another user; simulated with a test key. The recipient gets the amount
        less the fee, at once. The money moves exactly once: repeat a request whose response
        you did not get with the same `Idempotency-Key`. With a test key the request is
        checked in the same way and answers `simulated`, and nothing is moved.
        """
        operation = Operation("POST", "/transfers", keyed="transfer")
        given = Arguments({}, body=body, headers=headers, idempotency_key=idempotency_key)
        return cast(CreatedTransfer, await self._core.call(operation, given))

    async def retrieve(
        self,
        reference: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Transfer:
        """One transfer, for its sender and its recipient. For its sender and its recipient.
        `direction` says which of them the key belongs to.
        """
        operation = Operation("GET", "/transfers/{reference}")
        given = Arguments({"reference": reference}, headers=headers)
        return cast(Transfer, await self._core.call(operation, given))

    async def create_reversal(
        self,
        reference: str,
        body: CreateReversalRequest | None = None,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reversal:
        """Give a received transfer back, whole or in part. For its recipient. The sender gets
        the amount at once, from your wallet; the fee of the transfer is not given back.
        Repeat a request whose response you did not get with the same `Idempotency-Key`: there
        is one reversal then. With a test key nothing is moved.
        """
        operation = Operation("POST", "/transfers/{reference}/reversals", keyed="reversal")
        given = Arguments(
            {"reference": reference},
            body=body,
            headers=headers,
            idempotency_key=idempotency_key,
        )
        return cast(Reversal, await self._core.call(operation, given))


class AsyncTransferBatchesResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        query: ListTransferBatchesParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[TransferBatchList, TransferBatch]:
        """Transfer batches, newest first. Those of the environment of the key."""
        operation = Operation("GET", "/transfer-batches", items="transfer_batches", cursor="cursor")
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def create(
        self,
        body: CreateTransferBatchRequest,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> TransferBatch:
        """Order up to 10,000 transfers; simulated with a test key. The order is stored, and
        carried out in the order given while you read its progress. A fault of a single
        transfer refuses all of them, and `param` names it (`transfers/17/amount`). With
        `atomic` all, at most 500, are carried out or none; with `dry_run` none is, and each
        tells what would become of it. Each completed transfer is one like any other. Batches
        of an account follow one another. The body may have 4 MiB. More usernames that nobody
        has than an account may name are 429 `rate_limited`; `details` names some of them.
        """
        operation = Operation("POST", "/transfer-batches", keyed="transfer_batch")
        given = Arguments({}, body=body, headers=headers, idempotency_key=idempotency_key)
        return cast(TransferBatch, await self._core.call(operation, given))

    async def retrieve(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> TransferBatch:
        """One transfer batch: how far it has come. Ask again while `status` is `processing`."""
        operation = Operation("GET", "/transfer-batches/{id}")
        given = Arguments({"id": id}, headers=headers)
        return cast(TransferBatch, await self._core.call(operation, given))

    def list_transfers(
        self,
        id: str,
        query: ListBatchTransfersParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[BatchedTransferList, BatchedTransfer]:
        """The transfers of a batch, in the order given; all of them as CSV. As CSV all of them
        come as a file: index, to_username, currency, amount, status, reference, error_code,
        error_message. `error` is what a single transfer would have been answered. In an
        atomic batch that was refused, those that were not the reason have the code
        `batch_refused`.
        """
        operation = Operation(
            "GET",
            "/transfer-batches/{id}/transfers",
            items="transfers",
            cursor="cursor",
        )
        given = Arguments({"id": id}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def list_transfers_csv(
        self,
        id: str,
        query: ListBatchTransfersParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """The transfers of a batch, in the order given; all of them as CSV, as CSV. As CSV all
        of them come as a file: index, to_username, currency, amount, status, reference,
        error_code, error_message. `error` is what a single transfer would have been answered.
        In an atomic batch that was refused, those that were not the reason have the code
        `batch_refused`.
        """
        operation = Operation("GET", "/transfer-batches/{id}/transfers", accept="text/csv")
        given = Arguments({"id": id}, query=query, headers=headers)
        return cast(bytes, await self._core.call(operation, given))

    async def cancel(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> TransferBatch:
        """Stop what is not posted yet; cancelling again changes nothing. What has been completed
        stays so; what was not begun stays pending.
        """
        operation = Operation("POST", "/transfer-batches/{id}/cancel")
        given = Arguments({"id": id}, headers=headers)
        return cast(TransferBatch, await self._core.call(operation, given))


class AsyncPaymentIntentsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        query: ListPaymentIntentsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[PaymentIntentList, PaymentIntent]:
        """Payment links, newest first. Pass `next_cursor` as `cursor` to get the next page. All
        filters together narrow the list.
        """
        operation = Operation("GET", "/payment-intents", items="payment_intents", cursor="cursor")
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def create(
        self,
        body: CreatePaymentIntentRequest,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentIntent:
        """Make a payment link. Give `pay_url` to the customer, who pays at the gateway. What
        became of it comes as a webhook, and can be read here. Without an answer, repeat the
        request with the same `Idempotency-Key`: there is one link then.
        """
        operation = Operation("POST", "/payment-intents", keyed="payment_intent")
        given = Arguments({}, body=body, headers=headers, idempotency_key=idempotency_key)
        return cast(PaymentIntent, await self._core.call(operation, given))

    async def retrieve(
        self,
        id_or_code: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentIntent:
        """One payment link, by its id or its short code. `status` is `open` until the customer
        pays, the link expires or you cancel it. `processing` means that the gateway has the
        payment and does not know its outcome yet.
        """
        operation = Operation("GET", "/payment-intents/{id_or_code}")
        given = Arguments({"id_or_code": id_or_code}, headers=headers)
        return cast(PaymentIntent, await self._core.call(operation, given))

    async def cancel(
        self,
        id_or_code: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentIntent:
        """Cancel an open payment link; cancelling it again changes nothing. Nobody can pay it
        any more. A link that is paid, failed or expired cannot be cancelled, nor one that is
        being paid: the gateway has the payment, or a customer is asked on a phone.
        """
        operation = Operation("POST", "/payment-intents/{id_or_code}/cancel")
        given = Arguments({"id_or_code": id_or_code}, headers=headers)
        return cast(PaymentIntent, await self._core.call(operation, given))

    async def retrieve_timeline(
        self,
        id_or_code: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentIntentTimeline:
        """What happened to a payment link, in order. Creation, what the gateway notified, the
        posting to the ledger and each delivery of a webhook, oldest first.
        """
        operation = Operation("GET", "/payment-intents/{id_or_code}/timeline")
        given = Arguments({"id_or_code": id_or_code}, headers=headers)
        return cast(PaymentIntentTimeline, await self._core.call(operation, given))

    async def list_attempts(
        self,
        id_or_code: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentAttempts:
        """The attempts to pay a payment intent by phone. Newest first, the last hundred."""
        operation = Operation("GET", "/payment-intents/{id_or_code}/attempts")
        given = Arguments({"id_or_code": id_or_code}, headers=headers)
        return cast(PaymentAttempts, await self._core.call(operation, given))

    async def create_attempt(
        self,
        id_or_code: str,
        body: CreatePaymentAttemptRequest,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentAttempt:
        """Ask a phone to pay a payment intent. Show the customer `next_step`, and read the
        attempt until it has ended; webhooks tell of the payment intent. It answers once the
        operator was asked. A failed attempt leaves the payment intent open, with
        `last_payment_error`. A payment intent has one waiting attempt at a time, and a phone
        is asked five times an hour, and eight times a day without paying. Without an answer,
        repeat the request with the same `Idempotency-Key`; a new try needs a new key.
        """
        operation = Operation(
            "POST",
            "/payment-intents/{id_or_code}/attempts",
            keyed="payment_attempt",
        )
        given = Arguments(
            {"id_or_code": id_or_code},
            body=body,
            headers=headers,
            idempotency_key=idempotency_key,
        )
        return cast(PaymentAttempt, await self._core.call(operation, given))

    async def retrieve_attempt(
        self,
        id_or_code: str,
        attempt_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentAttempt:
        """One attempt to pay by phone. `waiting` until the customer has paid, has declined, or
        has let the time pass.
        """
        operation = Operation("GET", "/payment-intents/{id_or_code}/attempts/{attempt_id}")
        given = Arguments({"id_or_code": id_or_code, "attempt_id": attempt_id}, headers=headers)
        return cast(PaymentAttempt, await self._core.call(operation, given))

    async def give_otp(
        self,
        id_or_code: str,
        attempt_id: str,
        body: GivePaymentOtpRequest,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentAttempt:
        """Give the one-time code that an attempt waits for. It answers with the attempt once the
        operator was asked. A wrong code fails the attempt: begin a new one.
        """
        operation = Operation("POST", "/payment-intents/{id_or_code}/attempts/{attempt_id}/otp")
        given = Arguments(
            {"id_or_code": id_or_code, "attempt_id": attempt_id},
            body=body,
            headers=headers,
        )
        return cast(PaymentAttempt, await self._core.call(operation, given))

    def list_refunds(
        self,
        id_or_code: str,
        query: ListPaymentIntentRefundsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[RefundList, Refund]:
        """The refunds of a payment, newest first. Pass `next_cursor` as `cursor` to get the next
        page.
        """
        operation = Operation(
            "GET",
            "/payment-intents/{id_or_code}/refunds",
            items="refunds",
            cursor="cursor",
        )
        given = Arguments({"id_or_code": id_or_code}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)


class AsyncPaymentMethodsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(
        self,
        query: ListPaymentMethodsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentMethods:
        """The operators through which customers pay by phone. As they are now, give or take a
        quarter of a minute. Propose the one whose `prefixes` the phone has.
        """
        operation = Operation("GET", "/payment-methods")
        given = Arguments({}, query=query, headers=headers)
        return cast(PaymentMethods, await self._core.call(operation, given))


class AsyncPaymentLinksResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        query: ListPaymentLinksParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[PaymentLinkList, PaymentLink]:
        """Reusable links, newest first. Pass `next_cursor` as `cursor` to get the next page."""
        operation = Operation("GET", "/payment-links", items="payment_links", cursor="cursor")
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def create(
        self,
        body: CreatePaymentLinkRequest,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentLink:
        """Make a link that any number of customers may pay. Print `url` as a QR code for a
        counter or a table, or post it. Each customer who sends the form of the page gets a
        payment intent with `payment_link_id`, which expires after 30 minutes.
        """
        operation = Operation("POST", "/payment-links", keyed="payment_link")
        given = Arguments({}, body=body, headers=headers, idempotency_key=idempotency_key)
        return cast(PaymentLink, await self._core.call(operation, given))

    async def retrieve(
        self,
        id_or_code: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentLink:
        """One reusable link, by its id or its code. `payments` and `paid_amount` count what has
        succeeded.
        """
        operation = Operation("GET", "/payment-links/{id_or_code}")
        given = Arguments({"id_or_code": id_or_code}, headers=headers)
        return cast(PaymentLink, await self._core.call(operation, given))

    async def update(
        self,
        id_or_code: str,
        body: ChangePaymentLinkRequest,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentLink:
        """Change a reusable link, or take it out of use. What is left out stays; null takes it
        away. The currency, the price and what is asked for never change. A customer who is at
        the checkout may still pay.
        """
        operation = Operation("PATCH", "/payment-links/{id_or_code}")
        given = Arguments({"id_or_code": id_or_code}, body=body, headers=headers)
        return cast(PaymentLink, await self._core.call(operation, given))

    def list_payments(
        self,
        id_or_code: str,
        query: ListLinkPaymentsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[PaymentIntentList, PaymentIntent]:
        """The payments of a reusable link, newest first; all of them as CSV. Payment intents in
        any status. As CSV all of them come as one file, with a column for each field that the
        link asks for.
        """
        operation = Operation(
            "GET",
            "/payment-links/{id_or_code}/payments",
            items="payment_intents",
            cursor="cursor",
        )
        given = Arguments({"id_or_code": id_or_code}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def list_payments_csv(
        self,
        id_or_code: str,
        query: ListLinkPaymentsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """The payments of a reusable link, newest first; all of them as CSV, as CSV. Payment
        intents in any status. As CSV all of them come as one file, with a column for each
        field that the link asks for.
        """
        operation = Operation("GET", "/payment-links/{id_or_code}/payments", accept="text/csv")
        given = Arguments({"id_or_code": id_or_code}, query=query, headers=headers)
        return cast(bytes, await self._core.call(operation, given))


class AsyncRefundsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def create(
        self,
        id_or_code: str,
        body: CreateRefundRequest | None = None,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Refund:
        """Give back a payment, whole or in part. The money leaves your wallet at once and goes
        to the customer through the gateway, which may take days: `refund.succeeded` or
        `refund.failed` says how it ended. What fails comes back to the wallet. The fee of the
        payment is not given back. A payment has at most 50 refunds; those that failed count.
        Without an answer, repeat the request with the same `Idempotency-Key`: there is one
        refund then.
        """
        operation = Operation("POST", "/payment-intents/{id_or_code}/refunds", keyed="refund")
        given = Arguments(
            {"id_or_code": id_or_code},
            body=body,
            headers=headers,
            idempotency_key=idempotency_key,
        )
        return cast(Refund, await self._core.call(operation, given))

    def list(
        self,
        query: ListRefundsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[RefundList, Refund]:
        """Refunds, newest first. Pass `next_cursor` as `cursor` to get the next page. All
        filters together narrow the list.
        """
        operation = Operation("GET", "/refunds", items="refunds", cursor="cursor")
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def retrieve(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Refund:
        """One refund. `status` is `pending` until the gateway has made the refund or failed to;
        `failure` says why it failed.
        """
        operation = Operation("GET", "/refunds/{id}")
        given = Arguments({"id": id}, headers=headers)
        return cast(Refund, await self._core.call(operation, given))


class AsyncDisputesResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        query: ListDisputesParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[DisputeList, Dispute]:
        """Disputes, newest first. Pass `next_cursor` as `cursor` to get the next page. All
        filters together narrow the list.
        """
        operation = Operation("GET", "/disputes", items="disputes", cursor="cursor")
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def retrieve(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Dispute:
        """One dispute. Its amount leaves your wallet when the customer's bank claims it. `won`
        brings it back, and what is owed lapses; `lost` takes `fee`, too.
        """
        operation = Operation("GET", "/disputes/{id}")
        given = Arguments({"id": id}, headers=headers)
        return cast(Dispute, await self._core.call(operation, given))


class AsyncPayoutsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        query: ListPayoutsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[PayoutList, Payout]:
        """Payouts, newest first. Pass `next_cursor` as `cursor` to get the next page. All
        filters together narrow the list. As CSV all that match come as one file.
        """
        operation = Operation("GET", "/payouts", items="payouts", cursor="cursor")
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def list_csv(
        self,
        query: ListPayoutsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """Payouts, newest first, as CSV. Pass `next_cursor` as `cursor` to get the next page.
        All filters together narrow the list. As CSV all that match come as one file.
        """
        operation = Operation("GET", "/payouts", accept="text/csv")
        given = Arguments({}, query=query, headers=headers)
        return cast(bytes, await self._core.call(operation, given))

    async def create(
        self,
        body: CreatePayoutRequest,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Payout:
        """Pay a phone or a bank account. The money leaves your wallet at once and is sent in a
        moment: `payout.succeeded` or `payout.failed` says how it ended, and what fails comes
        back with its fee. An operator that does not answer makes the payout `unknown`, never
        `failed`: it is asked until it says. Without an answer, repeat the request with the
        same `Idempotency-Key`: there is one payout then. A key answers for ever with the
        first outcome; a new try needs a new key.
        """
        operation = Operation("POST", "/payouts", keyed="payout")
        given = Arguments({}, body=body, headers=headers, idempotency_key=idempotency_key)
        return cast(Payout, await self._core.call(operation, given))

    async def retrieve(
        self,
        id_or_reference: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Payout:
        """One payout. `conclusive` says whether its outcome is known."""
        operation = Operation("GET", "/payouts/{id_or_reference}")
        given = Arguments({"id_or_reference": id_or_reference}, headers=headers)
        return cast(Payout, await self._core.call(operation, given))

    async def confirm(
        self,
        id_or_reference: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Payout:
        """Confirm a payout. Has a payout sent that waits for it, once you have seen the name
        that was found. A second call answers 200 with the payout as it is.
        """
        operation = Operation("POST", "/payouts/{id_or_reference}/confirm")
        given = Arguments({"id_or_reference": id_or_reference}, headers=headers)
        return cast(Payout, await self._core.call(operation, given))

    async def cancel(
        self,
        id_or_reference: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Payout:
        """Cancel a payout. Before the operator has sent it. The money and the fee come back. A
        second call answers 200 with the payout as it is.
        """
        operation = Operation("POST", "/payouts/{id_or_reference}/cancel")
        given = Arguments({"id_or_reference": id_or_reference}, headers=headers)
        return cast(Payout, await self._core.call(operation, given))

    async def approve(
        self,
        id_or_reference: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Payout:
        """Approve a payout. As the person who made your key: an owner of the account, in the
        sandbox a developer too, and never the person who ordered the payout. A second call
        answers 200 with the payout as it is.
        """
        operation = Operation("POST", "/payouts/{id_or_reference}/approve")
        given = Arguments({"id_or_reference": id_or_reference}, headers=headers)
        return cast(Payout, await self._core.call(operation, given))

    async def reject(
        self,
        id_or_reference: str,
        body: RejectPayoutRequest | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Payout:
        """Reject a payout. Instead of an approval: the payout is canceled, and the money is
        back. A second call answers 200 with the payout as it is.
        """
        operation = Operation("POST", "/payouts/{id_or_reference}/reject")
        given = Arguments({"id_or_reference": id_or_reference}, body=body, headers=headers)
        return cast(Payout, await self._core.call(operation, given))

    async def retrieve_timeline(
        self,
        id_or_reference: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PaymentIntentTimeline:
        """What happened to a payout, in order. The order, decisions of people, what the operator
        said, the postings and each delivery of a webhook, oldest first.
        """
        operation = Operation("GET", "/payouts/{id_or_reference}/timeline")
        given = Arguments({"id_or_reference": id_or_reference}, headers=headers)
        return cast(PaymentIntentTimeline, await self._core.call(operation, given))


class AsyncPayoutDestinationsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def check(
        self,
        body: CheckPayoutDestinationRequest,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> DestinationCheck:
        """Look at a destination. Whether it can be paid, by which operator, whose name it has
        and what it would cost. Nothing moves. An account may look at a number of destinations
        that do not exist in an hour.
        """
        operation = Operation("POST", "/payout-destinations/check")
        given = Arguments({}, body=body, headers=headers)
        return cast(DestinationCheck, await self._core.call(operation, given))


class AsyncPayoutBatchesResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        query: ListPayoutBatchesParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[PayoutBatchList, PayoutBatch]:
        """Payout batches, newest first. Those of the environment of the key."""
        operation = Operation("GET", "/payout-batches", items="payout_batches", cursor="cursor")
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def create(
        self,
        body: CreatePayoutBatchRequest,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> PayoutBatch:
        """Order up to 10,000 payouts. The order is stored, and nothing is reserved: each
        destination is looked at first, and the batch waits until you confirm it, unless the
        order does so with `confirm: true`. Then each payout is ordered by itself, in the
        order given. One that is refused holds up no other. With `dry_run` each payout tells
        what would become of it. Above the account’s limit its owners approve the batch as a
        whole. A fault of a single payout refuses all of them, and `param` names it
        (`payouts/17/amount`). Batches of an account follow one another. The body may have 4
        MiB.
        """
        operation = Operation("POST", "/payout-batches", keyed="payout_batch")
        given = Arguments({}, body=body, headers=headers, idempotency_key=idempotency_key)
        return cast(PayoutBatch, await self._core.call(operation, given))

    async def retrieve(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PayoutBatch:
        """One payout batch: how far it has come. Ask again while `status` is `processing`."""
        operation = Operation("GET", "/payout-batches/{id}")
        given = Arguments({"id": id}, headers=headers)
        return cast(PayoutBatch, await self._core.call(operation, given))

    def list_payouts(
        self,
        id: str,
        query: ListBatchPayoutsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[BatchedPayoutList, BatchedPayout]:
        """The payouts of a batch, in the order given; all of them as CSV. As CSV all of them
        come as a file. One is `completed` when its payout has succeeded, and `failed` when it
        failed, was canceled or excluded, or was refused before it became a payout.
        """
        operation = Operation(
            "GET",
            "/payout-batches/{id}/payouts",
            items="payouts",
            cursor="cursor",
        )
        given = Arguments({"id": id}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def list_payouts_csv(
        self,
        id: str,
        query: ListBatchPayoutsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """The payouts of a batch, in the order given; all of them as CSV, as CSV. As CSV all of
        them come as a file. One is `completed` when its payout has succeeded, and `failed`
        when it failed, was canceled or excluded, or was refused before it became a payout.
        """
        operation = Operation("GET", "/payout-batches/{id}/payouts", accept="text/csv")
        given = Arguments({"id": id}, query=query, headers=headers)
        return cast(bytes, await self._core.call(operation, given))

    async def confirm(
        self,
        id: str,
        body: ConfirmPayoutBatchRequest | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PayoutBatch:
        """Confirm a payout batch. Has the batch sent, without the payouts that you exclude by
        what was found. A second call answers 200 with the batch as it is. One with another
        `exclude` is refused.
        """
        operation = Operation("POST", "/payout-batches/{id}/confirm")
        given = Arguments({"id": id}, body=body, headers=headers)
        return cast(PayoutBatch, await self._core.call(operation, given))

    async def cancel(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PayoutBatch:
        """Stop what is not ordered yet. A payout that was ordered goes on. A second call answers
        200 with the batch as it is.
        """
        operation = Operation("POST", "/payout-batches/{id}/cancel")
        given = Arguments({"id": id}, headers=headers)
        return cast(PayoutBatch, await self._core.call(operation, given))

    async def approve(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PayoutBatch:
        """Approve a payout batch. As a whole, by the people who may approve a payout. A second
        call answers 200 with the batch as it is.
        """
        operation = Operation("POST", "/payout-batches/{id}/approve")
        given = Arguments({"id": id}, headers=headers)
        return cast(PayoutBatch, await self._core.call(operation, given))

    async def reject(
        self,
        id: str,
        body: RejectPayoutBatchRequest | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> PayoutBatch:
        """Reject a payout batch. Instead of an approval: the batch is canceled. A second call
        answers 200 with the batch as it is.
        """
        operation = Operation("POST", "/payout-batches/{id}/reject")
        given = Arguments({"id": id}, body=body, headers=headers)
        return cast(PayoutBatch, await self._core.call(operation, given))


class AsyncFeesResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def retrieve(
        self,
        query: PreviewFeeParams,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> FeePreview:
        """The fee of a movement before it is ordered. The fee and its tax now: an order is
        charged the same, unless they have changed between. Of a transfer you are the sender.
        """
        operation = Operation("GET", "/fees")
        given = Arguments({}, query=query, headers=headers)
        return cast(FeePreview, await self._core.call(operation, given))


class AsyncFeeInvoicesResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        query: ListFeeInvoicesParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[FeeInvoiceList, FeeInvoice]:
        """Invoices of fees, newest first. One for each currency and month in which the account
        bore fees; they were taken when they arose. Pass `next_cursor` as `cursor` to get the
        next page.
        """
        operation = Operation("GET", "/fee-invoices", items="fee_invoices", cursor="cursor")
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def retrieve(
        self,
        number: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> FeeInvoice:
        """One invoice: JSON or PDF. It never changes. As PDF a document to print, in French if
        `Accept-Language` prefers it.
        """
        operation = Operation("GET", "/fee-invoices/{number}")
        given = Arguments({"number": number}, headers=headers)
        return cast(FeeInvoice, await self._core.call(operation, given))

    async def retrieve_pdf(
        self,
        number: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """One invoice: JSON or PDF, as PDF. It never changes. As PDF a document to print, in
        French if `Accept-Language` prefers it.
        """
        operation = Operation("GET", "/fee-invoices/{number}", accept="application/pdf")
        given = Arguments({"number": number}, headers=headers)
        return cast(bytes, await self._core.call(operation, given))


class AsyncWebhookEndpointsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[WebhookEndpointList, WebhookEndpoint]:
        """Webhook endpoints, newest first. All on one page: there are never many."""
        operation = Operation("GET", "/webhook-endpoints", items="webhook_endpoints")
        given = Arguments({}, headers=headers)
        return AsyncList(self._core, operation, given)

    async def create(
        self,
        body: CreateWebhookEndpointRequest,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> CreatedWebhookEndpoint:
        """Have events delivered to an address; answers the secret that signs them, once. Events
        that happen from now on are delivered to it. Keep the `secret`: it verifies the
        signatures and is shown this once.
        """
        operation = Operation("POST", "/webhook-endpoints")
        given = Arguments({}, body=body, headers=headers)
        return cast(CreatedWebhookEndpoint, await self._core.call(operation, given))

    async def retrieve(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> WebhookEndpoint:
        """One webhook endpoint, and how it does. Whether it is enabled, why not, and when it
        last failed.
        """
        operation = Operation("GET", "/webhook-endpoints/{id}")
        given = Arguments({"id": id}, headers=headers)
        return cast(WebhookEndpoint, await self._core.call(operation, given))

    async def update(
        self,
        id: str,
        body: ChangeWebhookEndpointRequest,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> WebhookEndpoint:
        """Change what is named; disable it, which holds its deliveries, or enable it again. Only
        the fields that are given change. What happens while it is disabled is held, and sent
        once it is enabled again.
        """
        operation = Operation("PATCH", "/webhook-endpoints/{id}")
        given = Arguments({"id": id}, body=body, headers=headers)
        return cast(WebhookEndpoint, await self._core.call(operation, given))

    async def delete(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> DeletedWebhookEndpoint:
        """Delete an endpoint and discard what waits for it. What waits for it is discarded; its
        past deliveries stay in the lists.
        """
        operation = Operation("DELETE", "/webhook-endpoints/{id}")
        given = Arguments({"id": id}, headers=headers)
        return cast(DeletedWebhookEndpoint, await self._core.call(operation, given))

    async def rotate_secret(
        self,
        id: str,
        body: RotateWebhookSecretRequest | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> RotatedWebhookSecret:
        """A new secret; the old one signs beside it until the overlap ends. Give your receiver
        the new secret during the overlap and let it accept either. With `overlap_seconds` 0
        the old one ends at once: for a secret that has leaked.
        """
        operation = Operation("POST", "/webhook-endpoints/{id}/rotate-secret")
        given = Arguments({"id": id}, body=body, headers=headers)
        return cast(RotatedWebhookSecret, await self._core.call(operation, given))

    async def test(
        self,
        id: str,
        body: SendTestWebhookRequest | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> SentTestEvent:
        """Send a test event to this endpoint alone. The event is marked `test: true`, has the
        sequence 0, and is signed like any other. Ask for its delivery to see whether it
        arrived.
        """
        operation = Operation("POST", "/webhook-endpoints/{id}/test")
        given = Arguments({"id": id}, body=body, headers=headers)
        return cast(SentTestEvent, await self._core.call(operation, given))

    async def resend(
        self,
        id: str,
        body: ResendWebhooksRequest | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> WebhookResend:
        """Send again what this endpoint was sent in a stretch of time. For what a receiver has
        lost: deliveries created in a period, by status and type, are sent again in the
        background, one resend of an endpoint at a time. The response names the resend, whose
        progress can be read.
        """
        operation = Operation("POST", "/webhook-endpoints/{id}/resend")
        given = Arguments({"id": id}, body=body, headers=headers)
        return cast(WebhookResend, await self._core.call(operation, given))

    async def list_faults(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> WebhookFaultList:
        """The faults that are left for an endpoint's deliveries, in their order. One that is
        used up is not listed any more.
        """
        operation = Operation("GET", "/webhook-endpoints/{id}/faults")
        given = Arguments({"id": id}, headers=headers)
        return cast(WebhookFaultList, await self._core.call(operation, given))

    async def create_fault(
        self,
        id: str,
        body: CreateWebhookFaultRequest,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> OrderedWebhookFault:
        """Order a fault for the next deliveries to an endpoint. Each attempt uses up one, in
        their order; test events, retries and resends are attempts as any other. `duplicate`
        sends the event twice. `swap` lets it wait for the next event and go after it, or
        alone after five minutes. `bad-signature` spoils all signatures of the attempt.
        `late=S` puts it off by S seconds of the clock of the sandbox.
        """
        operation = Operation("POST", "/webhook-endpoints/{id}/faults")
        given = Arguments({"id": id}, body=body, headers=headers)
        return cast(OrderedWebhookFault, await self._core.call(operation, given))

    async def delete_faults(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> DroppedSandboxFaults:
        """Delete all faults that are left for an endpoint's deliveries. What was put off already
        stays so; `resend` sends it at once.
        """
        operation = Operation("DELETE", "/webhook-endpoints/{id}/faults")
        given = Arguments({"id": id}, headers=headers)
        return cast(DroppedSandboxFaults, await self._core.call(operation, given))


class AsyncWebhookResendsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def retrieve(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> WebhookResend:
        """How far such a resend has come. `queued` grows until the status is `completed`; the
        deliveries themselves say whether they arrived.
        """
        operation = Operation("GET", "/webhook-resends/{id}")
        given = Arguments({"id": id}, headers=headers)
        return cast(WebhookResend, await self._core.call(operation, given))


class AsyncEventsResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        query: ListEventsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[EventList, Event]:
        """Events as they were delivered, in the order in which they happened. From the oldest
        on: remember the last `sequence` and ask for what comes `after` it. Test events are in
        no list.
        """
        operation = Operation("GET", "/events", items="events", cursor="after")
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def retrieve(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> EventWithDeliveries:
        """One event with its deliveries and their last attempts. With the bytes that were
        signed, and how each endpoint responded.
        """
        operation = Operation("GET", "/events/{id}")
        given = Arguments({"id": id}, headers=headers)
        return cast(EventWithDeliveries, await self._core.call(operation, given))

    async def resend(
        self,
        id: str,
        body: ResendEventRequest | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> ResentEvent:
        """Send an event again, to all endpoints that have it or to the one that is named. It has
        the same `id` as before, so that a receiver which has it already can tell.
        """
        operation = Operation("POST", "/events/{id}/resend")
        given = Arguments({"id": id}, body=body, headers=headers)
        return cast(ResentEvent, await self._core.call(operation, given))


class AsyncWebhookDeliveriesResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self,
        query: ListWebhookDeliveriesParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[WebhookDeliveryList, WebhookDelivery]:
        """Deliveries, newest first. One delivery is one event to one endpoint. Pass
        `next_cursor` as `cursor` to get the next page.
        """
        operation = Operation(
            "GET",
            "/webhook-deliveries",
            items="webhook_deliveries",
            cursor="cursor",
        )
        given = Arguments({}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def retrieve(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> WebhookDelivery:
        """One delivery. Its status, how often it was tried, and when it is tried next."""
        operation = Operation("GET", "/webhook-deliveries/{id}")
        given = Arguments({"id": id}, headers=headers)
        return cast(WebhookDelivery, await self._core.call(operation, given))

    def list_attempts(
        self,
        id: str,
        query: ListWebhookAttemptsParams | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncList[WebhookAttemptList, WebhookAttempt]:
        """Every attempt at a delivery with what was answered, newest first. With the status and
        the first 16 KiB of what the receiver responded. Attempts of months long past may no
        longer be kept: the delivery still counts them.
        """
        operation = Operation(
            "GET",
            "/webhook-deliveries/{id}/attempts",
            items="attempts",
            cursor="cursor",
        )
        given = Arguments({"id": id}, query=query, headers=headers)
        return AsyncList(self._core, operation, given)

    async def resend(
        self,
        id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> WebhookDelivery:
        """Send one delivery again, whether it arrived or not. As soon as possible, beside the
        schedule of retries.
        """
        operation = Operation("POST", "/webhook-deliveries/{id}/resend")
        given = Arguments({"id": id}, headers=headers)
        return cast(WebhookDelivery, await self._core.call(operation, given))


class AsyncSandboxResource:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def retrieve_clock(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> SandboxClock:
        """The clock of the sandbox, and what waits for it. An account has one clock in the
        sandbox. It runs as the time does, and is ahead of it by as much as it was moved.
        Responses to test keys then carry it in the header `Sandbox-Clock`.
        """
        operation = Operation("GET", "/sandbox/clock")
        given = Arguments({}, headers=headers)
        return cast(SandboxClock, await self._core.call(operation, given))

    async def advance_clock(
        self,
        body: AdvanceSandboxClockRequest,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> SandboxClockMove:
        """Advance the clock of the sandbox. Exactly one of the fields. What becomes due on the
        way is done as it would be: links expire, webhooks are sent again and again, payouts
        come back, approvals lapse. It only moves forward, 400 days in all. What has happened
        keeps its real time.
        """
        operation = Operation("POST", "/sandbox/clock/advance")
        given = Arguments({}, body=body, headers=headers)
        return cast(SandboxClockMove, await self._core.call(operation, given))

    async def list_faults(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> SandboxFaultList:
        """The faults that are left, in their order. One that is used up is not listed any more."""
        operation = Operation("GET", "/sandbox/faults")
        given = Arguments({}, headers=headers)
        return cast(SandboxFaultList, await self._core.call(operation, given))

    async def create_fault(
        self,
        body: CreateSandboxFaultRequest,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> OrderedSandboxFault:
        """Order a fault for the next requests of an operation. For clients that cannot set the
        header `Sandbox-Fault`. The faults of an operation are used up in their order, by
        whichever request of the account comes next with a test key; one with the header uses
        up none. `in-progress` waits for a request with an `Idempotency-Key`, and answers each
        key once.
        """
        operation = Operation("POST", "/sandbox/faults")
        given = Arguments({}, body=body, headers=headers)
        return cast(OrderedSandboxFault, await self._core.call(operation, given))

    async def delete_faults(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> DroppedSandboxFaults:
        """Delete all ordered faults. From then on nothing goes wrong on order, except by the
        header of a request.
        """
        operation = Operation("DELETE", "/sandbox/faults")
        given = Arguments({}, headers=headers)
        return cast(DroppedSandboxFaults, await self._core.call(operation, given))

    async def fund(
        self,
        body: FundSandboxWalletRequest,
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Transaction:
        """Put money of the sandbox into a wallet. Answers the transaction, of the type
        `adjustment`. At most 20 times in 24 hours for an account.
        """
        operation = Operation("POST", "/sandbox/fund", keyed="sandbox_fund")
        given = Arguments({}, body=body, headers=headers, idempotency_key=idempotency_key)
        return cast(Transaction, await self._core.call(operation, given))

    async def list_test_values(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> TestValues:
        """The values that mean something in the sandbox. Phones that are paid and that pay, the
        buttons and fields of the simulated checkout, and faults; in French with
        `Accept-Language: fr`.
        """
        operation = Operation("GET", "/sandbox/test-values")
        given = Arguments({}, headers=headers)
        return cast(TestValues, await self._core.call(operation, given))
