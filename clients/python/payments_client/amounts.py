"""JSON in which an amount is never a float: a decimal text, an int or a Decimal goes out, a Decimal comes in.

Which names are amounts, the document of the API says; `metadata` is the merchant's own and is not touched.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

from .errors import InvalidArgument
from .generated.amounts import AMOUNT_NAMES, MIXED_NAMES

_METADATA = "metadata"
_AMOUNT = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]{1,2})?")
_WITH_TOO_FEW_DECIMALS = re.compile(r"(-?[0-9]+)(?:\.([0-9]?))?")


class _Fraction(str):
    """The text of a number with a fraction or an exponent, until its place is known."""


def parse_json(text: str) -> Any:
    """Raises ValueError when it is no JSON."""
    try:
        return _settle(json.loads(text, parse_float=_Fraction, parse_constant=_refuse), "", False)
    except (ArithmeticError, RecursionError) as error:
        raise ValueError("The numbers are too large, or it is too deep.") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON.")


def _settle(value: Any, name: str, is_plain: bool) -> Any:
    if isinstance(value, dict):
        return {key: _settle(field, key, is_plain or key == _METADATA) for key, field in value.items()}
    if isinstance(value, list):
        return [_settle(item, name, is_plain) for item in value]
    if isinstance(value, _Fraction):
        return float(value) if is_plain else _exact(value)
    # A bool is no amount, and an int in Python.
    is_amount = type(value) is int and name in AMOUNT_NAMES and not is_plain
    return _exact(str(value)) if is_amount else value


def _exact(number: str) -> Decimal:
    short = _WITH_TOO_FEW_DECIMALS.fullmatch(number)
    return Decimal(f"{short[1]}.{(short[2] or '').ljust(2, '0')}" if short else number)


def write_json(value: object) -> bytes:
    """Raises InvalidArgument when an amount is no decimal text, no int and no Decimal."""
    try:
        return _write(value, "", "").encode()
    except UnicodeEncodeError as error:
        raise InvalidArgument("body", "The body has text that is not Unicode.") from error


def _write(value: Any, name: str, path: str) -> str:
    if name != _METADATA:
        if isinstance(value, dict):
            start = f"{path}." if path else ""
            fields = (
                f"{json.dumps(key, ensure_ascii=False)}:{_write(field, key, start + key)}"
                for key, field in value.items()
            )
            return f"{{{','.join(fields)}}}"
        if isinstance(value, (list, tuple)):
            items = (_write(item, name, f"{path}[{at}]") for at, item in enumerate(value))
            return f"[{','.join(items)}]"
        if value is not None and (name in AMOUNT_NAMES or name in MIXED_NAMES):
            return _write_amount(value, path)
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(path, f"{path} cannot be written as JSON: {error}") from error


def _write_amount(value: object, path: str) -> str:
    is_exact = isinstance(value, (int, Decimal)) and not isinstance(value, bool)
    text = format(value, "f" if isinstance(value, Decimal) else "d") if is_exact else value
    if isinstance(text, str) and _AMOUNT.fullmatch(text):
        return text
    what = repr(value) if isinstance(value, (str, int, Decimal)) else f"of type {type(value).__name__}"
    raise InvalidArgument(
        path,
        f'{path} is a decimal text, such as "5000" or "49.90", an int or a Decimal, with at most two decimals; '
        f"this is {what}.",
    )
