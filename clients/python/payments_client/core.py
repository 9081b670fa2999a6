"""One call: its key, its tries, and the question what became of it. See clients/CONTRIBUTING.md."""

from __future__ import annotations

import contextlib
import re
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit

from .amounts import parse_json, write_json
from .errors import ApiConnectionError, ApiError, InvalidArgument, OutcomeUnknown, Secret
from .generated.version import VERSION
from .transport import BrokenOffUnsent, Line, Request, Response

T = TypeVar("T")
Page = TypeVar("Page")
Row = TypeVar("Row")

Log = Callable[[dict[str, Any]], object]
"""Gets an entry for each request, response, failure, pause and question: no key, no address and no body."""

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
_QUESTIONS = 4
"""How often the outcome of a key is asked for."""
_KEPT_FOR_QUESTIONS = 1 / 6
"""The part of the deadline that is kept for them."""
_HEADER = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?")
_BASE_URL = re.compile(r"(https?)://([\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:/[^\s?#\\]*)?", re.A | re.I)
_LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|\[::1\]", re.I)
_DAY = 86_400
_TOKEN = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_BEFORE_THE_KEY = (401, 403, 408, 429)
"""Decided before the key is looked at, so they say nothing about an earlier try."""
_TRIED_AGAIN = (429, 502, 503, 504)
_NO_JSON = object()
_OWN_HEADERS = ("accept", "authorization", "content-type", "idempotency-key", "user-agent")


class _Data(dict[str, Any]):
    last_response: Response


class _File(bytes):
    last_response: Response


def last_response(result: object) -> Response:
    """The response with which a result of a call came: its status, headers and request id."""
    return cast(_Data, result).last_response


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    keyed: str | None = None
    """The operation of its Idempotency-Key, when it takes one."""
    accept: str = "application/json"
    """Or the type of the file that it returns."""
    items: str = ""
    """The field of a page that holds its rows."""
    cursor: str | None = None
    """The parameter that takes `next_cursor`; a list that has a single page takes none."""


@dataclass(frozen=True)
class Arguments:
    path: Mapping[str, str]
    query: Mapping[str, Any] | None = None
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] | None = None
    idempotency_key: str | None = None


@dataclass
class _State:
    is_unknown: bool = False


