"""The clients: PaymentsClient for programs without an event loop, AsyncPaymentsClient for asyncio."""

from __future__ import annotations

from .core import Core, Log
from .errors import Secret
from .generated.async_resources import AsyncResources
from .generated.resources import Resources
from .transport import AsyncHttpClient, AsyncioLine, BlockingLine, HttpClient, Line
from .webhooks import Webhooks


class PaymentsClient(Resources):
    """The API of one service, with one key. Threads may share it.

    `base_url` is the address of the API, such as `https://pay.example/api/public/v1`; `allow_http` takes `http` to
    another machine too, where who listens in between reads the key; `retries` says how often a call is tried
    again; `timeout` is for each try and `deadline` for all tries of a call with their pauses, both in seconds.
    `log` gets a dict for each request, response, failure, pause and question, with no key, address or body in it.
    `proxy` is an `http://…` that tunnels https, instead of the environment's; `http_client` is a function in place
    of the network, for tests.
    """

    webhooks = Webhooks()
    """Proves that a webhook is the service's."""

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str,
        allow_http: bool = False,
        retries: int = 3,
        timeout: float = 30,
        deadline: float = 60,
        log: Log | None = None,
        proxy: str | None = None,
        http_client: HttpClient | None = None,
        _line: Line | None = None,
    ) -> None:
        api_key = Secret(api_key if isinstance(api_key, str) else "")
        line = _line or BlockingLine(http_client, proxy)
        super().__init__(Core(api_key, base_url, allow_http, retries, timeout, deadline, log, line))


class AsyncPaymentsClient(AsyncResources):
    """As PaymentsClient, with `await` and `async for`; `http_client` may be a coroutine function."""

    webhooks = Webhooks()

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str,
        allow_http: bool = False,
        retries: int = 3,
        timeout: float = 30,
        deadline: float = 60,
        log: Log | None = None,
        proxy: str | None = None,
        http_client: HttpClient | AsyncHttpClient | None = None,
        _line: Line | None = None,
    ) -> None:
        api_key = Secret(api_key if isinstance(api_key, str) else "")
        line = _line or AsyncioLine(http_client, proxy)
        super().__init__(Core(api_key, base_url, allow_http, retries, timeout, deadline, log, line))
