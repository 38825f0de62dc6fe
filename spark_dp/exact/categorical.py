"""An exact categorical distribution over a huge domain, in the space of the values seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class Categorical:
    """A categorical distribution over ranks 0..k−1 with weights ``count · scale + extra``.

    A draw splits as in the reveal-or-obscure papers: with probability n · scale / total a uniformly
    random record reveals its value; otherwise the value is obscured, that is, drawn in proportion
    to the extra alone. Weights are integers and may exceed 64 bits.

    Args:
        k: size of the domain.
        ranks: the ranks seen, sorted, each once. Shape (s,), int64.
        counts: their counts, with a sum below 2^63. Shape (s,), int64.
        scale: weight of one record.
        seen_extra: what each seen rank gets on top, shape (s,); None if it is the same as for the others.
        unseen_extra: what each rank that was not seen gets.
    """

    def __init__(
        self, k: int, ranks: Ints, counts: Ints, scale: int, seen_extra: Sequence[int] | None, unseen_extra: int
    ) -> None:
        self.scale = scale
        self._ranks = ranks
        self._cumulative_counts = np.cumsum(counts)
        self.records = int(self._cumulative_counts[-1]) if len(counts) else 0
        self._revealing = scale * self.records
        # One number for all is a domain of which no value is set apart.
        self._set_apart = ranks[:0] if seen_extra is None else ranks
        self._cumulative_extra = list(accumulate(seen_extra or ()))
        self._shared_extra = unseen_extra
        self._obscuring_apart = self._cumulative_extra[-1] if self._cumulative_extra else 0
        self.total = self._revealing + self._obscuring_apart + self._shared_extra * (k - len(self._set_apart))

    def pick(self, ticket: int) -> int:
        """The rank that a ticket in [0, total) stands for; each rank has as many tickets as weight."""
        if self.reveals(ticket):
            return self.revealed(ticket // self.scale)
        return self._obscured(ticket - self._revealing)

    def reveals(self, ticket: int) -> bool:
        """Whether a ticket stands for a record, and not for what was added."""
        return ticket < self._revealing

    def revealed(self, record: int) -> int:
        """The rank that record number 0..records−1 holds, in the order of the ranks."""
        return int(self._ranks[np.searchsorted(self._cumulative_counts, record, side="right")])

    def _obscured(self, ticket: int) -> int:
        if ticket < self._obscuring_apart:
            return int(self._set_apart[bisect_right(self._cumulative_extra, ticket)])
        return nth_missing(self._set_apart, (ticket - self._obscuring_apart) // self._shared_extra)


def nth_missing(present: Ints, index: int) -> int:
    """The ``index``-th (from 0) of the numbers 0, 1, 2, … that are not in ``present`` (sorted, each once).

    >>> [nth_missing(np.array([1, 2, 5]), index) for index in range(4)]
    [0, 3, 4, 6]
    """
    # present[i] − i numbers are missing below present[i], a sequence that never falls.
    low, high = 0, len(present)
    while low < high:
        middle = (low + high) // 2
        if int(present[middle]) - middle <= index:
            low = middle + 1
        else:
            high = middle
    return index + low
