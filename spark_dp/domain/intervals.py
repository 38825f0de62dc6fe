"""Bins of a column's own type: what Spark ranks by and draws are made from."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_dp.domain.axis import Axis, Chance, ColumnType
from spark_dp.domain.units import Edge, unit_value, units
from spark_dp.kinds import KINDS, is_null

if TYPE_CHECKING:
    from spark_dp.domain.bins import Bins

#: Steps between the ends of a bin of floating-point numbers.
_STEPS = 2**53


def float_ends(to: ColumnType, low: float, high: float) -> tuple[float, float]:
    """The smallest and the largest number of a floating-point type in [low, high); if it has none, crossed."""
    if to.name != "float":
        return low, math.nextafter(high, -math.inf)
    with np.errstate(over="ignore"):
        first, last = np.float32(low), np.float32(high)
        # Compared as doubles: NumPy would round the edges to 32 bits, too.
        if float(first) < low:
            first = np.nextafter(first, np.float32(math.inf))
        if float(last) >= high:
            last = np.nextafter(last, np.float32(-math.inf))
    return float(first), float(last)


@dataclass(frozen=True, repr=False)
class Intervals(Axis):
    """Bins cast to a column: rank r holds thresholds[r] ≤ x < thresholds[r + 1].

    Args:
        bins: as they were given.
        type: the column's.
        thresholds: k + 1 of them, increasing: floats for a column of floating-point numbers, else whole
            units of the type (10^−scale of a decimal, days, microseconds). The last one lies just
            behind the last bin, which is closed.
    """

    bins: Bins
    type: ColumnType
    thresholds: tuple[int, ...] | tuple[float, ...]

    @property
    def size(self) -> int:
        """k, the number of bins."""
        return len(self.thresholds) - 1

    @property
    def floats(self) -> bool:
        """Whether the column holds floating-point numbers."""
        return self.type.kind == "float"

    def rank(self, value: Any) -> int | None:
        """Rank of the bin that a value of the column's type lies in, None if it lies in none."""
        if is_null(value):
            return None
        x = float(value) if self.floats else Edge.of(value).place * units(self.type)
        return self.bins.inside(bisect_right(self.thresholds, x) - 1)

    def unrank(self, rank: int) -> tuple[Any, Any]:
        """The edges of a bin, as they were given."""
        return self.bins.unrank(rank)

    def cast(self, column: str, to: ColumnType) -> Axis:
        """The bins for another column."""
        return self.bins.cast(column, to)

    def drawn(self, ranks: Sequence[int], source: Chance) -> list[str]:
        """The text of a uniform value of the column's type in each bin."""
        point = self._float if self.floats else self._unit
        return [point(self.thresholds[rank], self.thresholds[rank + 1], source) for rank in ranks]

    def _unit(self, low: Any, high: Any, source: Chance) -> str:
        return KINDS[self.type.kind].to_text(unit_value(self.type, low + source.below(high - low)))

    def _float(self, low: float, high: float, source: Chance) -> str:
        share = source.below(_STEPS) / _STEPS
        # Halved: the width may be more than a double can be. Without halving small numbers keep their bits.
        whole = math.isfinite(high - low)
        x = low + (high - low) * share if whole else 2 * (low / 2 + (high / 2 - low / 2) * share)
        # Rounding, to 32 bits above all, may leave the bin.
        first, last = float_ends(self.type, low, high)
        return repr(min(max(float(np.float32(x)) if self.type.name == "float" else x, first), last))

    def ends(self, rank: int) -> tuple[str, str]:
        """The texts of the smallest value of a bin, and of the largest (for floats, of its upper edge)."""
        low, high = self.thresholds[rank], self.thresholds[rank + 1]
        if self.floats:
            upper = self.thresholds[rank + 1] if rank + 1 < self.size else math.nextafter(high, -math.inf)
            return repr(low), repr(upper)
        first, last = unit_value(self.type, int(low)), unit_value(self.type, int(high) - 1)
        return KINDS[self.type.kind].to_text(first), KINDS[self.type.kind].to_text(last)

    def document(self) -> dict[str, object]:
        """The domain as what JSON can write."""
        return self.bins.document()

    def __repr__(self) -> str:
        return f"{self.bins!r} of {self.type.name}"
