"""Laplace projection: noisy counts, projected onto the histograms of their total."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import ClassVar

from spark_dp.mechanisms.noise import NoiseMechanism


class LaplaceProjection(NoiseMechanism):
    """The Laplace mechanism followed by a Euclidean projection onto the scaled simplex.

    Adds independent discrete Laplace noise of scale 2/ε (1/ε under "add-remove") to every count D,
    projects to w_y = max(0, D_y − τ) with τ such that Σ w is the total (n under "replace", else
    Σ D), and draws any number of values in proportion to w (uniformly if the total is not positive).

    Guarantee: ε under every relation, however many draws.
    Error bound: TV of each draw ≤ k E|noise| / n, where E|noise| ≈ 2/ε (1/ε).
    Source: Raskhodnikova, Sivakumar, Smith, Swanberg (2021), Differentially Private Sampling from
    Distributions; OpenDP for the noise.

    >>> LaplaceProjection.weights([3, -1, 12], None)  # (2.5, 0, 11.5), times the 2 that stay positive
    [5, 0, 23]
    """

    name: ClassVar[str] = "laplace-projection"
    summary: ClassVar[str] = "draws from noisy counts projected onto their total: any number for one ε"

    @staticmethod
    def weights(noisy_counts: Sequence[int], n: int | None) -> list[int]:
        """The projection times the number of counts that stay positive, which makes it integers."""
        total = sum(noisy_counts) if n is None else n
        if total <= 0:
            return [0] * len(noisy_counts)
        ordered = sorted(noisy_counts, reverse=True)
        # τ = (sum of the s largest − total) / s for the largest s whose last count exceeds it.
        positive, cut = max(
            (size, above - total)
            for size, (above, least) in enumerate(zip(accumulate(ordered), ordered, strict=True), start=1)
            if size * least > above - total
        )
        return [max(0, positive * noisy - cut) for noisy in noisy_counts]
