"""The lines on which bins lie: numbers, days or microseconds, and the units of a column's type on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

from spark_dp.domain.axis import ColumnType
from spark_dp.errors import DomainError
from spark_dp.kinds import KINDS, recognize

#: The line of integers, decimals and floating-point numbers. Dates and timestamps have lines of their own.
NUMBER = "number"

_DAY_ZERO = date(1970, 1, 1).toordinal()
_INSTANT_ZERO = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Edge:
    """A point on a line.

    Args:
        kind: "number", "date", "timestamp" or "timestamp_ntz".
        place: the number itself, days since 1970-01-01, or microseconds since its midnight (in UTC).
    """

    kind: str
    place: Fraction

    @classmethod
    def of(cls, value: Any) -> Edge:
        """The point that a value marks; a float is read as its decimal text.

        Raises:
            DomainError: if it marks none.
        """
        if type(value).__module__ == "numpy" and getattr(value, "dtype", None) is not None and value.dtype.kind == "f":
            value = value.item()
        if isinstance(value, float):
            if not math.isfinite(value):
                raise DomainError(f"{value!r} is no edge of a bin: it must be finite.")
            return cls(NUMBER, Fraction(str(value)))
        try:
            kind, canonical = recognize(value)
        except ValueError as error:
            raise DomainError(f"{value!r} is no edge of a bin: {error}.") from None
        if isinstance(canonical, bool) or not isinstance(canonical, int | Decimal | date):
            raise DomainError(f"{value!r} is no edge of a bin: give numbers, dates or timestamps.")
        return cls(kind.name if isinstance(canonical, date) else NUMBER, Fraction(place(canonical)))

    @classmethod
    def read(cls, kind: str, text: str) -> Edge:
        """The point that :attr:`text` writes.

        Raises:
            ValueError: if it is none.
        """
        return cls(NUMBER, Fraction(text)) if kind == NUMBER else cls.of(KINDS[kind].from_text(text))

    @property
    def text(self) -> str:
        """The point as JSON holds it."""
        return str(self.place) if self.kind == NUMBER else KINDS[self.kind].to_text(self.value)

    @property
    def value(self) -> Any:
        """The point as a Python value: an int or float, a date, a datetime; between two, the earlier."""
        if self.kind == NUMBER:
            return int(self.place) if self.place.denominator == 1 else float(self.place)
        return moment(self.kind, math.floor(self.place))


def units(to: ColumnType) -> int:
    """How many values of a column's type lie between one whole place of its line and the next."""
    return int(10**to.scale) if to.kind == "decimal" else 1


def unit_value(to: ColumnType, unit: int) -> Any:
    """The value of a column's type at that many units."""
    if to.kind == "integer":
        return unit
    if to.kind == "decimal":
        # From text, which is exact; arithmetic would round to 28 digits.
        return KINDS["decimal"].from_text(f"{unit}e{-to.scale}")
    return moment(to.kind, unit)


def place(value: Any) -> Any:
    """Where a canonical value lies: a number itself, a day or a moment counted from 1970-01-01 (in UTC)."""
    if isinstance(value, datetime):
        return (value.replace(tzinfo=value.tzinfo or timezone.utc) - _INSTANT_ZERO) // _MICROSECOND
    return value.toordinal() - _DAY_ZERO if isinstance(value, date) else value


def moment(kind: str, number: int) -> Any:
    """The day, or the moment, of that many days or microseconds since 1970-01-01."""
    if kind == "date":
        return date.fromordinal(number + _DAY_ZERO)
    instant = _INSTANT_ZERO + number * _MICROSECOND
    return instant if kind == "timestamp" else instant.replace(tzinfo=None)
