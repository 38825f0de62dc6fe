"""How far apart two tables are to whoever sees a release, and how far they may be: in rationals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from spark_dp.audit.exponential import exp_below, protected_draws, protected_epsilon
from spark_dp.audit.joint import joint, unordered
from spark_dp.audit.neighbors import Histogram, changed
from spark_dp.audit.size import Size
from spark_dp.mechanisms.base import Mechanism
from spark_dp.mechanisms.noise import NoiseMechanism
from spark_dp.mechanisms.weights import WeightsMechanism
from spark_dp.privacy import Relation

#: A rational, or infinite: the only float that takes part in a comparison.
Apart = Fraction | float


@dataclass(frozen=True)
class Measure:
    """How neighbors are compared.

    Args:
        apart: how far apart two histograms are.
        limit: how far they may be.
        loss: the logarithm of the ratio of all draws that this stands for.
    """

    apart: Callable[[Histogram, Histogram], Apart]
    limit: Fraction
    loss: Callable[[Apart], float]


def measure_of(mechanism: Mechanism, size: Size) -> Measure:
    """How the releases of a mechanism are compared, for tables of that size."""
    if isinstance(mechanism, NoiseMechanism):
        return _of_noise(mechanism)
    if isinstance(mechanism, WeightsMechanism):
        return _of_draws(mechanism, size)
    raise TypeError(f"{mechanism.name} draws neither from weights nor from noise")


def _of_noise(mechanism: NoiseMechanism) -> Measure:
    """P(noise) ∝ e^(−|noise|/λ) changes by e^(d/λ) at most if the counts change by d, and so does all of a release."""
    scale = Fraction(mechanism.noise_scale)

    def apart(counts: Histogram, neighbor: Histogram) -> Fraction:
        return sum(abs(before - after) for before, after in changed(counts, neighbor)) / scale

    return Measure(apart, mechanism.epsilon.value, float)


def _of_draws(mechanism: WeightsMechanism, size: Size) -> Measure:
    # Independent draws multiply, so that one stands for all of them: their ratio is its T-th power.
    times = mechanism.num_samples // protected_draws(mechanism)
    sequences = unordered(size.k, size.draws)
    small = _of_size(mechanism, size)

    @cache
    def probabilities(counts: Histogram) -> list[Fraction]:
        return list(joint(small, counts, sequences).values())

    return Measure(
        lambda counts, neighbor: largest_ratio(probabilities(counts), probabilities(neighbor)),
        exp_below(protected_epsilon(mechanism)),
        lambda ratio: times * _logarithm(ratio),
    )


def _of_size(mechanism: WeightsMechanism, size: Size) -> WeightsMechanism:
    """The mechanism for that size; as many draws as they were if they are independent, since they share ε."""
    draws = mechanism.num_samples if protected_draws(mechanism) == 1 else size.draws
    n = size.n if mechanism.relation is Relation.REPLACE else None
    return replace(mechanism, k=size.k, num_samples=draws, n=n)


def largest_ratio(here: Iterable[Fraction], there: Iterable[Fraction]) -> Apart:
    """The largest ratio of two probabilities of one outcome, either way round; infinite if just one is 0.

    >>> largest_ratio([Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 3), Fraction(2, 3)])
    Fraction(3, 2)
    """
    above, below = 1, 1
    for p, q in zip(here, there, strict=True):
        left, right = p.numerator * q.denominator, q.numerator * p.denominator
        larger, smaller = (left, right) if left > right else (right, left)
        if larger * below > above * smaller:
            above, below = larger, smaller
    return Fraction(above, below) if below else math.inf


def _logarithm(ratio: Apart) -> float:
    return math.log1p(float(ratio - 1))
