"""``method="auto"``: the mechanism with the smaller worst error, chosen from public parameters."""

from __future__ import annotations

from fractions import Fraction

from spark_dp.domain import MAX_CELLS
from spark_dp.errors import NumSamplesError
from spark_dp.exact.bounds import exp_lower
from spark_dp.mechanisms.base import MAX_DRAWS, Mechanism
from spark_dp.mechanisms.dirichlet import Dirichlet
from spark_dp.mechanisms.noise import MAX_NOISY_CELLS, sensitivity
from spark_dp.mechanisms.perturbed_histogram import PerturbedHistogram
from spark_dp.mechanisms.ss_roo import MAX_EXACT_FROM, SsRoo, exact_from
from spark_dp.privacy import Epsilon, Relation

SUMMARY = "ss-roo for few draws, perturbed-histogram for many: the one with the smaller worst error"


def choose(epsilon: Epsilon, k: int, relation: Relation, num_samples: int) -> type[Mechanism]:
    """The mechanism for these public parameters.

    The error of SS-ROO comes from b(0), which each value without a record weighs, that of a
    perturbed histogram from half the scale of the noise, the mean of what clipped noise adds to
    such a value. SS-ROO while its is the smaller or the domain too large for noise. More draws than
    the driver can make one by one are only to be had from noise.

    Raises:
        NumSamplesError: if they are so many, and the domain is too large for noise.

    >>> [choose(Epsilon.parse(1), 9, Relation.ANY, draws).name for draws in (1, 3, 4)]
    ['ss-roo', 'ss-roo', 'perturbed-histogram']
    """
    if num_samples > MAX_DRAWS:
        return _for_synthetic(k, num_samples)
    if k <= MAX_NOISY_CELLS and not _few(epsilon, k, relation, num_samples):
        return PerturbedHistogram
    if k > MAX_CELLS and relation is Relation.REPLACE:
        # Counts stay where the rows are, and a row outside the domain could change any weight of SS-ROO.
        return Dirichlet
    return SsRoo if exact_from(exp_lower(epsilon.value), num_samples) <= MAX_EXACT_FROM else Dirichlet


def _for_synthetic(k: int, num_samples: int) -> type[Mechanism]:
    if k > MAX_NOISY_CELLS:
        raise NumSamplesError(
            f"num_samples = {num_samples} is more than the {MAX_DRAWS:,} that can be drawn from a domain of {k:,} "
            f"values: more come from noisy counts of all values, which can be at most {MAX_NOISY_CELLS:,}. Ask for "
            "fewer, or sample coarser values."
        )
    return PerturbedHistogram


def _few(epsilon: Epsilon, k: int, relation: Relation, num_samples: int) -> bool:
    """Whether b(0) ≤ λ/2."""
    half_scale = Fraction(sensitivity(relation), 2) / epsilon.value
    # b(0) is at least a quarter of c*, so that most tables need not be built to know.
    if exact_from(exp_lower(epsilon.value), num_samples) > 4 * half_scale + 4:
        return False
    # Under replace n is not known yet; b for a private n is the larger one.
    private_n = Relation.ANY if relation is Relation.REPLACE else relation
    mechanism = SsRoo(epsilon, k, private_n, num_samples)
    return mechanism.envelope(0) <= half_scale * mechanism.scale
