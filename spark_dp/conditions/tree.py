"""Conditions on one row: which rows of a table a release asks about.

Whether a row fulfils one depends on that row alone, and no row makes one fail: arithmetic that overflows and
texts that are no numbers give null, as in SQL's TRY functions, and a row for which the condition is null does
not fulfil it. What could fail in any other way cannot be written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

#: A constant of a condition. A moment is naive: it belongs to the time zone of the session.
Value = int | Decimal | float | str | bool | date | datetime | None

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "<=>")
ARITHMETIC = ("+", "-", "*", "/", "%")
#: Functions of one argument, by the kinds they take, and the kind they give.
FUNCTIONS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "lower": (("string",), "string"),
    "upper": (("string",), "string"),
    "trim": (("string",), "string"),
    "length": (("string",), "integer"),
    "year": (("date", "timestamp", "timestamp_ntz"), "integer"),
    "month": (("date", "timestamp", "timestamp_ntz"), "integer"),
    "day": (("date", "timestamp", "timestamp_ntz"), "integer"),
}
#: What a text column may be tried as.
TRIED = {"int": "integer", "bigint": "integer", "double": "float", "date": "date"}


@dataclass(frozen=True)
class Constant:
    """A value that stands in the condition."""

    value: Value


@dataclass(frozen=True)
class Named:
    """The value of a column."""

    name: str


@dataclass(frozen=True)
class Tried:
    """The text in a column read as another type; null where it is none."""

    column: Named
    type: str


@dataclass(frozen=True)
class Function:
    """One of ``FUNCTIONS`` of a value."""

    name: str
    argument: Term


@dataclass(frozen=True)
class Arithmetic:
    """Two numbers taken together; null where the result does not fit."""

    operator: str
    left: Term
    right: Term


@dataclass(frozen=True)
class Compared:
    """Two values of a kind, compared."""

    operator: str
    left: Term
    right: Term


@dataclass(frozen=True)
class Within:
    """Whether a value is one of a list."""

    item: Term
    values: tuple[Constant, ...]


@dataclass(frozen=True)
class Like:
    """Whether a text is like a pattern, in which % is any text and _ any one character."""

    item: Term
    pattern: str


@dataclass(frozen=True)
class Missing:
    """Whether a value is null."""

    item: Term


@dataclass(frozen=True)
class Not:
    """The opposite; null of null."""

    condition: Condition


@dataclass(frozen=True)
class AllOf:
    """Whether all of several conditions hold."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """Whether any of several conditions holds."""

    conditions: tuple[Condition, ...]


Term = Constant | Named | Tried | Function | Arithmetic
Condition = Compared | Within | Like | Missing | Not | AllOf | AnyOf | Named | Constant


def names(condition: Condition | Term) -> set[str]:
    """The columns that a condition looks at."""
    match condition:
        case Named(name):
            return {name}
        case Constant():
            return set()
        case Tried(column):
            return names(column)
        case Function(_, part) | Not(part) | Missing(part) | Within(part) | Like(part):
            return names(part)
        case Compared(_, left, right) | Arithmetic(_, left, right):
            return names(left) | names(right)
        case AllOf(parts) | AnyOf(parts):
            return set[str]().union(*map(names, parts))