class Core:
    def __init__(
        self,
        api_key: Secret,
        base_url: str,
        allow_http: bool,
        retries: int,
        timeout: float,
        deadline: float,
        log: Log | None,
        line: Line,
    ) -> None:
        if not _HEADER.fullmatch(api_key):
            raise InvalidArgument("api_key", "The API key is missing, or is not one line of ASCII.")
        self._authorization = f"Bearer {api_key}"
        self._base = _read_base_url(base_url, allow_http)
        self._retries = _within("retries", retries, 0, 100)
        self._timeout = _within("timeout", timeout, 0.001, _DAY)
        self._deadline = _within("deadline", deadline, 0.001, _DAY)
        if not (log is None or callable(log)):
            raise InvalidArgument("log", "log is a function.")
        self._log_hook = log
        self._line = line

    async def call(self, operation: Operation, given: Arguments) -> Any:
        key = given.idempotency_key
        if operation.keyed and key is None:
            key = str(uuid.uuid4())
        if key is not None and not (isinstance(key, str) and _HEADER.fullmatch(key)):
            raise InvalidArgument(
                "idempotency_key",
                "An Idempotency-Key is one line of at most 255 printable ASCII characters, "
                "with no space at its ends.",
            )
        request = self._request(operation, given, key)
        end = self._line.now() + self._deadline
        if key is not None:
            return await self._once_for_all(request, key, end)
        return await self._tries(request, end, _State())

    async def rows(self, operation: Operation, given: Arguments) -> AsyncIterator[Any]:
        """Every row, page after page."""
        before = None
        while True:
            page = await self.call(operation, given)
            for row in page.get(operation.items) or []:
                yield row
            cursor = page.get("next_cursor")
            if page.get("has_more") is not True or not isinstance(cursor, str) or not operation.cursor:
                return
            if cursor == before:
                raise ApiError("The next page is the one that was just read.", status=200)
            before = cursor
            query = {**(given.query or {}), operation.cursor: cursor}
            given = Arguments(given.path, query, headers=given.headers)

    def _request(self, operation: Operation, given: Arguments, key: str | None) -> Request:
        headers = {}
        for name, value in (given.headers or {}).items():
            if not _TOKEN.fullmatch(name) or re.search(r"[^\t\x20-\x7e]", value):
                raise InvalidArgument("headers", f"{name!r} is no header that can be sent.")
            if name.lower() in _OWN_HEADERS:
                raise InvalidArgument("headers", f"{name} is a header of the client's own.")
            headers[name.lower()] = value
        headers["accept"] = operation.accept
        headers["user-agent"] = f"payments-client-python/{VERSION}"
        if given.body is not None:
            headers["content-type"] = "application/json"
        if key is not None:
            headers["idempotency-key"] = key
        filters = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in (given.query or {}).items()
            if value is not None
        }
        query = f"?{urlencode(filters)}" if filters else ""
        url = f"{self._base}{_fill(operation.path, given.path)}{query}"
        body = None if given.body is None else write_json(given.body)
        # Last, because what is refused above is thrown with its variables.
        headers["authorization"] = self._authorization
        return Request(operation.method, operation.path, operation.keyed, url, headers, body)

    async def _once_for_all(self, request: Request, key: str, end: float) -> Any:
        """All tries, and the question about the outcome when no try has told it."""
        operation = request.keyed or ""
        state = _State()
        try:
            return await self._tries(request, end - self._deadline * _KEPT_FOR_QUESTIONS, state)
        except (ApiError, ApiConnectionError) as error:
            if not state.is_unknown or _is_settled(error):
                raise
            try:
                kept = await self._ask(key, operation, end)
            except BaseException as broken_off:
                _hand_over(OutcomeUnknown(key, operation), broken_off)
                raise
            if kept is None:
                raise OutcomeUnknown(key, operation) from error
            if kept == "nothing":
                error.args = (f"{error.args[0]} The service was asked since: nothing was carried out.",)
                raise
        except BaseException as error:
            if state.is_unknown:
                _hand_over(OutcomeUnknown(key, operation), error)
            raise
        if kept["http_status"] >= 300:
            raise _refusal(kept["http_status"], {}, kept["response"])
        response = _Data(kept["response"])
        response.last_response = kept.last_response
        return response

    async def _tries(self, request: Request, end: float, state: _State) -> Any:
        count = 1
        while True:
            try:
                return await self._send(request, count, end)
            except BrokenOffUnsent as error:
                raise error.broken_off from None
            except (ApiError, ApiConnectionError) as error:
                state.is_unknown = state.is_unknown or _leaves_unknown(error)
                pause = self._pause(error, count)
                is_last = count > self._retries or self._line.now() + pause >= end
                if is_last or not _may_repeat(error, request):
                    raise
            except BaseException:
                state.is_unknown = True
                raise
            await self._sleep(request, pause, count)
            count += 1

    async def _ask(self, key: str, operation: str, end: float) -> Any:
        """None when it stays unknown."""
        question = Operation("GET", "/idempotency-keys/{key}")
        given = Arguments({"key": key}, {"operation": operation})
        request = self._request(question, given, None)
        for count in range(1, _QUESTIONS + 1):
            failure = None
            try:
                self._log(request, "ask", count)
                kept = await self._send(request, count, end)
                if isinstance(kept, dict) and kept.get("state") == "completed":
                    if isinstance(kept.get("http_status"), int) and isinstance(kept.get("response"), dict):
                        return kept
            except (ApiError, ApiConnectionError) as error:
                if isinstance(error, ApiError) and error.code == "idempotency_key_not_found":
                    return "nothing"
                if not _may_repeat(error, request) and not _leaves_unknown(error):
                    return None
                failure = error
            except BrokenOffUnsent as error:
                raise error.broken_off from None
            pause = self._pause(failure, count)
            if count == _QUESTIONS or self._line.now() + pause >= end:
                return None
            await self._sleep(request, pause, count)
        return None

    async def _sleep(self, request: Request, pause: float, count: int) -> None:
        self._log(request, "pause", count, wait_ms=round(pause * 1000))
        await self._line.sleep(pause)

    def _pause(self, error: Exception | None, count: int) -> float:
        """What the service asks for, and a jitter that keeps callers apart."""
        asked = error.retry_after if isinstance(error, ApiError) else None
        grown: float = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (count - 1))
        return (asked or 0) + grown * (0.5 + self._line.random() / 2)

    async def _send(self, request: Request, count: int, end: float) -> Any:
        """One try. Raises ApiError for a refusal and ApiConnectionError for a response that was lost."""
        limit = min(self._timeout, max(end - self._line.now(), 0))
        self._log(request, "request", count)
        try:
            answer = await self._line.exchange(request, limit)
            request_id = answer.headers.get("x-request-id")
            self._log(request, "response", count, status=answer.status, request_id=request_id)
            return _read(answer, request.headers["accept"])
        except ApiConnectionError:
            self._log(request, "failure", count)
            raise

    def _log(self, request: Request, event: str, count: int, **more: object) -> None:
        entry = {"event": event, "method": request.method, "path": request.path, "try": count, **more}
        if self._log_hook:
            # A log that fails must not cost a payment its outcome.
            with contextlib.suppress(Exception):
                self._log_hook(entry)


def _read(answer: Response, accept: str) -> Any:
    result: _Data | _File
    is_success = 200 <= answer.status < 300
    if is_success and accept != "application/json":
        if not answer.headers.get("content-type", "").startswith(accept):
            raise ApiConnectionError("The response is not the file of the service.")
        result = _File(answer.body)
        result.last_response = answer
        return result
    try:
        body = parse_json(answer.body.decode())
    except (ValueError, RecursionError):
        # What is no JSON is not the service's; the status decides what becomes of it.
        body = _NO_JSON
    if not is_success:
        raise _refusal(answer.status, answer.headers, body)
    if body is _NO_JSON:
        raise ApiConnectionError("The response did not arrive whole, or is not the service's.")
    if not isinstance(body, dict):
        return body
    result = _Data(body)
    result.last_response = answer
    return result


