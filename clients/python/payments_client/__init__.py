"""The payment API from Python: money is sent once, amounts are exact. See the README."""

from .client import AsyncPaymentsClient, PaymentsClient
from .core import AsyncList, List
from .errors import (
    ApiConnectionError,
    ApiError,
    InvalidArgument,
    OutcomeUnknown,
    PaymentsError,
    SignatureError,
)
from .generated.version import VERSION as __version__
from .webhooks import verify_webhook

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
    "SignatureError",
    "__version__",
    "verify_webhook",
]
