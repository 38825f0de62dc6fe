"""Bins of numbers, dates or timestamps; a drawn bin becomes a uniform point inside it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from spark_dp.domain.axis import MAX_CELLS, Axis, Chance, ColumnType
from spark_dp.domain.intervals import Intervals, float_ends
from spark_dp.domain.units import NUMBER, Edge, unit_value, units
from spark_dp.errors import DomainError
from spark_dp.kinds import is_null

#: The column types whose values lie on a line.
_LINE = {"integer": NUMBER, "decimal": NUMBER, "float": NUMBER}
_NATURAL = {
    NUMBER: ColumnType("double", "float"),
    "date": ColumnType("date", "date"),
    "timestamp": ColumnType("timestamp", "timestamp"),
    "timestamp_ntz": ColumnType("timestamp_ntz", "timestamp_ntz"),
}


@dataclass(frozen=True, repr=False)
class Bins(Axis):
    """Bins [e_0, e_1), [e_1, e_2), …, [e_{k−1}, e_k], the last of them closed, as in numpy.histogram.

    For a column of floating-point numbers, edges of equal distance are those of numpy.linspace; for
    every other type they are exact. A drawn bin becomes a uniform value of the column's own type.

    Args:
        lower, upper: the outer edges: numbers (a float is read as its decimal text), dates, or timestamps.
        count: number of bins of equal width between them.
        edges: instead of the three, all k + 1 edges, increasing.
        outside: "drop" leaves out what lies outside, "clip" counts it in the nearest bin.

    Raises:
        DomainError: if the edges do not increase, mix kinds, or are too many.

    >>> ages = Bins(0, 120, 24)
    >>> ages, ages.size, ages.rank(39), ages.unrank(7), ages.rank(120), ages.rank(121)
    (Bins(0, 120, 24), 24, 7, (35, 40), 23, None)
    """

    kind: str
    edges: tuple[Fraction, ...]
    uniform: bool
    clip: bool

    def __init__(
        self,
        lower: Any = None,
        upper: Any = None,
        count: Any = None,
        *,
        edges: Sequence[Any] | None = None,
        outside: str = "drop",
    ) -> None:
        if outside not in ("drop", "clip"):
            raise DomainError(f"outside = {outside!r} is neither 'drop' nor 'clip'.")
        if any((given is None) == (edges is None) for given in (lower, upper, count)):
            raise DomainError("Bins need lower, upper and count, such as Bins(0, 120, 24), or edges=[...] alone.")
        listed = [lower, upper] if edges is None else list(edges)
        found = [value if isinstance(value, Edge) else Edge.of(value) for value in listed]
        kinds = sorted({edge.kind for edge in found})
        if len(kinds) > 1:
            raise DomainError(f"The edges of the bins mix {' and '.join(kinds)} values. Give edges of one kind.")
        places = [edge.place for edge in found]
        if len(places) < 2 or any(after <= before for before, after in pairwise(places)):
            raise DomainError(f"The edges of bins must be two or more and increase; {listed!r} do not.")
        if edges is None:
            width = (places[1] - places[0]) / _checked_count(count)
            places = [places[0] + place * width for place in range(count + 1)]
        else:
            _checked_count(len(places) - 1)
        object.__setattr__(self, "kind", kinds[0])
        object.__setattr__(self, "edges", tuple(places))
        object.__setattr__(self, "uniform", edges is None)
        object.__setattr__(self, "clip", outside == "clip")

    @property
    def size(self) -> int:
        """k, the number of bins."""
        return len(self.edges) - 1

    @property
    def width(self) -> Fraction:
        """The width of the bins, where all have the same."""
        return (self.edges[-1] - self.edges[0]) / self.size

    def rank(self, value: Any) -> int | None:
        """Rank of the bin that a value lies in, None if it lies in none."""
        if is_null(value):
            return None
        if isinstance(value, float) and self.kind == NUMBER:
            return self._natural.rank(value)
        edge = Edge.of(value)
        if edge.kind != self.kind:
            return None
        return self.inside(min(bisect_right(self.edges, edge.place) - 1, self.size - (edge.place == self.edges[-1])))

    def inside(self, place: int) -> int | None:
        """The rank for a place among the bins, which may lie before the first or behind the last one."""
        if self.clip:
            return min(max(place, 0), self.size - 1)
        return place if 0 <= place < self.size else None

    @cached_property
    def _natural(self) -> Intervals:
        """The bins of a column of the plainest type."""
        return self.cast("", _NATURAL[self.kind])

    def unrank(self, rank: int) -> tuple[Any, Any]:
        """The edges of a bin."""
        return Edge(self.kind, self.edges[rank]).value, Edge(self.kind, self.edges[rank + 1]).value

    def cast(self, column: str, to: ColumnType) -> Intervals:
        """The bins of a column's own type.

        Raises:
            DomainError: if the column lies on another line, cannot hold the edges, or is too coarse for the bins.
        """
        if _LINE.get(to.kind, to.kind) != self.kind:
            raise DomainError(
                f"The domain of column {column!r} are bins of kind {self.kind}, the column is of type {to.name}. "
                "Give bins of its own kind: numbers, dates, timestamps with a time zone, or without one."
            )
        thresholds = self._float_thresholds() if to.kind == "float" else self._unit_thresholds(to)
        for rank, (low, high) in enumerate(pairwise(thresholds)):
            if not _inhabited(to, low, high):
                lower, upper = self.unrank(rank)
                raise DomainError(
                    f"No value of type {to.name} of column {column!r} lies in the bin from {lower} to {upper}, so that "
                    "it could not be drawn. Make the bins wider."
                )
        if to.kind in ("integer", "decimal"):
            for unit in (int(thresholds[0]), int(thresholds[-1]) - 1):
                if not to.holds(unit_value(to, unit)):
                    raise DomainError(
                        f"The bins {self} reach {unit_value(to, unit)}, which column {column!r} of type {to.name} "
                        "cannot hold. Give edges within its range."
                    )
        return Intervals(self, to, thresholds)

    def _float_thresholds(self) -> tuple[float, ...]:
        if self.uniform:
            with np.errstate(all="ignore"):
                edges = np.linspace(float(self.edges[0]), float(self.edges[-1]), self.size + 1).tolist()
        else:
            edges = [float(edge) for edge in self.edges]
        if not all(map(math.isfinite, edges)):
            raise DomainError(f"The bins {self} are wider than floating-point numbers reach. Give closer edges.")
        return (*edges[:-1], math.nextafter(edges[-1], math.inf))

    def _unit_thresholds(self, to: ColumnType) -> tuple[int, ...]:
        exact = [edge * units(to) for edge in self.edges]
        return (*map(math.ceil, exact[:-1]), math.floor(exact[-1]) + 1)

    def drawn(self, ranks: Sequence[int], source: Chance) -> list[str]:
        """The text of a uniform value in each bin; of a number, a double."""
        return self._natural.drawn(ranks, source)

    def document(self) -> dict[str, object]:
        """The domain as what JSON can write."""
        outer = {"outside": "clip" if self.clip else "drop", "kind": self.kind}
        if self.uniform:
            lower, upper = (Edge(self.kind, self.edges[place]).text for place in (0, -1))
            return {"domain": "bins", "lower": lower, "upper": upper, "count": self.size, **outer}
        return {"domain": "bins", "edges": [Edge(self.kind, edge).text for edge in self.edges], **outer}

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Bins:
        """The domain that :meth:`document` describes; of numbers, and without what lies outside, if it does not say.

        Raises:
            DomainError: if it describes none.
        """
        kind, outside = document.get("kind", "number"), str(document.get("outside", "drop"))
        texts = document.get("edges") or [document.get("lower"), document.get("upper")]
        if kind not in _NATURAL or not isinstance(texts, list):
            raise DomainError(f"The JSON of bins names the kind {kind!r}, or lists no edges.")
        try:
            edges = [Edge.read(kind, str(text)) for text in texts]
        except (ValueError, ZeroDivisionError) as error:
            raise DomainError(f"The JSON of bins holds an edge that is none: {error}.") from None
        if "edges" in document:
            return Bins(edges=edges, outside=outside)
        return Bins(edges[0], edges[-1], document.get("count"), outside=outside)

    def __repr__(self) -> str:
        outside = ", outside='clip'" if self.clip else ""
        if self.uniform:
            lower, upper = (Edge(self.kind, self.edges[place]).value for place in (0, -1))
            return f"Bins({lower}, {upper}, {self.size}{outside})"
        return f"Bins(edges of kind {self.kind}, size={self.size}{outside})"


def _checked_count(count: Any) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_CELLS:
        raise DomainError(f"count = {count!r} must be a whole number of bins, from 1 to {MAX_CELLS:,}.")
    return count


def _inhabited(to: ColumnType, low: float, high: float) -> bool:
    """Whether a value of the type lies in [low, high)."""
    if to.kind != "float":
        return low < high
    first, last = float_ends(to, low, high)
    return first <= last
