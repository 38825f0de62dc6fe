"""Smoothed histogram: independent draws from a histogram mixed with the uniform distribution."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from spark_dp.errors import ArgumentError
from spark_dp.exact.rising import draws_within
from spark_dp.mechanisms.roo import Roo
from spark_dp.privacy import Epsilon


class SmoothedHistogram(Roo):
    """The smoothed histogram of Wasserman and Zhou.

    Mixes the histogram of the records with the uniform one at the rate δ and draws T values:
    ε-DP if T log(1 + (1 − δ) k / (n δ)) ≤ ε. Solved for δ that is ROO's rate q at ε/T; so it
    draws as ``roo`` does, and :func:`max_draws` answers the question the other way round.

    Guarantee: ε under every relation; tight under "replace".
    Error bound: TV of each draw ≤ δ (1 − 1/k).
    Source: Wasserman, Zhou (2010), A Statistical Framework for Differential Privacy, Theorem 4.1.

    >>> from spark_dp import mechanism
    >>> [f"{float(p):.6f}" for p in mechanism("smoothed-histogram", eps="0.5", k=3).pmf([0, 3, 7])]
    ['0.105405', '0.310541', '0.584054']
    """

    name: ClassVar[str] = "smoothed-histogram"
    summary: ClassVar[str] = "independent draws from the histogram mixed with the uniform one: roo by another name"


def max_draws(delta: Fraction | float | str, n: int, k: int, eps: object) -> int:
    """How many draws a smoothed histogram with a given share of uniform draws allows.

    The largest T with T log(1 + (1 − δ) k / (n δ)) ≤ ε; about ε n δ / k while that is small.

    Args:
        delta: share δ of draws that are uniform, 0 < δ < 1, read as decimal text.
        n: number of records, at least 1; public here.
        k: number of bins, at least 1.
        eps: privacy loss bound of all draws together.

    Raises:
        ArgumentError: if delta is 0, which would reveal the data, or another argument is out of range.

    Source:
        Wasserman, Zhou (2010), A Statistical Framework for Differential Privacy, Theorem 4.1.

    >>> [max_draws(delta, n=1000, k=10, eps=1) for delta in ("0.05", 0.1, 0.3, 0.5, 0.9)]
    [5, 11, 43, 100, 900]
    """
    try:
        share = Fraction(str(delta))
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(f"delta = {delta!r} is not a number. Give a share between 0 and 1 such as 0.1.") from None
    if share == 0:
        raise ArgumentError(
            "delta = 0 reveals the data: every draw would be the value of some record, and no number of draws is "
            "private. Give a share above 0, such as 0.1."
        )
    if not 0 < share < 1:
        raise ArgumentError(
            f"delta = {delta} must lie strictly between 0 and 1: it is the share of draws that are uniform, and at 1 "
            "no draw depends on the data."
        )
    for name, value in (("n", n), ("k", k)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ArgumentError(f"{name} = {value!r} must be a whole number of at least 1.")
    return draws_within(1 + (1 - share) * k / (n * share), Epsilon.parse(eps).value)
