"""Domains of consecutive values, which need no list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from spark_dp.domain.axis import Axis, Chance, ColumnType
from spark_dp.errors import DomainError
from spark_dp.kinds import is_null, recognize


@dataclass(frozen=True, repr=False)
class Integers(Axis):
    """All whole numbers from low to high, both included.

    Args:
        low, high: the smallest and the largest.

    Raises:
        DomainError: if they are no whole numbers, or in the wrong order.

    >>> ages = Integers(0, 120)
    >>> ages, ages.size, ages.rank(30), ages.unrank(7), ages.rank(121)
    (Integers(0, 120), 121, 30, 7, None)
    """

    low: int
    high: int

    def __init__(self, low: Any, high: Any) -> None:
        for name, value in (("low", low), ("high", high)):
            object.__setattr__(self, name, _of_kind("integer", f"{name} = {value!r}", value))
        if self.high < self.low:
            raise DomainError(f"Integers({low}, {high}) holds no number. Give the smaller one first.")

    @property
    def size(self) -> int:
        """k, the number of values."""
        return self.high - self.low + 1

    def rank(self, value: Any) -> int | None:
        """Rank of a value, None if it is not in the domain."""
        if is_null(value):
            return None
        number = recognize(value)[1]
        if isinstance(number, bool) or not isinstance(number, int):
            return None
        return number - self.low if self.low <= number <= self.high else None

    def unrank(self, rank: int) -> int:
        """Value of a rank."""
        return self.low + rank

    def cast(self, column: str, to: ColumnType) -> Integers:
        """This domain, for a column of whole numbers that can hold them all.

        Raises:
            DomainError: if the column is of another type.
        """
        if to.kind != "integer":
            raise DomainError(
                f"The domain of column {column!r} is {self}, the column is of type {to.name}. "
                "Integers are for columns of whole numbers; Bins take every number."
            )
        if not (to.holds(self.low) and to.holds(self.high)):
            raise DomainError(
                f"The domain of column {column!r} is {self}, of which a column of type {to.name} holds only "
                f"{to.low} to {to.high}. Give a range within that."
            )
        return self

    def drawn(self, ranks: Sequence[int], source: Chance) -> list[str]:
        """The numbers' texts."""
        return [str(self.low + rank) for rank in ranks]

    def document(self) -> dict[str, object]:
        """The domain as what JSON can write."""
        return {"domain": "integers", "low": self.low, "high": self.high}

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Integers:
        """The domain that :meth:`document` describes."""
        return Integers(document.get("low"), document.get("high"))

    def __repr__(self) -> str:
        return f"Integers({self.low}, {self.high})"


@dataclass(frozen=True, repr=False)
class Dates(Axis):
    """All days from start to end, both included.

    Args:
        start, end: the first and the last day.

    Raises:
        DomainError: if they are no dates, or in the wrong order.

    >>> leap = Dates(date(2024, 1, 1), date(2024, 12, 31))
    >>> leap, leap.size, leap.rank(date(2024, 3, 1)), leap.unrank(59)
    (Dates(2024-01-01, 2024-12-31), 366, 60, datetime.date(2024, 2, 29))
    """

    start: date
    end: date

    def __init__(self, start: Any, end: Any) -> None:
        for name, value in (("start", start), ("end", end)):
            object.__setattr__(self, name, _of_kind("date", f"{name} = {value!r}", value))
        if self.end < self.start:
            raise DomainError(f"Dates({start}, {end}) holds no day. Give the earlier one first.")

    @property
    def size(self) -> int:
        """k, the number of days."""
        return (self.end - self.start).days + 1

    def rank(self, value: Any) -> int | None:
        """Rank of a day, None if it is not in the domain."""
        if is_null(value):
            return None
        day = recognize(value)[1]
        if isinstance(day, datetime) or not isinstance(day, date):
            return None
        return (day - self.start).days if self.start <= day <= self.end else None

    def unrank(self, rank: int) -> date:
        """Day of a rank."""
        return self.start + timedelta(days=rank)

    def cast(self, column: str, to: ColumnType) -> Dates:
        """This domain, for a column of dates.

        Raises:
            DomainError: if the column is of another type.
        """
        if to.kind != "date":
            raise DomainError(
                f"The domain of column {column!r} is {self}, the column is of type {to.name}. "
                "Dates are for columns of dates; Bins take timestamps."
            )
        return self

    def drawn(self, ranks: Sequence[int], source: Chance) -> list[str]:
        """The days' texts."""
        return [self.unrank(rank).isoformat() for rank in ranks]

    def document(self) -> dict[str, object]:
        """The domain as what JSON can write."""
        return {"domain": "dates", "start": self.start.isoformat(), "end": self.end.isoformat()}

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Dates:
        """The domain that :meth:`document` describes."""
        try:
            return Dates(date.fromisoformat(str(document.get("start"))), date.fromisoformat(str(document.get("end"))))
        except ValueError as error:
            raise DomainError(f"The JSON of a domain of dates holds a day that is none: {error}.") from None

    def __repr__(self) -> str:
        return f"Dates({self.start}, {self.end})"


def _of_kind(wanted: str, described: str, value: Any) -> Any:
    try:
        kind, canonical = recognize(value)
    except ValueError as error:
        raise DomainError(f"{described} must be of kind {wanted}: {error}.") from None
    if kind.name != wanted:
        raise DomainError(f"{described} must be of kind {wanted}, and is of kind {kind.name}.")
    return canonical
