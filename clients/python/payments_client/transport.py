"""One request over one connection of its own, with the standard library.

http.client has no limit for all of an exchange, nor a way to end one from outside. So each exchange runs in a
thread; who waits for it, a thread or a task, stops when the time is over or the task is cancelled, and cuts the
connection, which ends the thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import http.client
import random
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .errors import ApiConnectionError


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
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class CancelledUnderWay(Exception):
    def __init__(self, cancelled: asyncio.CancelledError) -> None:
        super().__init__("The task was cancelled when the request may have left.")
        self.cancelled = cancelled


class Line:
    """How a client waits, and what is not the same at each run. Times are in seconds."""

    def now(self) -> float:
        return time.monotonic()

    def random(self) -> float:
        return random.random()

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError

    async def exchange(self, request: Request, limit: float) -> Answer:
        """Raises ApiConnectionError when there is no answer within `limit`."""
        raise NotImplementedError


class BlockingLine(Line):
    """Nothing in it is awaited: its coroutines are over when they are begun (`run` in core.py)."""

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def exchange(self, request: Request, limit: float) -> Answer:
        with _Exchange(request, limit) as exchange:
            with contextlib.suppress(FutureTimeout):
                return _read(exchange.future.result(limit))
            raise exchange.late()


class AsyncioLine(Line):
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def exchange(self, request: Request, limit: float) -> Answer:
        # A task that was cancelled before now sends nothing.
        await asyncio.sleep(0)
        with _Exchange(request, limit) as exchange:
            future = asyncio.wrap_future(exchange.future)
            try:
                await asyncio.wait({future}, timeout=limit)
                if future.done():
                    return _read(future.result())
                raise exchange.late()
            except asyncio.CancelledError as error:
                if exchange.cut():
                    raise CancelledUnderWay(error) from None
                raise
            finally:
                future.cancel()


def _read(result: Answer | ApiConnectionError) -> Answer:
    if isinstance(result, ApiConnectionError):
        raise result
    return result


@functools.cache
def _tls() -> ssl.SSLContext:
    """Reading the authorities of the machine takes longer than a request."""
    return ssl.create_default_context()


class _Exchange:
    """The thread of a request. Its errors are values of `future` too, because nobody may be looking any more."""

    def __init__(self, request: Request, limit: float) -> None:
        self.future: Future[Answer | ApiConnectionError] = Future()
        self._request = request
        self._lock = threading.Lock()
        self._is_sent = False
        self._is_over = False
        url = urlsplit(request.url)
        self._target = f"{url.path}?{url.query}" if url.query else url.path
        host = url.hostname or ""
        self._connection = (
            http.client.HTTPSConnection(host, url.port, timeout=limit, context=_tls())
            if url.scheme == "https"
            else http.client.HTTPConnection(host, url.port, timeout=limit)
        )
        # It would connect again after it was cut.
        self._connection.auto_open = 0

    def __enter__(self) -> _Exchange:
        self.future.set_running_or_notify_cancel()
        threading.Thread(target=self._run, name="payments-client", daemon=True).start()
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
            result: Answer | ApiConnectionError = self._ask()
        # Whatever it is, the service has not answered.
        except Exception as error:
            result = ApiConnectionError(
                "The service could not be reached, or its response was lost.",
                is_unsent=not self._is_sent,
            )
            result.__cause__ = error
        finally:
            self._connection.close()
        self.future.set_result(result)

    def _ask(self) -> Answer:
        self._connection.connect()
        with self._lock:
            if self._is_over:
                raise TimeoutError
            self._is_sent = True
        request = self._request
        self._connection.request(request.method, self._target, request.body, dict(request.headers))
        response = self._connection.getresponse()
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status, headers, response.read())
