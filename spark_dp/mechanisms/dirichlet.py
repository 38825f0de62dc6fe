"""Dirichlet: a Pólya urn that starts with a pseudo-count for every value."""

from __future__ import annotations

from typing import ClassVar

from spark_dp.mechanisms.weights import ConstantSmoothing, Scheme


class Dirichlet(ConstantSmoothing):
    """The Dirichlet-multinomial sampler.

    Draws T values from a distribution that itself is drawn from Dirichlet(c + a), with the
    concentration a = T/(e^ε − 1). Equivalently a Pólya urn: a draw is y with probability
    proportional to c_y + a + (how often y was drawn before). One draw is ROO.

    Guarantee: ε for all T draws together under every relation; tight under "replace".
    Error bound: TV of each draw ≤ (k − 1) a / (n + k a).
    Source: Machanavajjhala, Kifer, Abowd, Gehrke, Vilhuber (2008), Privacy: Theory meets Practice on
    the Map: the condition a ≥ T/(e^ε − 1).

    >>> from spark_dp import mechanism
    >>> urn = mechanism("dirichlet", eps=1, k=9, num_samples=10)
    >>> f"{urn.pseudo_count / urn.scale:.6f}"
    '5.819767'
    """

    name: ClassVar[str] = "dirichlet"
    summary: ClassVar[str] = "an urn that starts with the counts and T/(e^ε − 1) more for each value; draws resemble"
    scheme: ClassVar[Scheme] = Scheme.POLYA_URN
