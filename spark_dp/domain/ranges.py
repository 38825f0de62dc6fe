"""Domains of consecutive values, which need no list."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from spark_dp.domain.axis import Axis, Chance, ColumnType
from spark_dp.domain.units import place, unit_value
from spark_dp.errors import DomainError
from spark_dp.kinds import KINDS, is_null, recognize


class Consecutive(Axis):
    """Values that follow one another without a gap: whole numbers, or days counted from 1970-01-01."""

    kind: ClassVar[str]

    @property
    @abstractmethod
    def first(self) -> int:
        """The number of the first value."""

    @property
    @abstractmethod
    def last(self) -> int:
        """The number of the last value."""

    @property
    def size(self) -> int:
        """k, the number of values."""
        return self.last - self.first + 1

    def rank(self, value: Any) -> int | None:
        """Rank of a value, None if it is not in the domain."""
        if is_null(value):
            return None
        kind, canonical = recognize(value)
        if kind.name != self.kind:
            return None
        rank = place(canonical) - self.first
        return rank if 0 <= rank < self.size else None

    def unrank(self, rank: int) -> Any:
        """Value of a rank."""
        return unit_value(ColumnType(self.kind, self.kind), self.first + rank)

    def drawn(self, ranks: Sequence[int], source: Chance) -> list[str]:
        """The values' canonical texts."""
        return [KINDS[self.kind].to_text(self.unrank(rank)) for rank in ranks]


@dataclass(frozen=True, repr=False)
class Integers(Consecutive):
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

    kind: ClassVar[str] = "integer"

    def __init__(self, low: Any, high: Any) -> None:
        for name, value in (("low", low), ("high", high)):
            object.__setattr__(self, name, _of_kind(self.kind, f"{name} = {value!r}", value))
        if self.high < self.low:
            raise DomainError(f"Integers({low}, {high}) holds no number. Give the smaller one first.")

    @property
    def first(self) -> int:
        """The smallest number."""
        return self.low

    @property
    def last(self) -> int:
        """The largest number."""
        return self.high

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
class Dates(Consecutive):
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

    kind: ClassVar[str] = "date"

    def __init__(self, start: Any, end: Any) -> None:
        for name, value in (("start", start), ("end", end)):
            object.__setattr__(self, name, _of_kind(self.kind, f"{name} = {value!r}", value))
        if self.end < self.start:
            raise DomainError(f"Dates({start}, {end}) holds no day. Give the earlier one first.")

    @property
    def first(self) -> int:
        """The number of the first day."""
        return int(place(self.start))

    @property
    def last(self) -> int:
        """The number of the last day."""
        return int(place(self.end))

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


_EXAMPLES = {"integer": "an int, such as 7", "date": "a datetime.date, such as datetime.date(2024, 1, 31)"}


def _of_kind(wanted: str, described: str, value: Any) -> Any:
    try:
        kind, canonical = recognize(value)
    except ValueError as error:
        raise DomainError(f"{described} must be of kind {wanted}: {error}.") from None
    if kind.name != wanted:
        raise DomainError(
            f"{described} must be of kind {wanted}, and is of kind {kind.name}: give {_EXAMPLES[wanted]}."
        )
    return canonical
