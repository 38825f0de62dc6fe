"""Perturbed histogram: noisy counts, clipped at zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from spark_dp.mechanisms.noise import NoiseMechanism


class PerturbedHistogram(NoiseMechanism):
    """The perturbed histogram of Wasserman and Zhou, with integer noise.

    Adds independent discrete Laplace noise of scale 2/ε (1/ε under "add-remove") to every count,
    clips at 0, and draws any number of values in proportion (uniformly if nothing is left).

    Guarantee: ε under every relation, however many draws.
    Error bound: TV of each draw ≤ k E|noise| / n, where E|noise| ≈ 2/ε (1/ε).
    Source: Wasserman, Zhou (2010), A Statistical Framework for Differential Privacy, Section 4;
    Ghosh, Roughgarden, Sundararajan (2009) for discrete noise, drawn by OpenDP.

    >>> PerturbedHistogram.weights([3, -1, 12], None)
    [3, 0, 12]
    """

    name: ClassVar[str] = "perturbed-histogram"
    summary: ClassVar[str] = "draws from noisy counts clipped at 0: any number for one ε"

    @staticmethod
    def weights(noisy_counts: Sequence[int], n: int | None) -> list[int]:
        """The noisy counts, negative ones as 0."""
        return [max(0, noisy) for noisy in noisy_counts]
