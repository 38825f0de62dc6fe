"""Exact draws from counts that lie in many places: each sums up and offers candidates, one place decides.

The weight of a value is a floor, which every value of the domain has, and what it has above it. A ticket
above all the floors picks a part in proportion to what its values have above theirs, and takes the next of
the part's candidates, which were drawn in the same proportion: the probabilities are those of a single
draw from all counts. What a ticket picks among the floors is a uniform value of the domain.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

import numpy as np
import numpy.typing as npt

from spark_dp.exact.draws import different
from spark_dp.exact.source import Source

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class Part:
    """What one part of the counts tells. As private as they are.

    Args:
        records: rows whose value is in the domain.
        above: the weight of its values above the floor.
        seen: the number of its values.
        minimum: the smallest of its counts, 0 if it has none.
        outside: rows whose value is not in the domain.
        candidates: ranks of its values, as many as there will be draws: each for itself in proportion
            to the weight above the floor, or of different records in random order.
    """

    records: int
    above: int
    seen: int
    minimum: int
    outside: int
    candidates: Sequence[int]


@dataclass(frozen=True, repr=False)
class Parts:
    """The counts of a domain of size k, of which each value lies in one part only. Private."""

    k: int
    parts: tuple[Part, ...]

    @property
    def n(self) -> int:
        """All rows, those outside the domain too."""
        return self.records + self.outside

    @property
    def records(self) -> int:
        """Rows whose value is in the domain."""
        return sum(part.records for part in self.parts)

    @property
    def outside(self) -> int:
        """Rows whose value is not in the domain."""
        return sum(part.outside for part in self.parts)

    @property
    def minimum(self) -> int:
        """The smallest count over the whole domain: 0 unless every value was seen."""
        if sum(part.seen for part in self.parts) < self.k:
            return 0
        return min(part.minimum for part in self.parts if part.seen)


def summed_up(
    ranks: Ints, counts: Ints, outside: int, above: Callable[[int], int], draws: int, source: Source, *, distinct: bool
) -> Part:
    """A part of the counts as what decides over it needs to know.

    Args:
        ranks: the values seen, each once. Shape (s,), int64.
        counts: how often. Shape (s,), int64.
        outside: rows outside the domain.
        above: the weight above the floor that a count makes; never less for a larger count.
        draws: how many draws there will be.
        source: of the candidates.
        distinct: whether candidates are different records, for weights in proportion to the counts.
    """
    # Values of one count weigh the same, and of different counts there are few.
    order = np.argsort(counts, kind="stable")
    ranks, counts = ranks[order], counts[order]
    levels, starts, sizes = np.unique(counts, return_index=True, return_counts=True)
    each = [above(count) for count in levels.tolist()]
    cumulative = list(accumulate(weight * size for weight, size in zip(each, sizes.tolist(), strict=True)))
    records, total = int(counts.sum()), cumulative[-1] if cumulative else 0

    def picked() -> int:
        ticket = source.below(total)
        place = bisect_right(cumulative, ticket)
        within = (ticket - (cumulative[place - 1] if place else 0)) // each[place]
        return int(ranks[int(starts[place]) + within])

    if distinct:
        ends = np.cumsum(counts)
        numbers = islice(different(records, source), draws)
        candidates = [int(ranks[np.searchsorted(ends, number, side="right")]) for number in numbers]
    else:
        candidates = [picked() for _ in range(draws if total else 0)]
    minimum = int(levels[0]) if len(levels) else 0
    return Part(records, total, len(ranks), minimum, outside, candidates)


class Apart:
    """The distribution of draws from parts, to be drawn from as :class:`~spark_dp.exact.categorical.Categorical`.

    The rows outside the domain, if they take part, become uniform values of it when they are first asked for.

    Args:
        parts: what each place told.
        scale: weight of one record.
        floor: weight of a value without a record.
        source: of what was not drawn where the rows are.
    """

    def __init__(self, parts: Parts, scale: int, floor: int, source: Source) -> None:
        self.scale = scale
        self._k, self._floor, self._source = parts.k, floor, source
        self._candidates = [iter(part.candidates) for part in parts.parts]
        self._above = list(accumulate(part.above for part in parts.parts))
        self._within = list(accumulate(part.records for part in parts.parts))
        self._replaced: dict[int, int] = {}
        self.records = parts.n
        self._known = self._above[-1] if self._above else 0
        self._revealing = self._known + parts.outside * scale
        self.total = self._revealing + floor * parts.k

    def pick(self, ticket: int) -> int:
        """The rank that a uniform ticket in [0, total) stands for, drawn anew for each ticket."""
        if ticket < self._known:
            return self._next(bisect_right(self._above, ticket))
        if ticket < self._revealing:
            return self._outside((ticket - self._known) // self.scale)
        return (ticket - self._revealing) // self._floor

    def reveals(self, ticket: int) -> bool:
        """Whether a ticket stands for a record, where what values have above the floor are their records."""
        return ticket < self._revealing

    def revealed(self, record: int) -> int:
        """The rank of a record that was not asked for before, of those outside the domain last."""
        inside = self._within[-1] if self._within else 0
        return self._next(bisect_right(self._within, record)) if record < inside else self._outside(record - inside)

    def _next(self, part: int) -> int:
        return next(self._candidates[part])

    def _outside(self, record: int) -> int:
        if record not in self._replaced:
            self._replaced[record] = self._source.below(self._k)
        return self._replaced[record]
