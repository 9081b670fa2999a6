"""Receives webhooks: PAYMENTS_WEBHOOK_SECRETS=whsec_… python webhook_receiver.py.

During a rotation give both secrets, with a comma between.
"""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from payments_client import SignatureError, verify_webhook

SECRETS = os.environ["PAYMENTS_WEBHOOK_SECRETS"].split(",")
done: set[str] = set()
"""An event may come twice; in earnest this is a column that is unique."""


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        # The bytes as they came.
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify_webhook(raw, self.headers, SECRETS)
        except SignatureError as error:
            return self.send_error(400, error.code)
        if event["id"] not in done:
            if event["type"] == "payment.succeeded":
                print(f"{event['data']['reference']} is paid: {event['data']['amount']}", flush=True)
            else:
                print(event["type"], event["id"], flush=True)
            done.add(event["id"])
        self.send_response(204)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
