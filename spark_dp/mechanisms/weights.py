"""Mechanisms that answer with integer weights: counts plus smoothing, then draws from just that.

A mechanism answers one question, :meth:`WeightsMechanism.smoothing`. The probabilities and the draws
follow from the answer here, in one place and in integers, so that no mechanism can draw from
something other than what its proof speaks of.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property, partial
from operator import mul
from typing import ClassVar, final

from spark_dp.counts import Counts
from spark_dp.exact import draws
from spark_dp.exact.categorical import Categorical
from spark_dp.exact.parts import Apart, Parts
from spark_dp.exact.source import Source
from spark_dp.mechanisms.base import Mechanism

#: Fraction bits of a weight beyond its leading bit: rounding costs less than 10⁻¹⁹ of accuracy.
_WEIGHT_BITS = 64


@dataclass(frozen=True, repr=False)
class Smoothing:
    """What a mechanism adds to the counts, in units of 1/scale record. As private as they are.

    Args:
        unseen: added to each value of the domain that no record holds.
        seen: added to each value that was seen, in the order of ``Counts.ranks``;
            None if every value of the domain gets the same.
    """

    unseen: int
    seen: Sequence[int] | None = None


class Scheme(Enum):
    """How several draws come from the weights."""

    INDEPENDENT = "independent draws, each at ε/T"
    POLYA_URN = "an urn into which each draw puts one record more of its value"
    DISTINCT_RECORDS = "draws that reveal different records"


_DRAW: dict[Scheme, Callable[[draws.Distribution, int, Source], list[int]]] = {
    Scheme.INDEPENDENT: draws.independent,
    Scheme.POLYA_URN: draws.polya_urn,
    Scheme.DISTINCT_RECORDS: draws.distinct_records,
}


class WeightsMechanism(Mechanism):
    """A mechanism whose draws follow integer weights, count · scale + smoothing."""

    scheme: ClassVar[Scheme] = Scheme.INDEPENDENT

    @property
    def joint_draws(self) -> int:
        """1 for independent draws, which share ε, else T."""
        return 1 if self.scheme is Scheme.INDEPENDENT else self.num_samples

    @cached_property
    def scale(self) -> int:
        """Integer weight of one record: a power of two, the same for all tables."""
        return 1 << (_WEIGHT_BITS + int(self.exp_epsilon).bit_length())

    @abstractmethod
    def smoothing(self, counts: Counts) -> Smoothing:
        """The answer that makes the mechanism: how far these counts are smoothed."""

    @final
    def pmf(self, counts: Counts | Sequence[int]) -> list[Fraction]:
        """Exact probability that one draw is each of the k values, given these counts.

        Whatever the scheme, each draw of a release has these probabilities. Costs O(k). Rows outside
        the domain take no part. The result is as private as the counts.
        """
        counts = self._checked(counts)
        bound = self._bound_to(counts)
        smoothing = bound.smoothing(counts)
        weights = [smoothing.unseen] * self.k
        added = smoothing.seen or [smoothing.unseen] * len(counts.ranks)
        for rank, count, extra in zip(counts.ranks.tolist(), counts.counts.tolist(), added, strict=True):
            weights[rank] = count * bound.scale + extra
        # Nothing seen and nothing added leaves no weight; that cannot happen with a positive ε.
        total = sum(weights)
        return [Fraction(weight, total) for weight in weights]

    @final
    def _ranks(self, counts: Counts, source: Source) -> list[int]:
        smoothing = self.smoothing(counts)
        weights = Categorical(self.k, counts.ranks, counts.counts, self.scale, smoothing.seen, smoothing.unseen)
        return _DRAW[self.scheme](weights, self.num_samples, source)

    def floor(self, minimum: int) -> int:
        """The weight of a value without a record, if it depends on nothing but the smallest count."""
        raise NotImplementedError

    @property
    def above_floor(self) -> Callable[[int], int]:
        """The weight that so many records add to that, as a function that can be sent to where they are."""
        return partial(mul, self.scale)

    @final
    def _ranks_apart(self, parts: Parts, source: Source) -> list[int]:
        weights = Apart(parts, self.scale, self.floor(parts.minimum), source)
        return _DRAW[self.scheme](weights, self.num_samples, source)


class ConstantSmoothing(WeightsMechanism):
    """The same pseudo-count for every value, whatever the counts."""

    @cached_property
    def pseudo_count(self) -> int:
        """j/(E − 1) for j joint draws, rounded up, in units of 1/scale record."""
        return math.ceil(self.scale * self.joint_draws / (self.exp_epsilon - 1))

    def floor(self, minimum: int) -> int:
        """The pseudo-count."""
        return self.pseudo_count

    def smoothing(self, counts: Counts) -> Smoothing:
        """The pseudo-count for every value."""
        return Smoothing(self.floor(counts.minimum))

    def check_apart(self) -> None:
        """A record adds the same weight to every value, wherever it lies."""

    def error_bound(self, n: int) -> Fraction:
        """q (1 − 1/k): reached when all n records hold the same value."""
        return Fraction((self.k - 1) * self.pseudo_count, n * self.scale + self.k * self.pseudo_count)
