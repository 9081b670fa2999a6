"""One request over one connection of its own, with the standard library.

http.client has no limit for all of an exchange, nor a way to end one from outside. So each exchange runs in a
thread; who waits for it, a thread or a task, stops when the time is over or the task is cancelled, and cuts the
connection, which ends the thread.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import http.client
import inspect
import random
import re
import socket
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from .errors import ApiConnectionError, InvalidArgument, Secret


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    """The template of the path."""
    keyed: str | None
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)


@dataclass(frozen=True)
class Response:
    status: int
    headers: Mapping[str, str]
    """With names in small letters."""
    body: bytes = field(repr=False)

    @property
    def request_id(self) -> str | None:
        return self.headers.get("x-request-id")


HttpClient = Callable[[Request, float], Response]
"""Returns the response of a request within so many seconds. Raises ApiConnectionError where there is none;
whatever else it raises is a response that was lost."""
AsyncHttpClient = Callable[[Request, float], Awaitable[Response]]


_PROXY_FORM = "http://host:port, with user:password@ before the host if need be, percent-encoded"


class BrokenOffUnsent(Exception):
    """Whatever else breaks off an exchange may have done so when the request had left."""

    def __init__(self, broken_off: BaseException) -> None:
        super().__init__("The call was broken off before the request left, and it never will.")
        self.broken_off = broken_off


class Line:
    """How a client waits, and what is not the same at each run. Times are in seconds."""

    def __init__(self, http_client: HttpClient | AsyncHttpClient | None = None, proxy: str | None = None) -> None:
        if not (http_client is None or callable(http_client)):
            raise InvalidArgument("http_client", "http_client is a function.")
        if not (proxy is None or re.fullmatch(r"http://\S+", proxy) and _read_proxy(Secret(proxy))):
            raise InvalidArgument("proxy", f"A proxy is {_PROXY_FORM}.")
        self._http_client = http_client
        self._proxy = Secret(proxy or "")

    def now(self) -> float:
        return time.monotonic()

    def random(self) -> float:
        return random.random()

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError

    async def exchange(self, request: Request, limit: float) -> Response:
        """Raises ApiConnectionError when there is no response within `limit`."""
        if self._http_client is None:
            return await self._connect(request, limit)
        try:
            given = self._http_client(request, limit)
            response = await given if inspect.isawaitable(given) else given
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Response(response.status, headers, response.body)
        except ApiConnectionError:
            raise
        except Exception as error:
            raise ApiConnectionError(f"The http_client has failed: {error}") from error

    async def _connect(self, request: Request, limit: float) -> Response:
        raise NotImplementedError


class BlockingLine(Line):
    """Nothing in it is awaited: its coroutines are over when they are begun (`run` in core.py)."""

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def _connect(self, request: Request, limit: float) -> Response:
        with _Exchange(request, limit, self._proxy) as exchange:
            try:
                wait({exchange.future}, limit)
            # A handler of signals may throw into the wait, as those for Ctrl-C and SIGALRM do, and so does gevent.
            except BaseException as error:
                if exchange.cut():
                    raise
                raise BrokenOffUnsent(error) from None
            if exchange.future.done():
                return _read(exchange.future.result())
            raise exchange.late()


class AsyncioLine(Line):
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _connect(self, request: Request, limit: float) -> Response:
        try:
            # A task that was cancelled before now sends nothing.
            await asyncio.sleep(0)
        except BaseException as error:
            raise BrokenOffUnsent(error) from None
        with _Exchange(request, limit, self._proxy) as exchange:
            future = asyncio.wrap_future(exchange.future)
            try:
                await asyncio.wait({future}, timeout=limit)
            except BaseException as error:
                future.cancel()
                if exchange.cut():
                    raise
                raise BrokenOffUnsent(error) from None
            if future.done():
                return _read(future.result())
            future.cancel()
            raise exchange.late()


def _read(result: Response | ApiConnectionError) -> Response:
    if isinstance(result, ApiConnectionError):
        raise result
    return result


@functools.cache
def _tls() -> ssl.SSLContext:
    """Reading the authorities of the machine takes longer than a request."""
    try:
        return ssl.create_default_context()
    # A SSLKEYLOGFILE that cannot be written is one.
    except (OSError, ValueError) as error:
        raise ApiConnectionError(f"TLS cannot be set up: {error}", is_unsent=True) from error


def _tunnel(proxy: str, host: str, port: int | None, limit: float) -> http.client.HTTPConnection:
    if not proxy:
        return http.client.HTTPSConnection(host, port, timeout=limit, context=_tls())
    via = _read_proxy(proxy)
    if via is None:
        # One that was given has been looked at when the client was made.
        message = f"https_proxy of the environment is no proxy, which is {_PROXY_FORM}. Nothing was sent."
        raise BrokenOffUnsent(InvalidArgument("https_proxy", message))
    connection = http.client.HTTPSConnection(via.hostname or "", via.port or 80, timeout=limit, context=_tls())
    user = unquote(f"{via.username or ''}:{via.password or ''}").encode()
    headers = {"Proxy-Authorization": f"Basic {base64.b64encode(user).decode()}"} if user != b":" else {}
    connection.set_tunnel(host, port or 443, headers)
    return connection


def _read_proxy(text: str) -> SplitResult | None:
    """None when it is no proxy: the errors of urlsplit show a part of what may be a password."""
    with contextlib.suppress(ValueError):
        via = urlsplit(text if "://" in text else f"http://{text}")
        is_whole = via.hostname and via.port != 0 and not re.search(r"[\x00-\x20\x7f]", via.netloc)
        return via if is_whole else None
    return None


class _Exchange:
    """The thread of a request. Its errors are values of `future` too, because nobody may be looking any more."""

    def __init__(self, request: Request, limit: float, proxy: str) -> None:
        self.future: Future[Response | ApiConnectionError] = Future()
        self._request = request
        self._lock = threading.Lock()
        self._is_sent = False
        self._is_over = False
        url = urlsplit(request.url)
        self._target = f"{url.path}?{url.query}" if url.query else url.path
        host = url.hostname or ""
        if url.scheme == "https":
            proxy = Secret(proxy or ("" if proxy_bypass(host) else getproxies().get("https", "")))
            self._connection = _tunnel(proxy, host, url.port, limit)
        else:
            self._connection = http.client.HTTPConnection(host, url.port, timeout=limit)
        # It would connect again after it was cut.
        self._connection.auto_open = 0

    def __enter__(self) -> _Exchange:
        self.future.set_running_or_notify_cancel()
        try:
            threading.Thread(target=self._run, name="payments-client", daemon=True).start()
        # There is none at the limit of a container, nor when the interpreter ends.
        except RuntimeError as error:
            self._fail(error)
        # Broken off while the thread began.
        except BaseException:
            self.cut()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def late(self) -> ApiConnectionError:
        return ApiConnectionError("The service did not answer in time.", is_unsent=not self.cut())

    def cut(self) -> bool:
        """Whether the request may have left; if it has not, it never will."""
        with self._lock:
            self._is_over = True
        sock: socket.socket | None = self._connection.sock
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        return self._is_sent

    def _run(self) -> None:
        try:
            answer = self._ask()
        # Whatever it is, the service has not answered.
        except Exception as error:
            self._fail(error)
        else:
            self.future.set_result(answer)
        finally:
            self._connection.close()

    def _fail(self, error: Exception) -> None:
        message = f"The service could not be reached, or its response was lost: {error}"
        result = ApiConnectionError(message, is_unsent=not self._is_sent)
        # Its trace has variables of http.client, with the key.
        result.__cause__ = error.with_traceback(None)
        self.future.set_result(result)

    def _ask(self) -> Response:
        self._connection.connect()
        with self._lock:
            if self._is_over:
                raise TimeoutError
            self._is_sent = True
        request = self._request
        self._connection.request(request.method, self._target, request.body, dict(request.headers))
        response = self._connection.getresponse()
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Response(response.status, headers, response.read())
