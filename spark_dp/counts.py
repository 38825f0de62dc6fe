"""The exact, private histogram of a column: sparse, and silent about what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class Counts:
    """How many rows hold each value of a domain of size k.

    Args:
        k: size of the domain.
        ranks: the ranks seen, sorted, each once. Shape (s,), int64.
        counts: how often, each at least 1. Shape (s,), int64.
        outside: rows whose value is null or not in the domain.

    >>> Counts.dense([0, 3, 7])
    Counts(k=3, private)
    """

    k: int
    ranks: Ints
    counts: Ints
    outside: int = 0

    @classmethod
    def dense(cls, counts: Sequence[int] | Ints, outside: int = 0) -> Counts:
        """From one count for each value of the domain, zeros included."""
        every = np.asarray(counts, dtype=np.int64)
        ranks = np.flatnonzero(every)
        return cls(len(every), ranks, every[ranks], outside)

    @classmethod
    def sparse(cls, k: int, ranks: Ints, counts: Ints, outside: int = 0) -> Counts:
        """From (rank, count) pairs in any order; a rank may come more than once."""
        distinct, place = np.unique(ranks, return_inverse=True)
        total = np.zeros(len(distinct), np.int64)
        np.add.at(total, place, counts)
        seen = total > 0
        return cls(k, distinct[seen].astype(np.int64), total[seen], outside)

    def split(self, parts: int) -> Iterator[Counts]:
        """The counts of each of so many domains of one size, whose ranks follow one another.

        >>> [part.n for part in Counts.dense([1, 2, 0, 4, 0, 0]).split(3)]
        [3, 4, 0]
        """
        size = self.k // parts
        bounds = np.searchsorted(self.ranks, np.arange(parts + 1) * size)
        for part, (first, last) in enumerate(pairwise(bounds.tolist())):
            yield Counts(size, self.ranks[first:last] - part * size, self.counts[first:last])

    @property
    def n(self) -> int:
        """Rows whose value is in the domain."""
        return int(self.counts.sum())

    @property
    def minimum(self) -> int:
        """The smallest count over the whole domain: 0 unless every value was seen."""
        return int(self.counts.min()) if len(self.ranks) == self.k else 0

    def __repr__(self) -> str:
        # A count in a log line or a traceback is a leak.
        return f"Counts(k={self.k}, private)"
