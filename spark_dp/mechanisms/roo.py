"""ROO: reveal a random record's value, or obscure it with a uniform one."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from spark_dp.mechanisms.weights import ConstantSmoothing


class Roo(ConstantSmoothing):
    """Reveal-or-obscure sampling.

    With t = 1/(e^(ε/T) − 1) and q = k t / (n + k t): with probability 1 − q a draw is the value of
    a uniformly random record, else a uniform value of the domain. Equivalently
    Q(y) ∝ c_y + t. The T draws are independent.

    Guarantee: ε under every relation; tight under "replace".
    Error bound: TV ≤ q (1 − 1/k).
    Source: Tasnim, Gilani, Sankar, Kosut (2025), arXiv:2504.14696, the algorithm ROO.

    >>> from spark_dp import mechanism
    >>> [f"{float(p):.6f}" for p in mechanism("roo", eps="0.5", k=3).pmf([0, 3, 7])]
    ['0.105405', '0.310541', '0.584054']
    """

    name: ClassVar[str] = "roo"
    summary: ClassVar[str] = "reveals a random record's value, or a uniform value at a rate that depends on n, k and ε"

    def sample_complexity(self, alpha: Fraction | float | str) -> Fraction:
        """Records needed for TV ≤ α with one draw: n = (k (1 − α) − 1) / (α (e^(ε/T) − 1)).

        >>> from spark_dp import mechanism
        >>> round(float(mechanism("roo", eps=1, k=9).sample_complexity("0.01")), 6)
        460.343575
        """
        rate = Fraction(str(alpha))
        return max(Fraction(0), (self.k * (1 - rate) - 1) / (rate * (self.exp_epsilon - 1)))
