"""The kinds of values that a domain can hold, and their one canonical text.

The text is what JSON, Spark literals and released rows are made of. It names the same value for
every engine, session time zone and locale.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Decimal, InvalidOperation
from typing import Any

#: A value in its canonical Python form: see :data:`KINDS`.
Value = str | int | bool | bytes | date | datetime | Decimal

#: Most digits of a Spark decimal.
_DECIMAL_DIGITS = 38


@dataclass(frozen=True)
class Kind:
    """One kind of value: how it is recognized, written and read.

    Args:
        name: as in JSON.
        accept: the canonical form of a Python value, or None if the value is of another kind.
        to_text: canonical text of a canonical value.
        from_text: canonical value of a text; raises ValueError if the text is none.
    """

    name: str
    accept: Callable[[Any], Value | None]
    to_text: Callable[[Any], str]
    from_text: Callable[[str], Value]


def is_null(value: object) -> bool:
    """Whether a value stands for a missing one: None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ in ("NaTType", "NAType"):
        return True
    return isinstance(value, float | Decimal) and math.isnan(value)


def _string(value: Any) -> Value | None:
    if not isinstance(value, str):
        return None
    value.encode()  # a lone surrogate is no text in Spark; UnicodeEncodeError is a ValueError
    return str(value)


def _integer_text(text: str) -> int:
    # int() also takes '1_000', ' 1' and digits of other scripts, which Spark would not.
    if not (text.isascii() and text.removeprefix("-").isdigit()):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def _decimal(value: Any) -> Value | None:
    return _decimal_text(str(value)) if isinstance(value, Decimal) else None


def _decimal_text(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a decimal number") from None
    if not value.is_finite():
        raise ValueError(f"{text!r} is not finite")
    # Before it is written out: '1e999999999' has a billion digits.
    if value and abs(value.adjusted()) > _DECIMAL_DIGITS:
        raise ValueError(f"{text!r} has more digits than a decimal column can hold")
    plain = format(value, "f")
    # One text for 1.5 and 1.50, and for 0 and −0.
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return Decimal("0" if plain in ("-0", "") else plain)


def _date(value: Any) -> Value | None:
    return value if isinstance(value, date) and not isinstance(value, datetime) else None


def _microseconds(value: datetime) -> datetime:
    """A plain datetime from a subclass that may be finer, as pandas' Timestamp is."""
    if getattr(value, "nanosecond", 0):
        raise ValueError(f"{value} is finer than a microsecond")
    return datetime.combine(value.date(), value.timetz())


def _timestamp(value: Any) -> Value | None:
    if isinstance(value, datetime) and value.tzinfo is not None:
        try:
            return _microseconds(value).astimezone(timezone.utc)
        except OverflowError:
            raise ValueError(f"{value} is outside the years 1 to 9999 in UTC") from None
    return None


def _timestamp_ntz(value: Any) -> Value | None:
    return _microseconds(value) if isinstance(value, datetime) and value.tzinfo is None else None


def _from_iso(text: str) -> datetime:
    # Python reads the Z from 3.11 on only.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _timestamp_text(text: str) -> Value:
    parsed = _timestamp(_from_iso(text))
    if parsed is None:
        raise ValueError(f"{text!r} has no time zone, so that it is no instant: write '{text}+00:00' or so")
    return parsed


def _timestamp_ntz_text(text: str) -> Value:
    parsed = _timestamp_ntz(_from_iso(text))
    if parsed is None:
        raise ValueError(f"{text!r} has a time zone, but the column has none")
    return parsed


def _boolean_text(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither 'true' nor 'false'")
    return text == "true"


#: Every kind by its name, in the order in which a Python value is tried.
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("boolean", lambda v: v if isinstance(v, bool) else None, lambda v: str(v).lower(), _boolean_text),
        Kind("integer", lambda v: v if isinstance(v, int) and not isinstance(v, bool) else None, str, _integer_text),
        Kind("string", _string, str, lambda text: text),
        Kind("decimal", _decimal, lambda v: format(v, "f"), _decimal_text),
        Kind("date", _date, date.isoformat, date.fromisoformat),
        Kind("timestamp", _timestamp, datetime.isoformat, _timestamp_text),
        Kind("timestamp_ntz", _timestamp_ntz, datetime.isoformat, _timestamp_ntz_text),
        Kind(
            "binary",
            lambda v: bytes(v) if isinstance(v, bytes | bytearray | memoryview) else None,
            bytes.hex,
            bytes.fromhex,
        ),
    )
}


def _from_numpy(value: Any) -> Any:
    if value.dtype.kind != "M":
        return value.item()
    # item() turns nanoseconds into a bare integer.
    plain = value.item() if isinstance(value.item(), date) else value.astype("datetime64[us]").item()
    if value.astype("datetime64[us]") != value:
        raise ValueError(f"{value} is finer than a microsecond")
    return plain


def recognize(value: Any) -> tuple[Kind, Value]:
    """The kind and canonical form of a Python or NumPy value.

    Raises:
        ValueError: if it is of no kind.
    """
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = _from_numpy(value)
    for kind in KINDS.values():
        accepted = kind.accept(value)
        if accepted is not None:
            return kind, accepted
    if isinstance(value, float):
        raise ValueError(  # noqa: TRY004 — a list with such a value is no domain, whichever way
            f"{value!r} is a floating-point number, which has no exact equal: give decimal.Decimal or int, "
            "or bins of such numbers, dp.Bins(lower, upper, count)"
        )
    raise ValueError(
        f"{value!r} is a {type(value).__name__}; a domain lists strings, integers, decimals, dates, timestamps, "
        "booleans or bytes"
    )
