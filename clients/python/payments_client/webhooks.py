"""Proves that a webhook is the service's: by the signature of Standard Webhooks, or by its own header."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, cast

from .amounts import parse_json
from .errors import InvalidArgument, Secret, SignatureError
from .generated.models import WebhookEvent

_SECRET = re.compile(
    r"whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))"
)
_OWN_HEADERS = ("x-service-signature", "x-service-signature-next")


class HasItems(Protocol):
    def items(self) -> Iterable[tuple[Any, Any]]: ...


Headers = HasItems | Iterable[tuple[Any, Any]]
"""The headers as any server gives them: a dict or what has `items` as one, with a text or a list of one text for each
name; the environment of WSGI, which is Django's `request.META`; or the pairs of bytes of ASGI."""


class Webhooks:
    @staticmethod
    def verify(
        raw: bytes | str,
        headers: Headers,
        secrets: str | Sequence[str],
        *,
        tolerance: float = 300,
        allow_untimed: bool = False,
        now: float | None = None,
    ) -> WebhookEvent:
        """Returns the event when `raw`, the body as it came, is signed with one of the secrets.

        Raises SignatureError when it is not, or was not signed now, give or take `tolerance` seconds. With
        `allow_untimed` the service's own header is enough, which has no time: what is sent again years later passes.
        `now` is for tests, in Unix seconds.
        """
        secrets = [secrets] if isinstance(secrets, str) else secrets
        # A file or a variable often ends with a line break.
        secrets = [Secret(text.strip()) if isinstance(text, str) else Secret() for text in secrets]
        if not secrets or not all(_SECRET.fullmatch(text) for text in secrets):
            raise InvalidArgument("secrets", "A webhook secret begins with whsec_; give one, or several.")
        if not isinstance(raw, (bytes, bytearray, memoryview, str)):
            raise InvalidArgument("raw", "Give the body as it came, and not what was parsed from it.")
        if not isinstance(tolerance, (int, float)) or not tolerance >= 0:
            raise InvalidArgument("tolerance", f"tolerance is a number of seconds; this is {tolerance!r}.")
        body = raw.encode() if isinstance(raw, str) else bytes(raw)
        given = list(_pairs(headers))
        now = time.time() if now is None else now
        if "webhook-signature" in (name for name, _ in given):
            is_genuine = _is_standard(body, given, secrets, tolerance, now)
        elif allow_untimed:
            is_genuine = _is_own(body, given, secrets)
        else:
            raise SignatureError(
                "no_signature", "The request has no webhook-signature: none that says when it was made."
            )
        if not is_genuine:
            raise SignatureError(
                "wrong_signature",
                "The signature is not of these bytes with any of these secrets. "
                "Give the body as it came, before it is parsed.",
            )
        try:
            return cast(WebhookEvent, parse_json(body.decode()))
        except ValueError as error:
            raise SignatureError("not_an_event", "The body is signed, and is no JSON.") from error

    @staticmethod
    def sign(
        raw: bytes | str, secret: str, *, id: str = "evt-test", now: float | None = None
    ) -> dict[str, str]:
        """The headers that the service would send, for tests of a receiver; `now` is in Unix seconds."""
        timestamp = str(int(time.time() if now is None else now))
        body = raw.encode() if isinstance(raw, str) else raw
        signature = _sign(Secret(secret.strip()), id, timestamp, body)
        return {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}


verify_webhook = Webhooks.verify
sign_webhook = Webhooks.sign


def _sign(secret: str, webhook_id: str, timestamp: str, body: bytes) -> str:
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    mac = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256)
    return "v1," + base64.b64encode(mac.digest()).decode()


def _is_standard(
    body: bytes, headers: list[tuple[str, str]], secrets: list[str], tolerance: float, now: float
) -> bool:
    webhook_id = _read(headers, "webhook-id")
    timestamp = _read(headers, "webhook-timestamp") or ""
    given = (_read(headers, "webhook-signature") or "").split(" ")
    if webhook_id is None or not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    is_genuine = _has_one(given, [_sign(secret, webhook_id, timestamp, body) for secret in secrets])
    # A stranger learns nothing about the clock.
    if is_genuine and not abs(now - int(timestamp)) <= tolerance:
        raise SignatureError(
            "timestamp_out_of_tolerance",
            f"It was signed at {timestamp}, which is not within {tolerance} s of now.",
        )
    return is_genuine


def _is_own(body: bytes, headers: list[tuple[str, str]], secrets: list[str]) -> bool:
    given = [value for name in _OWN_HEADERS if (value := _read(headers, name)) is not None]
    if not given:
        raise SignatureError("no_signature", "The request has no signature.")
    return _has_one(
        given, [hmac.new(secret.encode(), body, hashlib.sha256).hexdigest() for secret in secrets]
    )


def _has_one(given: list[str], expected: list[str]) -> bool:
    """In time that tells nothing of where they differ."""
    equal = [
        hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())
        for one in given
        for other in expected
    ]
    return any(equal)


def _pairs(headers: Headers) -> Iterator[tuple[str, str]]:
    """Names in small letters, a pair for each value, whatever the server."""
    try:
        pairs = list(headers.items() if hasattr(headers, "items") else headers)
        for name, values in pairs:
            plain = name.decode("latin-1") if isinstance(name, bytes) else str(name)
            # WSGI has HTTP_WEBHOOK_ID for webhook-id.
            if plain.startswith("HTTP_"):
                plain = plain[5:].replace("_", "-")
            for value in values if isinstance(values, (list, tuple)) else [values]:
                text = value.decode("latin-1") if isinstance(value, bytes) else value
                if isinstance(text, str):
                    yield plain.lower(), text
    except (TypeError, ValueError) as error:
        raise InvalidArgument("headers", "Give the headers as the server gives them.") from error


def _read(headers: list[tuple[str, str]], name: str) -> str | None:
    """A header that came twice is none."""
    found = [value for given, value in headers if given == name]
    return found[0] if len(found) == 1 else None
