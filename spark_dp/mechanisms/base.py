"""What every mechanism is: public parameters in, exact draws out."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import ClassVar, TypeVar, final

import numpy as np

from spark_dp.counts import Counts
from spark_dp.errors import ArgumentError, MethodError, NumSamplesError, RelationError
from spark_dp.exact.bounds import exp_lower
from spark_dp.exact.parts import Parts
from spark_dp.exact.source import SYSTEM, Source
from spark_dp.privacy import Epsilon, Guarantee, Relation

#: So many draws are made one by one on the driver and come back as literal rows.
MAX_DRAWS = 1_000_000

#: So many can be asked of any method.
MAX_SYNTHETIC_DRAWS = 1_000_000_000

#: Counts are 64-bit integers on Spark.
MAX_RECORDS = 2**62

M = TypeVar("M", bound="Mechanism")


@dataclass(frozen=True)
class Mechanism(ABC):
    """A differentially private sampler over a public domain of k values.

    Fields are public. What is private, the counts, is an argument of calls.

    Args:
        epsilon: privacy loss bound of the whole release, that is, of all its draws.
        k: size of the domain, at least 1.
        relation: which tables are neighbors: "any", "replace" or "add-remove".
        num_samples: number of draws T.
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

    #: What ``method=`` calls it, and what it does on one line.
    name: ClassVar[str]
    summary: ClassVar[str]
    relations: ClassVar[frozenset[Relation]] = frozenset(Relation)
    #: Whether n decides if the call can be answered at all, so that it must be known beforehand.
    depends_on_n: ClassVar[bool] = False
    #: Most draws of a release: more than the driver can make need weights that are already released.
    max_draws: ClassVar[int] = MAX_DRAWS

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", Epsilon.parse(self.epsilon))
        object.__setattr__(self, "relation", Relation.parse(self.relation))
        object.__setattr__(self, "num_samples", check_num_samples(self.num_samples))
        if self.num_samples > self.max_draws:
            raise NumSamplesError(
                f"num_samples = {self.num_samples} is more than the {self.max_draws:,} that {self.name} can draw: it "
                "makes each draw from the private counts. Use method='perturbed-histogram', or leave method='auto', "
                "which draw from noisy counts, or ask for fewer."
            )
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

    @property
    def waits_for_n(self) -> bool:
        """Whether the number of records is public and not given yet."""
        return self.relation is Relation.REPLACE and self.n is None

    @property
    def joint_draws(self) -> int:
        """How many draws are protected together: all T, at ε. Where it is 1, each has ε/T of its own."""
        return self.num_samples

    @property
    def joint_epsilon(self) -> Fraction:
        """ε of those draws."""
        return self.epsilon.value * self.joint_draws / self.num_samples

    @cached_property
    def exp_epsilon(self) -> Fraction:
        """E, a certified lower bound of e^ε for those draws."""
        return exp_lower(self.joint_epsilon)

    def prepare(self) -> None:  # noqa: B027 — most need nothing
        """Build, check and load whatever needs no row, so that what fails there fails before one is read."""

    @abstractmethod
    def error_bound(self, n: int) -> Fraction:
        """Largest total variation of one draw to the empirical distribution of n records."""

    @abstractmethod
    def pmf(self, counts: Counts | Sequence[int]) -> list[Fraction]:
        """Exact probability that one draw is each of the k values, given these counts.

        Costs O(k). Rows outside the domain take no part. The result is as private as the counts.

        Raises:
            MethodError: if the method has no closed form of it.
        """

    @final
    def draw(self, counts: Counts | Parts | Sequence[int]) -> list[int]:
        """The release: the ranks of num_samples drawn values.

        Raises:
            NumSamplesError: if they are too many for a list.
        """
        if self.num_samples > MAX_DRAWS:
            raise NumSamplesError(
                f"num_samples = {self.num_samples} is more than the {MAX_DRAWS:,} that draw() lists. Draw as many as "
                "you like from released_weights(counts)."
            )
        return self._draw(counts, SYSTEM)

    @final
    def _draw(self, counts: Counts | Parts | Sequence[int], source: Source) -> list[int]:
        if isinstance(counts, Parts):
            self.check_apart()
            return self._bound_to(counts)._ranks_apart(counts, source)  # noqa: SLF001 — of this class
        counts = self._completed(counts, source)
        return self._bound_to(counts)._ranks(counts, source)  # noqa: SLF001 — of this class

    @abstractmethod
    def _ranks(self, counts: Counts, source: Source) -> list[int]:
        """The drawn ranks, for a mechanism that knows n if it is public."""

    def check_apart(self) -> None:
        """Refuse if draws cannot be made from counts that lie in many places.

        Raises:
            MethodError: if they cannot; from public facts.
        """
        raise MethodError(
            f"{self.name} needs all counts in one place, and those of {self.k:,} values are too many. Use "
            "method='dirichlet', coarser values, or fewer columns at once."
        )

    def _ranks_apart(self, parts: Parts, source: Source) -> list[int]:
        """The drawn ranks from such counts, after :meth:`check_apart` let them pass."""
        raise NotImplementedError

    def _completed(self, counts: Counts | Sequence[int], source: Source) -> Counts:
        """The counts of all records: under replace, of those outside the domain too."""
        counts = self._checked(counts)
        return _with_outside_replaced(counts, source) if self.relation is Relation.REPLACE else counts

    def _checked(self, counts: Counts | Sequence[int]) -> Counts:
        if not isinstance(counts, Counts):
            counts = Counts.dense(counts)
        if counts.k != self.k:
            raise ArgumentError(
                f"counts over a domain of {counts.k} values given to a mechanism for k = {self.k}. Give one count for "
                "each value, or make the mechanism for as many."
            )
        if len(counts.counts) and counts.counts.min() < 0:
            raise ArgumentError("counts hold a negative number. Give how many records hold each value, 0 or more.")
        return counts

    def _bound_to(self: M, counts: Counts | Parts) -> M:
        """Under replace, this mechanism with n filled in; n is public there."""
        if self.relation is not Relation.REPLACE:
            return self
        if self.n not in (None, counts.n):
            raise ArgumentError(f"counts of {counts.n} records given to a mechanism for n = {self.n}.")
        return self.with_n(counts.n)

    def with_n(self: M, n: int) -> M:
        """This mechanism for n records, under replace, where n is public.

        Raises:
            ArgumentError: in one of its kinds, if it cannot answer for so few.
        """
        return self if self.n == n else dataclasses.replace(self, n=n)


def refuse_replace_apart(mechanism: Mechanism) -> None:
    """For a mechanism whose weights a row outside the domain changes, once it is replaced.

    Raises:
        MethodError: under replace.
    """
    if mechanism.relation is Relation.REPLACE:
        raise MethodError(
            f"{mechanism.name} under relation='replace' needs all counts in one place, and those of {mechanism.k:,} "
            "values are too many. Use method='dirichlet' or relation='any'."
        )


def check_num_samples(num_samples: object) -> int:
    """The number of draws, if it is one; NumPy's integers are.

    Raises:
        NumSamplesError: if it is not a whole number in [1, MAX_SYNTHETIC_DRAWS].
    """
    if isinstance(num_samples, bool) or not isinstance(num_samples, Integral):
        raise NumSamplesError(
            f"num_samples = {num_samples!r} is a {type(num_samples).__name__}, not a whole number of samples. "
            "Give an integer such as 1 or 100."
        )
    draws = int(num_samples)
    if not 1 <= draws <= MAX_SYNTHETIC_DRAWS:
        raise NumSamplesError(
            f"num_samples = {num_samples} is outside 1 to {MAX_SYNTHETIC_DRAWS:,}: all samples of a release share its "
            "eps. Ask for fewer."
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
