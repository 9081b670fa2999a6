"""Everything that a call may raise."""

from __future__ import annotations

from typing import Any, Literal

SignatureFault = Literal["no_signature", "wrong_signature", "timestamp_out_of_tolerance", "not_an_event"]


class Secret(str):
    """What prints a trace with its variables does not show it."""

    def __repr__(self) -> str:
        return "'…'"


class PaymentsError(Exception):
    """The parent of all of them."""

    retryable = False
    """The same call, with the same Idempotency-Key, may succeed later."""


class ApiError(PaymentsError):
    """The service has answered, and refused."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "unexpected_response",
        status: int = 0,
        param: str | None = None,
        request_id: str | None = None,
        retryable: bool = False,
        retry_after: int | None = None,
        details: Any = None,
        doc_url: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """What to decide by: an `ErrorCode`, or `unexpected_response` for what has not the service's form."""
        self.status = status
        self.param = param
        """The field at fault."""
        self.request_id = request_id
        """Names the request in the service's logs."""
        self.retryable = retryable
        self.retry_after = retry_after
        """Seconds, when the service has said how long to wait."""
        self.details = details
        """Every fault, when several fields are at fault; figures, where a limit was reached."""
        self.doc_url = doc_url

    def __str__(self) -> str:
        param = f", {self.param}" if self.param else ""
        request = f", request {self.request_id}" if self.request_id else ""
        return f"{self.args[0]} ({self.status} {self.code}{param}{request})"


class ApiConnectionError(PaymentsError):
    """The service could not be reached, or its response was lost.

    Of a call with an Idempotency-Key it says that nothing has happened: the service was asked, or nothing was
    sent.
    """

    retryable = True

    def __init__(self, message: str, is_unsent: bool = False) -> None:
        super().__init__(message)
        self.is_unsent = is_unsent
        """Whether it is certain that the service has not seen the request."""


class OutcomeUnknown(PaymentsError):
    """Whether the call was carried out could not be found out.

    Keep the key: the same call with it is never carried out twice, and
    `client.idempotency_keys.retrieve(key, {"operation": operation})` says what became of it.
    """

    retryable = True

    def __init__(self, key: str, operation: str) -> None:
        super().__init__(key, operation)
        self.key = key
        self.operation = operation

    def __str__(self) -> str:
        return (
            f"Whether this {self.operation} was carried out is not known. "
            f"Repeat it with the same key: {self.key}"
        )


class SignatureError(PaymentsError):
    """A webhook that is not the service's, or not of now: answer 400 and do nothing."""

    def __init__(self, code: SignatureFault, message: str) -> None:
        super().__init__(code, message)
        self.code: SignatureFault = code

    def __str__(self) -> str:
        return str(self.args[1])


class InvalidArgument(PaymentsError, ValueError):
    """A mistake in the call: nothing was sent."""

    def __init__(self, param: str, message: str) -> None:
        super().__init__(param, message)
        self.param = param

    def __str__(self) -> str:
        return str(self.args[1])
