"""ROO: reveal a random record's value, or obscure it with a uniform one."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from spark_dp.counts import Counts
from spark_dp.mechanisms.base import Mechanism, Smoothing


class Roo(Mechanism):
    """Reveal-or-obscure sampling.

    With t = 1/(e^(ε/T) − 1) and q = k t / (n + k t): with probability 1 − q a draw is the value of
    a uniformly random record, else a uniform value of the domain. Equivalently
    Q(y) ∝ c_y + t.

    Guarantee: ε under every relation; tight under "replace".
    Error bound: TV ≤ q (1 − 1/k).
    Source: Tasnim, Gilani, Sankar, Kosut (2025), arXiv:2504.14696, the algorithm ROO.

    >>> from spark_dp import mechanism
    >>> [f"{float(p):.6f}" for p in mechanism("roo", eps="0.5", k=3).pmf([0, 3, 7])]
    ['0.105405', '0.310541', '0.584054']
    """

    name: ClassVar[str] = "roo"

    @cached_property
    def pseudo_count(self) -> int:
        """t rounded up, in units of 1/scale record."""
        return math.ceil(self.scale / (self.exp_epsilon - 1))

    def smoothing(self, counts: Counts) -> Smoothing:
        """The same pseudo-count t for every value."""
        return Smoothing(self.pseudo_count)

    def error_bound(self, n: int) -> Fraction:
        """q (1 − 1/k): reached when all n records hold the same value."""
        return Fraction((self.k - 1) * self.pseudo_count, n * self.scale + self.k * self.pseudo_count)

    def sample_complexity(self, alpha: Fraction | float | str) -> Fraction:
        """Records needed for TV ≤ α with one draw: n = (k (1 − α) − 1) / (α (e^(ε/T) − 1)).

        >>> from spark_dp import mechanism
        >>> round(float(mechanism("roo", eps=1, k=9).sample_complexity("0.01")), 6)
        460.343575
        """
        rate = Fraction(str(alpha))
        return max(Fraction(0), (self.k * (1 - rate) - 1) / (rate * (self.exp_epsilon - 1)))
