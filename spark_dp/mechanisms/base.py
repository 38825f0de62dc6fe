"""What every mechanism is: public parameters in, exact draws out.

A mechanism answers one question, :meth:`Mechanism.smoothing`. The probabilities and the draws
follow from the answer here, in one place and in integers, so that no mechanism can draw from
something other than what its proof speaks of.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import ClassVar, final

import numpy as np

from spark_dp.counts import Counts
from spark_dp.errors import ArgumentError, NumSamplesError, RelationError
from spark_dp.exact.bounds import exp_lower
from spark_dp.exact.categorical import Categorical
from spark_dp.exact.source import SYSTEM, Source
from spark_dp.privacy import Epsilon, Guarantee, Relation

#: Fraction bits of a weight beyond its leading bit: rounding costs less than 10⁻¹⁹ of accuracy.
_WEIGHT_BITS = 64

#: Independent draws are made one by one on the driver and come back as literal rows.
MAX_DRAWS = 1_000_000

#: Counts are 64-bit integers on Spark.
MAX_RECORDS = 2**62


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


@dataclass(frozen=True)
class Mechanism(ABC):
    """A differentially private sampler over a public domain of k values.

    Fields are public. What is private, the counts, is an argument of calls.

    Args:
        epsilon: privacy loss bound of the whole release, that is, of all its draws.
        k: size of the domain, at least 1.
        relation: which tables are neighbors: "any", "replace" or "add-remove".
        num_samples: number of draws T, each at ε/T (sequential composition).
        n: number of records. Public under "replace", where None means "as in the counts";
            must be None otherwise, where it is private.

    Raises:
        EpsilonError, RelationError, NumSamplesError, ArgumentError: on parameters out of range.
    """

    epsilon: Epsilon
    k: int
    relation: Relation = Relation.ANY
    num_samples: int = 1
    n: int | None = None

    name: ClassVar[str]
    relations: ClassVar[frozenset[Relation]] = frozenset(Relation)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", Epsilon.parse(self.epsilon))
        object.__setattr__(self, "relation", Relation.parse(self.relation))
        object.__setattr__(self, "num_samples", check_num_samples(self.num_samples))
        _check_whole("k", self.k, "the size of the domain", 1, 2**63 - 1)
        if self.relation not in self.relations:
            supported = ", ".join(sorted(repr(known.value) for known in self.relations))
            raise RelationError(
                f"{self.name} has no proven guarantee under relation={self.relation.value!r}. Use {supported}."
            )
        if self.n is not None:
            if self.relation is not Relation.REPLACE:
                raise ArgumentError(
                    f"n is private under relation={self.relation.value!r} and cannot be a parameter: leave it out, "
                    "or use relation='replace', where the number of records is public."
                )
            _check_whole("n", self.n, "the number of records", 0, MAX_RECORDS)

    @property
    def guarantee(self) -> Guarantee:
        """What the whole release promises."""
        return Guarantee(self.epsilon, self.relation)

    @cached_property
    def exp_epsilon(self) -> Fraction:
        """Certified lower bound of e^(ε/T), the factor one draw may use."""
        return exp_lower(self.epsilon.value / self.num_samples)

    @cached_property
    def scale(self) -> int:
        """Integer weight of one record: a power of two, the same for all tables."""
        return 1 << (_WEIGHT_BITS + int(self.exp_epsilon).bit_length())

    @abstractmethod
    def smoothing(self, counts: Counts) -> Smoothing:
        """The answer that makes the mechanism: how far these counts are smoothed."""

    @abstractmethod
    def error_bound(self, n: int) -> Fraction:
        """Largest total variation of one draw to the empirical distribution of n records."""

    @final
    def pmf(self, counts: Counts | Sequence[int]) -> list[Fraction]:
        """Exact probability that one draw is each of the k values, given these counts.

        Costs O(k). Rows outside the domain take no part. The result is as private as the counts.
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
    def draw(self, counts: Counts | Sequence[int]) -> list[int]:
        """The release: num_samples independent ranks, each with the probabilities of :meth:`pmf`."""
        return self._draw(counts, SYSTEM)

    @final
    def _draw(self, counts: Counts | Sequence[int], source: Source) -> list[int]:
        counts = self._checked(counts)
        if self.relation is Relation.REPLACE:
            counts = _with_outside_replaced(counts, source)
        bound = self._bound_to(counts)
        smoothing = bound.smoothing(counts)
        distribution = Categorical(self.k, counts.ranks, counts.counts, bound.scale, smoothing.seen, smoothing.unseen)
        return [distribution.draw(source) for _ in range(self.num_samples)]

    def _checked(self, counts: Counts | Sequence[int]) -> Counts:
        if not isinstance(counts, Counts):
            counts = Counts.dense(counts)
        if counts.k != self.k:
            raise ArgumentError(f"counts over a domain of {counts.k} values given to a mechanism for k = {self.k}.")
        return counts

    def _bound_to(self, counts: Counts) -> Mechanism:
        """Under replace, this mechanism with n filled in; n is public there."""
        if self.relation is not Relation.REPLACE or self.n == counts.n:
            return self
        if self.n is not None:
            raise ArgumentError(f"counts of {counts.n} records given to a mechanism for n = {self.n}.")
        return dataclasses.replace(self, n=counts.n)


def check_num_samples(num_samples: object) -> int:
    """The number of draws, if it is one; NumPy's integers are.

    Raises:
        NumSamplesError: if it is not a whole number in [1, MAX_DRAWS].
    """
    if isinstance(num_samples, bool) or not isinstance(num_samples, Integral):
        raise NumSamplesError(
            f"num_samples = {num_samples!r} is a {type(num_samples).__name__}, not a whole number of samples. "
            "Give an integer such as 1 or 100."
        )
    draws = int(num_samples)
    if not 1 <= draws <= MAX_DRAWS:
        raise NumSamplesError(
            f"num_samples = {num_samples} is outside 1 to {MAX_DRAWS:,}: every sample is an independent draw "
            "made at eps/num_samples. Ask for fewer."
        )
    return draws


def _check_whole(name: str, value: object, meaning: str, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ArgumentError(f"{name} = {value!r} must be {meaning}: a whole number from {low} to {high}.")


def _with_outside_replaced(counts: Counts, source: Source) -> Counts:
    """Each row outside the domain becomes a uniformly random value of it.

    Dropping such rows would make n depend on them, and under replace n is public.
    """
    for drawn in source.below_many(counts.k, counts.outside):
        ranks, repeats = np.unique(drawn, return_counts=True)
        counts = Counts.sparse(
            counts.k, np.concatenate([counts.ranks, ranks]), np.concatenate([counts.counts, repeats])
        )
    return counts
