"""A shop with one book: PAYMENTS_KEY=… PAYMENTS_URL=… python checkout.py, then open http://127.0.0.1:8000/buy."""

import os
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from payments_client import PaymentsClient

PORT = int(os.environ.get("PORT", "8000"))
SHOP = f"http://127.0.0.1:{PORT}"
client = PaymentsClient(os.environ["PAYMENTS_KEY"], base_url=os.environ["PAYMENTS_URL"])
orders: dict[str, str] = {}
"""The payment of each order; in earnest this is a table."""


class Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/buy":
            self.buy()
        else:
            self.come_back(parse_qs(url.query).get("order", [""])[0])

    def buy(self) -> None:
        order = str(uuid.uuid4())
        intent = client.payment_intents.create(
            {
                "amount": "49.90",
                "currency": "EUR",
                "description": "One book",
                "metadata": {"order": order},
                "return_url": f"{SHOP}/thanks?order={order}",
                "cancel_url": f"{SHOP}/basket",
            },
            # However often this order is asked to be paid, it has one link.
            idempotency_key=order,
        )
        orders[order] = intent["id"]
        self.send_response(303)
        self.send_header("Location", intent["pay_url"])
        self.end_headers()

    def come_back(self, order: str) -> None:
        """Anybody can open the return page: only the service says whether it is paid."""
        if order not in orders:
            return self.send_error(404, "There is no such order.")
        status = client.payment_intents.retrieve(orders[order])["status"]
        is_paid = status == "succeeded"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Thank you for your order." if is_paid else f"The payment is {status}.".encode())


ThreadingHTTPServer(("127.0.0.1", PORT), Shop).serve_forever()
