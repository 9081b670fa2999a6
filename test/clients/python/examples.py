"""Runs the programs of the client's README and its examples as a shop and its customer would.

The client is installed, the examples are beside this file; ends with 1 when something differs.
"""

import contextlib
import importlib.metadata
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator

from payments_client import PaymentsClient

client = PaymentsClient(os.environ["PAYMENTS_KEY"], base_url=os.environ["PAYMENTS_URL"])


def run_readme() -> None:
    """The first two programs stand alone."""
    readme = str(importlib.metadata.metadata("payments-client").json["description"])
    programs = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[:2]
    assert len(programs) == 2
    for program in programs:
        lines = [line for line in program.splitlines() if line and not re.match(r"from|import|#", line)]
        assert len(lines) <= 10, program
        subprocess.run([sys.executable, "-c", program], check=True)


def buy() -> None:
    with started("checkout.py") as (shop, _):
        status, headers, _ = ask(f"{shop}/buy")
        assert status == 303, status
        intent = client.payment_intents.retrieve(headers["Location"].rpartition("/")[2])
        page = str(intent["return_url"])
        assert ask(page)[2] == "The payment is open."
        ask(intent["checkout_url"], {"action": "pay"})
        until(lambda: ask(page)[2] == "Thank you for your order.")


def receive() -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/hook"
    endpoint = client.webhook_endpoints.create({"url": url})
    with started("webhook_fastapi.py", port, PAYMENTS_WEBHOOK_SECRETS=endpoint["secret"]) as (_, lines):
        forged = {"webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}
        status, _, body = ask(url, {}, forged)
        assert status == 400 and "wrong_signature" in body, body
        client.webhook_endpoints.test(endpoint["id"], {"type": "payment.succeeded"})
        until(lambda: any(re.search(r" is paid: \d+\.\d\d$", line) for line in lines))
    client.webhook_endpoints.delete(endpoint["id"])


@contextlib.contextmanager
def started(example: str, port: int | None = None, **environment: str) -> Iterator[tuple[str, list[str]]]:
    port = port or free_port()
    environment = {**os.environ, **environment, "PORT": str(port)}
    child = subprocess.Popen([sys.executable, example], env=environment, stdout=subprocess.PIPE, text=True)
    lines: list[str] = []
    threading.Thread(target=lambda: lines.extend(child.stdout or []), daemon=True).start()
    try:
        until(lambda: listens(port))
        yield f"http://127.0.0.1:{port}", lines
    finally:
        child.terminate()
        child.wait()


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def ask(
    url: str, form: dict[str, str] | None = None, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, str], str]:
    data = None if form is None else urllib.parse.urlencode(form).encode()
    request = urllib.request.Request(url, data, headers or {})
    try:
        response = urllib.request.build_opener(Stay).open(request)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        return response.status, dict(response.headers), response.read().decode()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(600):
        if is_so():
            return
        time.sleep(0.1)
    raise AssertionError("It does not become so.")


run_readme()
buy()
receive()
