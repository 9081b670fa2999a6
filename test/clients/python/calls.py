"""A program as a merchant writes it with the official client.

Checked by mypy --strict and run against the service by test/clients/run.sh; ends with 1 when something differs.
"""

import asyncio
import os
import pickle
import signal
import threading
import time
import urllib.parse
import urllib.request
from decimal import Decimal
from typing import Any, cast
from unittest.mock import patch

from payments_client import (
    ApiConnectionError,
    ApiError,
    AsyncPaymentsClient,
    OutcomeUnknown,
    PaymentsClient,
    Request,
    Response,
    last_response,
    sign_webhook,
    verify_webhook,
)
from payments_client.models import CreateTransferRequest, PaymentIntent, WebhookEvent

KEY, URL = os.environ["PAYMENTS_KEY"], os.environ["PAYMENTS_URL"]
logged: list[dict[str, Any]] = []
client = PaymentsClient(KEY, base_url=URL, log=logged.append)
ORDER: CreateTransferRequest = {"to_username": "customer", "currency": "XOF", "amount": "5000"}


def title(intent: PaymentIntent) -> str:
    """One type serves a response, a row of a list and the data of an event."""
    return f"{intent['reference']} {intent['status']}"


def main() -> None:
    created = client.payment_intents.create(
        {"amount": Decimal("49.90"), "currency": "EUR", "metadata": {"order": "A-17", "weight": 1.5}}
    )
    assert str(created["amount"]) == "49.90", created
    pay_at_simulator(created["checkout_url"])
    paid = wait_until_paid(created["id"])
    assert paid["metadata"] == {"order": "A-17", "weight": 1.5}, paid
    assert paid["last_payment_error"] is None and paid["amount"] * 2 == Decimal("99.80"), paid

    listed = client.payment_intents.list({"status": "succeeded", "limit": 1})
    assert len(listed.page()["payment_intents"]) == 1
    titles = [title(row) for row, _ in zip(listed, range(3), strict=False)]
    assert title(paid) in titles, titles

    refunded = client.refunds.create(paid["short_code"], {"amount": "9.90", "reason": "one"})
    assert refunded["payment_intent_id"] == paid["id"] and refunded["amount"] == Decimal("9.90"), refunded

    key = f"python/{time.time_ns()} 1"
    sent = client.transfers.create(ORDER, idempotency_key=key)
    assert str(sent["amount"]) == "5000.00" and sent["status"] == "simulated", sent
    again = client.transfers.create(ORDER, idempotency_key=key)
    assert again["reference"] == sent["reference"], again
    response = last_response(again)
    assert response.status == 200 and response.headers["idempotent-replayed"] == "true", response
    assert response.request_id, response
    csv = client.transactions.list_csv({"direction": "in"})
    assert paid["reference"].encode() in csv and last_response(csv).status == 200, csv
    kept = client.idempotency_keys.retrieve(key, {"operation": "transfer"})
    assert kept["reference"] == sent["reference"], kept

    try:
        client.transfers.create({"to_username": "nobody-of-this-name", "currency": "XOF", "amount": "5000"})
        raise AssertionError("It was not refused.")
    except ApiError as error:
        refused: ApiError = pickle.loads(pickle.dumps(error))
    assert refused.code == "recipient_not_found" and refused.status == 404, refused
    assert not refused.retryable and refused.request_id, refused
    assert len(logged) > 10 and KEY not in repr([logged, refused, client]), "no log shows the key"


async def main_async() -> None:
    concurrent = AsyncPaymentsClient(KEY, base_url=URL)
    sent = await asyncio.gather(*[concurrent.transfers.create(ORDER) for _ in range(5)])
    assert len({transfer["reference"] for transfer in sent}) == 5, sent
    listed = concurrent.payment_intents.list({"limit": 1})
    assert len((await listed.page())["payment_intents"]) == 1
    async for row in listed:
        assert title(row)
        break


def webhook_shapes() -> None:
    """Headers as servers give them, and a secret as a file does."""
    secret = "whsec_" + "MDEy" * 8
    signed = sign_webhook('{"id":"evt-1"}', secret)
    wsgi = {"HTTP_" + name.upper().replace("-", "_"): value for name, value in signed.items()}
    asgi = [(name.encode(), value.encode()) for name, value in signed.items()]
    gateway = {name: [value] for name, value in signed.items()}
    for headers in (signed, {**wsgi, "wsgi.input": None}, asgi, gateway):
        event = verify_webhook(b'{"id":"evt-1"}', cast(Any, headers), secret + "\n")
        assert event["id"] == "evt-1", headers


