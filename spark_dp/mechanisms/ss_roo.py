"""SS-ROO: each value is smoothed only as far as its own count requires."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar

from spark_dp.counts import Counts
from spark_dp.errors import ArgumentError, MethodError
from spark_dp.exact.rising import Rising
from spark_dp.mechanisms import envelope
from spark_dp.mechanisms.base import refuse_replace_apart
from spark_dp.mechanisms.weights import Scheme, Smoothing, WeightsMechanism
from spark_dp.privacy import Relation

#: Largest c*, the count from which values are exact. No table has counts for which more would matter.
MAX_EXACT_FROM = 10**12


class SsRoo(WeightsMechanism):
    """Symbol-specific reveal-or-obscure sampling.

    Q(y) ∝ b(c_y), where b is the smallest convex function with b(c) = c for c ≥ c* = ⌈T/(e^ε − 1)⌉
    that keeps ε: frequent values are revealed without distortion, and a value that no record holds
    weighs b(0), at most about half of what ROO or Dirichlet give it. T draws come from a Pólya urn that
    starts with these weights. Beyond 2,000 counts b is piecewise linear.

    Guarantee: ε for all T draws together under every relation.
    Error bound: TV of each draw ≤ (k − 1) b(0) / (b(n) + (k − 1) b(0)).
    Source: this project; docs/mechanisms.md has the proof.

    Raises:
        MethodError: if c* exceeds 10¹².

    >>> from spark_dp import mechanism
    >>> [f"{float(p):.6f}" for p in mechanism("ss-roo", eps="0.1", k=4).pmf([4, 4, 4, 20])]
    ['0.156897', '0.156897', '0.156897', '0.529309']
    """

    name: ClassVar[str] = "ss-roo"
    summary: ClassVar[str] = "an urn that smooths each value only as far as its own count requires"
    scheme: ClassVar[Scheme] = Scheme.POLYA_URN

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.exact_from > MAX_EXACT_FROM:
            raise MethodError(
                f"ss-roo with eps = {self.epsilon} and num_samples = {self.num_samples} would smooth counts up to "
                f"{self.exact_from:,}, more than the {MAX_EXACT_FROM:,} its table reaches. Use method='dirichlet', "
                "fewer samples or a larger eps."
            )

    @cached_property
    def exact_from(self) -> int:
        """c*: a value with at least so many records keeps its count as weight."""
        return exact_from(self.exp_epsilon, self.num_samples)

    @cached_property
    def envelope(self) -> envelope.Envelope:
        """The weight function b."""
        if self.waits_for_n:
            raise ArgumentError("Under relation='replace' the weights depend on the number of records: give n.")
        least_total = (self.n or 0) * self.scale
        rising = Rising(self.num_samples, self.joint_epsilon, self.exp_epsilon, self.scale)
        return _envelope(rising, self.exact_from, self.scale, self.k, self.relation, least_total)

    def prepare(self) -> None:
        """Build the table, unless it waits for n."""
        if not self.waits_for_n:
            _ = self.envelope

    def smoothing(self, counts: Counts) -> Smoothing:
        """b(c) − c for each value."""
        b = self.envelope
        return Smoothing(b(0), [b(count) - count * self.scale for count in counts.counts.tolist()])

    def floor(self, minimum: int) -> int:
        """b(0)."""
        return self.envelope(0)

    @property
    def above_floor(self) -> Callable[[int], int]:
        """b(c) − b(0)."""
        return self.envelope.above_floor

    def check_apart(self) -> None:
        """Refused under replace, where replaced rows change the weights of the values that they take."""
        refuse_replace_apart(self)

    def error_bound(self, n: int) -> Fraction:
        """(k − 1) b(0) / (b(n) + (k − 1) b(0)): reached when all n records hold the same value."""
        b = (self.with_n(n) if self.relation is Relation.REPLACE else self).envelope
        return Fraction((self.k - 1) * b(0), b(n) + (self.k - 1) * b(0))


def exact_from(exp_epsilon: Fraction, num_samples: int) -> int:
    """c* = ⌈T/(E − 1)⌉: one record more or less of so many changes T draws by E at most."""
    return math.ceil(num_samples / (exp_epsilon - 1))


@lru_cache(maxsize=16)
def _envelope(
    rising: Rising, exact_from: int, scale: int, k: int, relation: Relation, least_total: int
) -> envelope.Envelope:
    """The envelope of the relation, certified; it depends on public parameters only."""
    # Without what falling counts cost: all that is needed where none falls, and a bound of b(0) elsewhere.
    rise_only = envelope.Inequalities(rising, falls=False)
    lower = envelope.build(rise_only, exact_from, scale, least=0)
    if relation is Relation.ADD_REMOVE or k == 1:
        envelope.certify(lower, rise_only, least=0)
        return lower
    least = lower(0)
    inequalities = envelope.Inequalities(rising, others=(k - 2) * least, least_total=least_total)
    built = envelope.build(inequalities, exact_from, scale, least)
    envelope.certify(built, inequalities, least)
    return built
