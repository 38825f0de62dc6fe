"""Domains of several columns jointly."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spark_dp.domain.axis import Axis
from spark_dp.errors import DomainError

#: Ranks are 64-bit integers on Spark.
MAX_SIZE = 2**63 - 1


@dataclass(frozen=True)
class Product:
    """A domain of several columns: every combination of their values.

    Ranks run through the last column fastest.

    Args:
        columns: the domain of each column, by its name.

    Raises:
        DomainError: if there is no column, or the combinations are more than 2^63 − 1.

    >>> from spark_dp.domain import Values
    >>> joint = Product({"sex": Values(["f", "m"]), "age": Values([20, 30, 40])})
    >>> joint.size, joint.rank(("m", 20)), joint.unrank(4)
    (6, 3, ('m', 30))
    """

    columns: Mapping[str, Axis]

    def __post_init__(self) -> None:
        if not self.columns:
            raise DomainError("A product of no domains has no values. Give a domain for each column.")
        if self.size > MAX_SIZE:
            raise DomainError(
                f"The columns have {self.sizes} = {self.size:,} combinations, more than a 64-bit rank can number. "
                "Sample fewer columns at once, or coarser values."
            )

    @property
    def sizes(self) -> str:
        """The sizes of the columns, as a product for people."""
        return " × ".join(str(axis.size) for axis in self.axes)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The domain of each column, in order."""
        return tuple(self.columns.values())

    @property
    def size(self) -> int:
        """k, the number of combinations."""
        return math.prod(axis.size for axis in self.axes)

    def rank(self, values: Sequence[Any]) -> int | None:
        """Rank of a combination, None if one of its values is not in the domain."""
        rank = 0
        for axis, value in zip(self.axes, values, strict=True):
            place = axis.rank(value)
            if place is None:
                return None
            rank = rank * axis.size + place
        return rank

    def unrank(self, rank: int) -> tuple[Any, ...]:
        """Combination of a rank."""
        return tuple(axis.unrank(place) for axis, place in zip(self.axes, self.coordinates(rank), strict=True))

    def coordinates(self, rank: int) -> tuple[int, ...]:
        """The rank in each column."""
        places = []
        for axis in reversed(self.axes):
            rank, place = divmod(rank, axis.size)
            places.append(place)
        return tuple(reversed(places))

    def to_json(self) -> str:
        """The domain as JSON text; :func:`spark_dp.domain.from_json` reads it back."""
        columns = {name: axis.document() for name, axis in self.columns.items()}
        return json.dumps({"domain": "product", "columns": columns}, ensure_ascii=False)
