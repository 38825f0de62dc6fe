"""Whether a condition can be evaluated for every row: values of one kind meet values of that kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from spark_dp.conditions.text import written
from spark_dp.conditions.tree import (
    FUNCTIONS,
    TRIED,
    AllOf,
    AnyOf,
    Arithmetic,
    Compared,
    Condition,
    Constant,
    Function,
    Like,
    Missing,
    Named,
    Not,
    Term,
    Tried,
    Value,
    Within,
)
from spark_dp.domain import ColumnType
from spark_dp.errors import QueryError, did_you_mean

_NUMBERS = ("integer", "decimal", "float")
_MOMENTS = ("date", "timestamp", "timestamp_ntz")
_DECIMAL_DIGITS = 38
_LONG = range(-(2**63), 2**63)


def checked(condition: Condition, types: Mapping[str, ColumnType]) -> Condition:
    """The condition with each constant of the type it is compared with.

    Raises:
        QueryError: if the kinds do not fit, so that Spark would have to turn values of one into another.
    """
    return _Check(types).condition(condition)


@dataclass(frozen=True)
class _Check:
    """A walk through a condition with the types of the columns at hand."""

    types: Mapping[str, ColumnType]

    def condition(self, tested: Condition) -> Condition:
        match tested:
            case AllOf(parts):
                return AllOf(tuple(map(self.condition, parts)))
            case AnyOf(parts):
                return AnyOf(tuple(map(self.condition, parts)))
            case Not(part):
                return Not(self.condition(part))
            case Missing(item):
                self.kind(item)
                return tested
            case Like(item, pattern):
                self._expect(item, ("string",), "LIKE")
                if "\\" in pattern:
                    raise QueryError(
                        f"The pattern {pattern!r} has a backslash, which may end in an error. Leave it out."
                    )
                return tested
            case Within(item, values):
                kind = self.kind(item)
                fitted = tuple(self._fitted(value, item, kind) for value in values)
                self._check_comparable(item, *fitted)
                return Within(item, fitted)
            case Compared(operator, left, right):
                left_kind, right_kind = self.kind(left), self.kind(right)
                if isinstance(left, Constant):
                    left = self._fitted(left, right, right_kind)
                if isinstance(right, Constant):
                    right = self._fitted(right, left, left_kind)
                self._check_comparable(left, right)
                return Compared(operator, left, right)
            case Named() | Constant():
                if self.kind(tested) not in ("boolean", "null"):
                    raise QueryError(f"{written(tested)} is no condition: compare it with something.")
                return tested

    def kind(self, term: Term) -> str:
        """What kind of value a term has."""
        match term:
            case Named(name):
                return self._type(name).kind
            case Constant(value):
                return _kind_of(value)
            case Tried(column, to):
                self._expect(column, ("string",), "TRY_CAST")
                return TRIED[to]
            case Function(name, argument):
                takes, gives = FUNCTIONS[name]
                self._expect(argument, takes, name.upper())
                return gives
            case Arithmetic(operator, left, right):
                kinds = {self._expect(part, ("integer", "float"), operator) for part in (left, right)}
                if operator == "%" and (kinds != {"integer"} or not isinstance(right, Constant) or not right.value):
                    raise QueryError(
                        "The right side of % must be a whole number that is not 0, and the left side whole."
                    )
                return "float" if operator == "/" or "float" in kinds else "integer"

    def _type(self, name: str) -> ColumnType:
        if name not in self.types:
            raise QueryError(f"There is no column {name!r} to compare. {did_you_mean(name, self.types)}")
        return self.types[name]

    def _expect(self, term: Term, kinds: Sequence[str], where: str) -> str:
        kind = self.kind(term)
        if kind not in kinds:
            raise QueryError(f"{where} takes {' or '.join(kinds)}, and {written(term)} is {kind}.")
        return kind

    def _fitted(self, constant: Constant, other: Term, kind: str) -> Constant:
        """The constant as a value of the kind that it meets."""
        value = constant.value
        if value is None or isinstance(other, Constant):
            return constant
        if isinstance(value, str) and kind in _MOMENTS:
            return Constant(_moment(value, kind))
        if isinstance(value, date) and not isinstance(value, datetime) and kind.startswith("timestamp"):
            return Constant(datetime(value.year, value.month, value.day))  # noqa: DTZ001 — of the session's time zone
        if isinstance(value, datetime) and kind == "date":
            raise QueryError(f"{written(other)} is a date, and {value} a moment. Compare it with a date.")
        return constant

    def _check_comparable(self, *terms: Term) -> None:
        """Refuse values of which Spark would have to turn some into others, and might fail."""
        kinds = {self.kind(term) for term in terms} - {"null"}
        if kinds <= set(_NUMBERS):
            if "decimal" in kinds and "float" not in kinds:
                self._check_digits(terms)
            return
        named = {self.kind(term) for term in terms if not isinstance(term, Constant)}
        # The constant of a moment takes the type of its column.
        if len(named) > 1 or len({"timestamp" if kind == "timestamp_ntz" else kind for kind in kinds}) > 1:
            told = " and ".join(f"{written(term)} is {self.kind(term)}" for term in terms[:2])
            raise QueryError(
                f"{told}: to compare them, values of one would have to be turned into the other, which fails for some. "
                "Compare values of one type; TRY_CAST reads a text column as INT, BIGINT, DOUBLE or DATE."
            )

    def _check_digits(self, terms: Sequence[Term]) -> None:
        """Refuse what Spark would have to round, or could not hold, before it compares."""
        whole, behind = zip(*map(self._digits, terms), strict=True)
        if max(whole) + max(behind) > _DECIMAL_DIGITS:
            raise QueryError(
                f"{' and '.join(map(written, terms[:2]))} have together more than {_DECIMAL_DIGITS} digits, too many "
                "to compare exactly."
            )

    def _digits(self, term: Term) -> tuple[int, int]:
        """Digits before and behind the point."""
        if isinstance(term, Constant) and isinstance(term.value, Decimal):
            _, digits, exponent = term.value.as_tuple()
            behind = max(0, -int(exponent))
            return max(len(digits) + int(exponent), 0), behind
        if isinstance(term, Named) and self._type(term.name).kind == "decimal":
            of = self._type(term.name)
            return of.precision - of.scale, of.scale
        return len(str(_LONG.stop)) + 1, 0


def _kind_of(value: Value) -> str:
    kinds: dict[type, str] = {
        type(None): "null",
        bool: "boolean",
        int: "integer",
        Decimal: "decimal",
        float: "float",
        str: "string",
        datetime: "timestamp",
        date: "date",
    }
    if isinstance(value, int) and value not in _LONG:
        raise QueryError(f"{value} does not fit 64 bits.")
    return kinds[type(value)]


def _moment(text: str, kind: str) -> date | datetime:
    """A date or a moment as one writes it."""
    read: Callable[[str], Any] = date.fromisoformat if kind == "date" else datetime.fromisoformat
    try:
        moment = read(text)
    except ValueError:
        moment = None
    if moment is None or getattr(moment, "tzinfo", None) is not None:
        raise QueryError(
            f"{text!r} is no {'date, such as 2026-11-30' if kind == 'date' else 'moment, such as 2026-11-30 23:59:59'}."
        )
    return moment  # type: ignore[no-any-return]
