"""Mechanisms that release noisy counts first and draw from those.

What follows the noise sees the noisy counts and nothing else, by its signature, so that it costs
no privacy however many values are drawn.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, NoReturn, final

import numpy as np

from spark_dp.counts import Counts
from spark_dp.errors import MethodError
from spark_dp.exact.bounds import exp_lower
from spark_dp.exact.categorical import Categorical
from spark_dp.exact.draws import independent
from spark_dp.exact.source import SYSTEM, Source
from spark_dp.mechanisms.base import MAX_SYNTHETIC_DRAWS, Mechanism
from spark_dp.privacy import Relation

#: Each cell of the domain needs noise of its own, which takes about 7 µs.
MAX_NOISY_CELLS = 2**20


def sensitivity(relation: Relation) -> int:
    """How far apart neighboring histograms are: a replaced record changes two counts by 1."""
    return 1 if relation is Relation.ADD_REMOVE else 2


class NoiseMechanism(Mechanism):
    """A histogram with discrete Laplace noise, and draws from what a mechanism makes of it."""

    max_draws: ClassVar[int] = MAX_SYNTHETIC_DRAWS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k > MAX_NOISY_CELLS:
            raise MethodError(
                f"{self.name} needs noise for each of the {self.k:,} values of the domain, and can have at most "
                f"{MAX_NOISY_CELLS:,}. Use method='ss-roo', whose draws cost only the values seen."
            )

    @property
    def noise_scale(self) -> float:
        """λ = sensitivity/ε, rounded up to a float, exactly as the noise is drawn from it."""
        wanted = Fraction(sensitivity(self.relation)) / self.epsilon.value
        nearest = float(wanted)
        return nearest if Fraction(nearest) >= wanted else math.nextafter(nearest, math.inf)

    def prepare(self) -> None:
        """Load the sampler of the noise."""
        SYSTEM.with_laplace([0], self.noise_scale)

    @final
    def noisy_counts(self, counts: Counts | Sequence[int]) -> list[int]:
        """One release of all counts, each with independent noise P(x) ∝ e^(−|x|/λ); may be negative."""
        return self._noisy_counts(self._completed(counts, SYSTEM), SYSTEM)

    def _noisy_counts(self, counts: Counts, source: Source) -> list[int]:
        exact = np.zeros(self.k, np.int64)
        exact[counts.ranks] = counts.counts
        return source.with_laplace(exact.tolist(), self.noise_scale)

    @final
    def released_weights(self, counts: Counts | Sequence[int]) -> list[int]:
        """One release of the weights of all draws, by rank; all zero stands for the uniform distribution.

        Whoever draws from them post-processes, so that any number of draws costs no more.
        """
        counts = self._completed(counts, SYSTEM)
        return self._bound_to(counts)._noisy_weights(counts, SYSTEM)  # noqa: SLF001 — of this class

    @final
    def _ranks(self, counts: Counts, source: Source) -> list[int]:
        return _drawn(self._noisy_weights(counts, source), self.num_samples, source)

    def _noisy_weights(self, counts: Counts, source: Source) -> list[int]:
        return self.weights(self._noisy_counts(counts, source), self.n)

    @staticmethod
    @abstractmethod
    def weights(noisy_counts: Sequence[int], n: int | None) -> list[int]:
        """Non-negative integer weights of the draws, from released noise and, if it is public, n.

        All zero stands for the uniform distribution.
        """

    def error_bound(self, n: int) -> Fraction:
        """k E|noise| / n, at most 1: of a draw's distribution over the noise too.

        Clipped or projected counts lie at most Σ|noise| from the exact ones, and their normalized
        forms at most 1/n of that (docs/mechanisms.md).
        """
        return min(Fraction(1), self.k * self._mean_noise / n) if n else Fraction(1)

    @property
    def _mean_noise(self) -> Fraction:
        """An upper bound of E|noise| = 2/(r − 1/r) with r = e^(1/λ)."""
        r = exp_lower(1 / Fraction(self.noise_scale))
        return 2 / (r - 1 / r)

    def pmf(self, counts: Counts | Sequence[int]) -> NoReturn:
        """Not available: a draw's probability is a sum over all the noise there could be.

        Raises:
            MethodError: always.
        """
        raise MethodError(
            f"{self.name} has no closed form of its probabilities, which average over all noise. Use draw(), "
            "noisy_counts() or error_bound()."
        )


def _drawn(weights: Sequence[int], draws: int, source: Source) -> list[int]:
    """Post-processing: independent draws from released weights."""
    k = len(weights)
    everyone = np.arange(k)
    shared = 0 if any(weights) else 1
    extra = None if shared else weights
    return independent(Categorical(k, everyone, np.zeros(k, np.int64), 1, extra, shared), draws, source)
