"""A program as a merchant writes it with the client that openapi-python-client generates.

Checked by mypy --strict and run against the service by test/clients/run.sh; ends with 1 when something
differs.
"""

import os
import time
import urllib.parse
import urllib.request

from payments import AuthenticatedClient
from payments.api.payment_links import create_payment_intent, get_payment_intent, list_payment_intents
from payments.api.refunds import create_refund
from payments.api.transfers import create_transfer
from payments.models import (
    CreatedTransfer,
    CreatePaymentIntentRequest,
    CreateRefundRequest,
    CreateTransferRequest,
    Currency,
    Error,
    ErrorCode,
    PaymentIntent,
    PaymentIntentList,
    PaymentIntentStatus,
    Refund,
    TransferStatus,
)

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["KEY"])


def title(intent: PaymentIntent) -> str:
    """One type serves an answer and a row of a list."""
    return f"{intent.reference} {intent.status}"


def main() -> None:
    created = create_payment_intent.sync(
        client=client,
        body=CreatePaymentIntentRequest(amount=49.9, currency=Currency.EUR),
        idempotency_key=f"python-{time.time_ns()}",
    )
    assert isinstance(created, PaymentIntent), created
    pay_at_simulator(created.checkout_url)
    paid = wait_until_paid(str(created.id))
    print(title(paid))

    listed = list_payment_intents.sync(client=client, status=PaymentIntentStatus.SUCCEEDED, limit=5)
    assert isinstance(listed, PaymentIntentList), listed
    assert title(paid) in [title(row) for row in listed.payment_intents]

    refunded = create_refund.sync(
        str(paid.id),
        client=client,
        body=CreateRefundRequest(amount=9.9, reason="one book"),
        idempotency_key=f"python-refund-{time.time_ns()}",
    )
    assert isinstance(refunded, Refund), refunded
    assert refunded.payment_intent_id == paid.id

    sent = create_transfer.sync(
        client=client,
        body=CreateTransferRequest(to_username="customer", currency=Currency.XOF, amount=5000),
    )
    assert isinstance(sent, CreatedTransfer), sent
    assert sent.status == TransferStatus.SIMULATED
    refused = create_transfer.sync(
        client=client,
        body=CreateTransferRequest(to_username="nobody-of-this-name", currency=Currency.XOF, amount=5000),
    )
    assert isinstance(refused, Error), refused
    assert refused.error.code == ErrorCode.RECIPIENT_NOT_FOUND
    assert refused.error.retryable is False


def pay_at_simulator(checkout_url: str) -> None:
    """What a customer does on the simulator's checkout, whose answer leads back to the link's page."""
    form = urllib.parse.urlencode({"action": "pay"}).encode()
    with urllib.request.urlopen(checkout_url, form) as response:
        assert response.status < 400


def wait_until_paid(id_or_code: str) -> PaymentIntent:
    for _ in range(600):
        intent = get_payment_intent.sync(id_or_code, client=client)
        if isinstance(intent, PaymentIntent) and intent.status == PaymentIntentStatus.SUCCEEDED:
            return intent
        time.sleep(0.1)
    raise AssertionError("The link was not paid.")


main()