def fake_service() -> None:
    """A service of one's own making, for tests."""
    asked: list[Request] = []

    def answer(request: Request, seconds: float) -> Response:
        asked.append(request)
        return Response(200, {"X-Request-Id": "req-1"}, b'{"ok": true, "wallets": []}')

    faked = PaymentsClient("pay_test_fake", base_url="https://pay.example/api/public/v1", http_client=answer)
    wallets = faked.wallets.list()
    assert wallets["wallets"] == [] and last_response(wallets).request_id == "req-1", wallets
    assert [request.url for request in asked] == ["https://pay.example/api/public/v1/wallets"], asked


def without_threads() -> None:
    """At the limit of a container no thread starts. Before the first try nothing has left, later it may have."""
    start, threads = threading.Thread.start, [0]

    def limited(thread: threading.Thread) -> None:
        threads[0] -= 1
        if threads[0] < 0:
            raise RuntimeError("can't start new thread")
        start(thread)

    with patch.object(threading.Thread, "start", limited):
        try:
            client.transfers.create(ORDER)
            raise AssertionError("It was sent.")
        except ApiConnectionError as error:
            assert error.is_unsent, error
        threads[0], key = 1, f"python/{time.time_ns()} threads"
        try:
            client.transfers.create(ORDER, idempotency_key=key, headers={"Sandbox-Fault": "lost-response"})
            raise AssertionError("It was answered.")
        except OutcomeUnknown as unknown:
            assert unknown.key == key
    kept = client.idempotency_keys.retrieve(key, {"operation": "transfer"})
    assert kept["state"] == "completed", kept


def broken_off_by_a_signal() -> None:
    class Late(Exception):
        pass

    def stop(*_: object) -> None:
        raise Late

    before = signal.signal(signal.SIGALRM, stop)
    # It is late once the request is on its way.
    logging = PaymentsClient(KEY, base_url=URL, log=lambda _: signal.setitimer(signal.ITIMER_REAL, 0.5))
    try:
        logging.transfers.create(ORDER, headers={"Sandbox-Fault": "slow-after=20000"})
        raise AssertionError("It was not broken off.")
    except OutcomeUnknown as unknown:
        assert unknown.key, unknown
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def pay_at_simulator(checkout_url: str) -> None:
    """What a customer does on the simulator's checkout, whose answer leads back to the link's page."""
    form = urllib.parse.urlencode({"action": "pay"}).encode()
    with urllib.request.urlopen(checkout_url, form) as response:
        assert response.status < 400


def wait_until_paid(id_or_code: str) -> PaymentIntent:
    for _ in range(600):
        intent = client.payment_intents.retrieve(id_or_code)
        if intent["status"] == "succeeded":
            return intent
        time.sleep(0.1)
    raise AssertionError("The link was not paid.")


def paid_amount(event: WebhookEvent) -> Decimal | None:
    """The type of an event says what its data are."""
    return event["data"]["net_amount"] if event["type"] == "payment.succeeded" else None


def refused_by_mypy(intent: PaymentIntent, error: OutcomeUnknown) -> None:
    """What must not pass: mypy finds an ignored error that is none."""
    client.transfers.create({"to_username": "a", "currency": "GBP", "amount": "1"})  # type: ignore[typeddict-item]
    client.transfers.create({"to_username": "a", "currency": "EUR", "amount": 1.5})  # type: ignore[typeddict-item]
    client.transfers.create({"to_username": "a", "currency": "EUR"})  # type: ignore[typeddict-item]
    client.transfers.create(  # type: ignore[call-arg]
        {"to_username": "a", "currency": "EUR", "amount": "1"}, idempotence_key="a"
    )
    client.wallets.list(idempotency_key="a")  # type: ignore[call-arg]
    print(intent["amount_paid"])  # type: ignore[typeddict-item]
    print(error.status)  # type: ignore[attr-defined]


main()
webhook_shapes()
fake_service()
without_threads()
broken_off_by_a_signal()
asyncio.run(main_async())