def _refusal(status: int, headers: Mapping[str, str], body: Any) -> ApiError:
    given = body.get("error") if isinstance(body, dict) else None
    error: dict[str, Any] = given if isinstance(given, dict) else {}
    text = {name: value for name, value in error.items() if isinstance(value, str)}
    waits = re.fullmatch("[0-9]{1,6}", headers.get("retry-after") or "")
    return ApiError(
        text.get("message", "The response has not the form of the service's errors."),
        code=text.get("code", "unexpected_response"),
        status=status,
        param=text.get("param"),
        request_id=text.get("request_id") or headers.get("x-request-id"),
        retryable=error.get("retryable") is True if error else status == 429 or status >= 500,
        retry_after=int(waits[0]) if waits else None,
        details=error.get("details"),
        doc_url=text.get("doc_url"),
    )


def _may_repeat(error: ApiError | ApiConnectionError, request: Request) -> bool:
    """A POST without a key is repeated only when it certainly had no effect."""
    is_safe = request.method != "POST" or request.keyed is not None
    if isinstance(error, ApiConnectionError):
        return is_safe or error.is_unsent
    if not error.retryable:
        return False
    return error.status == 429 or is_safe and (error.status in _TRIED_AGAIN or _is_in_progress(error))


def _leaves_unknown(error: ApiError | ApiConnectionError) -> bool:
    if isinstance(error, ApiConnectionError):
        return not error.is_unsent
    return error.status >= 500 and error.retryable or _is_in_progress(error)


def _is_settled(error: ApiError | ApiConnectionError) -> bool:
    """Whether the refusal tells the outcome of the key, and not only of this try."""
    if not isinstance(error, ApiError) or _is_in_progress(error):
        return False
    return 400 <= error.status < 500 and error.status not in _BEFORE_THE_KEY


def _is_in_progress(error: ApiError) -> bool:
    return error.code == "idempotency_in_progress"


def _hand_over(unknown: OutcomeUnknown, broken_off: BaseException) -> None:
    """Who breaks off a payment that may have been sent needs its key more than the usual exception.

    What ends the program, or the coroutine, has to pass on as it is: it takes the key along.
    """
    if not isinstance(broken_off, (KeyboardInterrupt, SystemExit, GeneratorExit)):
        raise unknown from broken_off
    setattr(broken_off, "idempotency_key", unknown.key)
    # Since Python 3.11.
    if add_note := getattr(broken_off, "add_note", None):
        add_note(str(unknown))


def _within(name: str, value: T, least: float, most: float) -> T:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise InvalidArgument(name, f"{name} is a number from {least} to {most}; this is {value!r}.")


def _read_base_url(text: str, allow_http: bool) -> str:
    found = _BASE_URL.fullmatch(text) if isinstance(text, str) else None
    port = None
    with contextlib.suppress(ValueError):
        port = urlsplit(text).port if found else 0
        port = 443 if port is None else port
    if not found or not port:
        raise InvalidArgument(
            "base_url",
            "The base URL is the address of the API, such as https://pay.example/api/public/v1, "
            "without a user or a query.",
        )
    if found[1].lower() == "http" and not allow_http and not _LOOPBACK.fullmatch(found[2]):
        raise InvalidArgument(
            "base_url",
            "The base URL begins with https://: by http anybody in between reads the API key. "
            "Where nobody is in between, give allow_http=True.",
        )
    return text.rstrip("/")


def _fill(path: str, parameters: Mapping[str, str]) -> str:
    for name, value in parameters.items():
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise InvalidArgument(name, f"{name} is the name of one thing; this is {value!r}.")
    # A value may have braces of its own: what was filled in is not looked at again.
    return re.sub(r"\{(\w+)\}", lambda found: quote(parameters[found[1]], safe=""), path)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns in which nothing waits but the thread."""
    try:
        coroutine.send(None)
    except StopIteration as over:
        return cast(T, over.value)
    raise RuntimeError("It waits for an event loop.")


class List(Generic[Page, Row]):
    """`for row in …` reads every row, page after page; `page()` reads the first page."""

    def __init__(self, core: Core, operation: Operation, given: Arguments) -> None:
        self._core, self._operation, self._given = core, operation, given

    def page(self) -> Page:
        return cast(Page, run(self._core.call(self._operation, self._given)))

    def __iter__(self) -> Iterator[Row]:
        rows = self._core.rows(self._operation, self._given)
        with contextlib.suppress(StopAsyncIteration):
            while True:
                yield run(cast("Coroutine[Any, Any, Row]", rows.__anext__()))


class AsyncList(Generic[Page, Row]):
    """`async for row in …` reads every row, page after page; `page()` reads the first page."""

    def __init__(self, core: Core, operation: Operation, given: Arguments) -> None:
        self._core, self._operation, self._given = core, operation, given

    async def page(self) -> Page:
        return cast(Page, await self._core.call(self._operation, self._given))

    def __aiter__(self) -> AsyncIterator[Row]:
        return self._core.rows(self._operation, self._given)
