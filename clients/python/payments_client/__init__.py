"""The payment API from Python: money is sent once, amounts are exact. See the README."""

from .client import AsyncPaymentsClient, PaymentsClient
from .core import AsyncList, List, last_response
from .errors import (
    ApiConnectionError,
    ApiError,
    InvalidArgument,
    OutcomeUnknown,
    PaymentsError,
    SignatureError,
)
from .generated.version import VERSION as __version__
from .transport import Request, Response
from .webhooks import sign_webhook, verify_webhook

__all__ = [
    "ApiConnectionError",
    "ApiError",
    "AsyncList",
    "AsyncPaymentsClient",
    "InvalidArgument",
    "List",
    "OutcomeUnknown",
    "PaymentsClient",
    "PaymentsError",
    "Request",
    "Response",
    "SignatureError",
    "__version__",
    "last_response",
    "sign_webhook",
    "verify_webhook",
]
