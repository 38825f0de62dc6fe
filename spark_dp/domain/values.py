"""Domains that list their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from spark_dp.domain.axis import MAX_CELLS, Axis, Chance, ColumnType
from spark_dp.errors import DomainError
from spark_dp.kinds import KINDS, Kind, Value, is_null, recognize

_HOW = "Give the public list of possible values, for instance domain=['f', 'm']."


@dataclass(frozen=True, repr=False)
class Values(Axis):
    """A domain that lists its values: strings, integers, decimals, dates, timestamps, booleans or bytes.

    Args:
        values: the values, all of one kind, each once, none missing. Their order fixes the ranks.

    Raises:
        DomainError: if the list is empty, too long, repeats a value, or holds a null or a value of
            another kind.

    >>> months = Values(range(1, 13))
    >>> months
    Values(integer, size=12)
    >>> months.rank(3), months.unrank(2), months.rank(13)
    (2, 3, None)
    >>> from spark_dp.domain import from_json
    >>> from_json(months.to_json()) == months
    True
    """

    values: tuple[Value, ...]
    kind: str = field(init=False)

    def __init__(self, values: Iterable[Any]) -> None:
        kind, canonical = _canonical(values)
        _check_distinct(canonical)
        object.__setattr__(self, "values", canonical)
        object.__setattr__(self, "kind", kind)

    @property
    def size(self) -> int:
        """k, the number of values."""
        return len(self.values)

    @cached_property
    def _ranks(self) -> dict[Value, int]:
        return {value: rank for rank, value in enumerate(self.values)}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The canonical text of each value, by rank."""
        return tuple(map(KINDS[self.kind].to_text, self.values))

    def rank(self, value: Any) -> int | None:
        """Rank of a value, None if it is not in the domain."""
        if is_null(value):
            return None
        kind, canonical = recognize(value)
        return self._ranks.get(canonical) if kind.name == self.kind else None

    def unrank(self, rank: int) -> Value:
        """Value of a rank."""
        return self.values[rank]

    def cast(self, column: str, to: ColumnType) -> Values:
        """This domain as values of a column's own type, with the same ranks.

        Allowed is what loses nothing: the same kind, integers as decimals, and text that spells a
        value of the type.

        Raises:
            DomainError: if the values are of another kind, or one of them does not fit the type.
        """
        if to.kind == "float":
            raise DomainError(
                f"Column {column!r} is of type {to.name}: floating-point numbers have no list of exact values. "
                "Give bins, for instance domain=dp.Bins(0, 100, 20)."
            )
        target = KINDS[to.kind]
        if self.kind == to.kind:
            values: Sequence[Value] = self.values
        elif self.kind == "string" or (self.kind, to.kind) == ("integer", "decimal"):
            values = [_read(target, text, column, to) for text in self.texts]
        else:
            raise DomainError(
                f"The domain of column {column!r} holds {self.kind} values, the column is of type {to.name}. "
                f"Give {target.name} values{_zone_advice(self.kind, to.kind)}."
            )
        for value in values:
            if not to.holds(value):
                raise DomainError(
                    f"The domain value {value!s} does not fit column {column!r} of type {to.name}, so that no row "
                    "could hold it. Leave it out, or round it to the type."
                )
        return self if values is self.values else Values(values)

    def drawn(self, ranks: Sequence[int], source: Chance) -> list[str]:
        """The values' canonical texts."""
        return [self.texts[rank] for rank in ranks]

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Values:
        """The domain that :meth:`document` describes.

        Raises:
            DomainError: if it describes none.
        """
        if document.get("kind") not in KINDS:
            raise DomainError(f"The JSON of a list of values names the kind {document.get('kind')!r}, which is none.")
        kind, texts = KINDS[document["kind"]], document.get("values")
        if not isinstance(texts, list) or not all(isinstance(value, str) for value in texts):
            raise DomainError(f"The JSON of a {kind.name} domain must list its values as text.")
        try:
            values = [kind.from_text(value) for value in texts]
        except ValueError as error:
            raise DomainError(f"The JSON of a {kind.name} domain holds a value that is none: {error}.") from None
        return Values(values)

    def document(self) -> dict[str, object]:
        """The domain as what JSON can write."""
        return {"domain": "values", "kind": self.kind, "values": list(self.texts)}

    def __repr__(self) -> str:
        return f"Values({self.kind}, size={self.size})"


def _canonical(values: Iterable[Any]) -> tuple[str, tuple[Value, ...]]:
    """Kind and canonical form of a list of values of one kind."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise DomainError(f"A domain is a list of values, and {values!r} is a {type(values).__name__}. {_HOW}")
    kinds: list[Kind] = []
    canonical: list[Value] = []
    for position, value in enumerate(values, start=1):
        if position > MAX_CELLS:
            raise DomainError(f"The domain has more than {MAX_CELLS:,} values. Sample a coarser column.")
        if is_null(value):
            raise DomainError(
                f"Value number {position} of the domain is null ({value!r}). Null rows are outside every domain: "
                "leave it out."
            )
        try:
            kind, accepted = recognize(value)
        except ValueError as error:
            raise DomainError(f"Value number {position} of the domain: {error}.") from None
        if kind not in kinds:
            kinds.append(kind)
        canonical.append(accepted)
    names = sorted(kind.name for kind in kinds)
    if names == ["decimal", "integer"]:
        decimal = KINDS["decimal"]
        return decimal.name, tuple(decimal.from_text(str(value)) for value in canonical)
    if len(names) > 1:
        raise DomainError(f"The domain mixes {' and '.join(names)} values. Give values of one kind.")
    if not names:
        raise DomainError(f"The domain is empty: there is nothing to draw. {_HOW}")
    return names[0], tuple(canonical)


def _check_distinct(values: Sequence[Value]) -> None:
    if len(set(values)) == len(values):
        return
    seen: set[Value] = set()
    repeated = next(value for value in values if value in seen or seen.add(value))  # type: ignore[func-returns-value]
    raise DomainError(
        f"The domain lists {repeated!r} more than once, so that it would be drawn too often. List each value once "
        "(for a DataFrame: .distinct())."
    )


def _read(kind: Kind, text: str, column: str, to: ColumnType) -> Value:
    try:
        return kind.from_text(text)
    except ValueError as error:
        raise DomainError(
            f"The domain value {text!r} cannot be cast to column {column!r} of type {to.name}: {error}. "
            f"Give {kind.name} values."
        ) from None


def _zone_advice(given: str, wanted: str) -> str:
    if (given, wanted) == ("timestamp_ntz", "timestamp"):
        return ": add a time zone, for instance value.replace(tzinfo=timezone.utc)"
    if (given, wanted) == ("timestamp", "timestamp_ntz"):
        return ": drop the time zone, for instance value.replace(tzinfo=None)"
    return ""
