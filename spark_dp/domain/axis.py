"""What the domain of one column is: ranks 0..k−1, and what a drawn rank is written as."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

#: Largest domain whose counts the driver holds.
MAX_CELLS = 2**22


class Chance(Protocol):
    """Where a value inside a drawn interval comes from."""

    def below(self, bound: int) -> int:
        """A uniform integer in [0, bound)."""
        ...


@dataclass(frozen=True)
class ColumnType:
    """What a domain must fit: the type of a column.

    Args:
        name: the type as SQL writes it, such as "decimal(10,2)".
        kind: name of the kind of value it holds, one of ``KINDS`` or "float".
        low, high: smallest and largest integer, for integers.
        precision, scale: digits in all and behind the point, for decimals.
    """

    name: str
    kind: str
    low: int = 0
    high: int = 0
    precision: int = 0
    scale: int = 0

    def holds(self, value: Any) -> bool:
        """Whether a canonical value of this kind can stand in such a column unchanged."""
        if self.kind == "integer":
            return bool(self.low <= value <= self.high)
        if self.kind == "decimal":
            _, digits, exponent = value.as_tuple()
            return bool(-exponent <= self.scale and len(digits) + exponent <= self.precision - self.scale)
        return True


class Axis(ABC):
    """The domain of one column."""

    @property
    @abstractmethod
    def size(self) -> int:
        """k, the number of ranks."""

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The columns of the domain: this one alone."""
        return (self,)

    def coordinates(self, rank: int) -> tuple[int, ...]:
        """The rank in each column: the rank itself."""
        return (rank,)

    @abstractmethod
    def rank(self, value: Any) -> int | None:
        """Rank of a value, None if it is not in the domain."""

    @abstractmethod
    def unrank(self, rank: int) -> Any:
        """What a rank stands for."""

    @abstractmethod
    def cast(self, column: str, to: ColumnType) -> Axis:
        """This domain for a column's own type, with the same ranks.

        Raises:
            DomainError: if it does not fit.
        """

    @abstractmethod
    def drawn(self, ranks: Sequence[int], source: Chance) -> list[str]:
        """The canonical texts of drawn values, for a domain that was cast to its column."""

    @abstractmethod
    def document(self) -> dict[str, object]:
        """The domain as what JSON can write."""

    @final
    def to_json(self) -> str:
        """The domain as JSON text; :func:`spark_dp.domain.from_json` reads it back."""
        return json.dumps(self.document(), ensure_ascii=False)
