"""The clients: PaymentsClient for programs without an event loop, AsyncPaymentsClient for asyncio."""

from __future__ import annotations

from .core import Core, Log
from .generated.async_resources import AsyncResources
from .generated.resources import Resources
from .transport import AsyncioLine, BlockingLine, Line
from .webhooks import Webhooks


class PaymentsClient(Resources):
    """The API of one service, with one key. Threads may share it.

    `base_url` is the address of the API, such as `https://pay.example/api/public/v1`; `retries` says how often a
    call is tried again; `timeout` is for each try and `deadline` for all tries of a call with their pauses, both
    in seconds. `log` gets a dict for each request, response, failure, pause and question, with no key, address or
    body in it.
    """

    webhooks = Webhooks()
    """Proves that a webhook is the service's."""

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str,
        retries: int = 3,
        timeout: float = 30,
        deadline: float = 60,
        log: Log | None = None,
        _line: Line | None = None,
    ) -> None:
        line = _line or BlockingLine()
        super().__init__(Core(api_key, base_url, retries, timeout, deadline, log, line))


class AsyncPaymentsClient(AsyncResources):
    """As PaymentsClient, with `await` and `async for`."""

    webhooks = Webhooks()

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str,
        retries: int = 3,
        timeout: float = 30,
        deadline: float = 60,
        log: Log | None = None,
        _line: Line | None = None,
    ) -> None:
        line = _line or AsyncioLine()
        super().__init__(Core(api_key, base_url, retries, timeout, deadline, log, line))
