"""Proves that a webhook is the service's: by the signature of Standard Webhooks, or by its own header."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Iterable, Sequence
from typing import Protocol, cast

from .amounts import parse_json
from .errors import InvalidArgument, SignatureError
from .generated.models import WebhookEvent

_SECRET = re.compile(
    r"whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))"
)
_OWN_HEADERS = ("x-service-signature", "x-service-signature-next")


class Headers(Protocol):
    """The headers as any server gives them: a dict, or what has `items` as one."""

    def items(self) -> Iterable[tuple[str, str]]: ...


class Webhooks:
    @staticmethod
    def verify(
        raw: bytes | str,
        headers: Headers,
        secrets: str | Sequence[str],
        *,
        tolerance: float = 300,
        now: float | None = None,
    ) -> WebhookEvent:
        """Returns the event when `raw`, the body as it came, is signed with one of the secrets.

        Raises SignatureError when it is not, or was not signed now, give or take `tolerance` seconds. `now` is for
        tests, in Unix seconds.
        """
        keys = [secrets] if isinstance(secrets, str) else list(secrets)
        if not keys or not all(isinstance(key, str) and _SECRET.fullmatch(key) for key in keys):
            raise InvalidArgument("secrets", "A webhook secret begins with whsec_; give one, or several.")
        if not isinstance(raw, (bytes, bytearray, memoryview, str)):
            raise InvalidArgument("raw", "Give the body as it came, and not what was parsed from it.")
        body = raw.encode() if isinstance(raw, str) else bytes(raw)
        if "webhook-signature" in (name.lower() for name, _ in headers.items()):
            is_genuine = _is_standard(body, headers, keys, tolerance, time.time() if now is None else now)
        else:
            is_genuine = _is_own(body, headers, keys)
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


verify_webhook = Webhooks.verify


def _is_standard(body: bytes, headers: Headers, secrets: list[str], tolerance: float, now: float) -> bool:
    webhook_id = _read(headers, "webhook-id")
    timestamp = _read(headers, "webhook-timestamp") or ""
    given = (_read(headers, "webhook-signature") or "").split(" ")
    if webhook_id is None or not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in secrets]
    macs = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    is_genuine = _has_one(given, ["v1," + base64.b64encode(mac).decode() for mac in macs])
    # A stranger learns nothing about the clock.
    if is_genuine and abs(now - int(timestamp)) > tolerance:
        raise SignatureError(
            "timestamp_out_of_tolerance",
            f"It was signed at {timestamp}, which is not within {tolerance} s of now.",
        )
    return is_genuine


def _is_own(body: bytes, headers: Headers, secrets: list[str]) -> bool:
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


def _read(headers: Headers, name: str) -> str | None:
    """A header that came twice is none."""
    found = [value for given, value in headers.items() if given.lower() == name]
    return found[0] if len(found) == 1 and isinstance(found[0], str) else None
