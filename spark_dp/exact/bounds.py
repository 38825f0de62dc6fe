"""Certified rational bounds of the exponential function."""

from __future__ import annotations

from fractions import Fraction

#: Fraction bits of every bound: e^ε − 1 keeps more than 70 correct bits down to ε = 10⁻¹⁵.
BITS = 128


def exp_lower(x: Fraction, bits: int = BITS) -> Fraction:
    """A rational lower bound of e^x with denominator 2^bits, for x ≥ 0.

    The argument is halved until it is below 1/128, the Taylor series (all of whose terms are
    positive) is cut, and the sum is squared back. Each step rounds down, so the result cannot
    exceed e^x; guard bits keep it within two units of the last place of it.

    Raises:
        ValueError: if x is negative.

    >>> bound = exp_lower(Fraction(1))
    >>> Fraction("2.718281828459045235360287471352") < bound < Fraction("2.718281828459045235360287471353")
    True
    """
    if x < 0:
        raise ValueError("exp_lower is certified for x >= 0 only")
    halvings = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 8)
    work = bits + 2 * halvings + 2 * (x.numerator // x.denominator) + 16
    one = 1 << work
    argument = (x.numerator << work) // (x.denominator << halvings)
    total, term, order = 0, one, 1
    while term:
        total += term
        term = (term * argument) // (order << work)
        order += 1
    for _ in range(halvings):
        total = (total * total) >> work
    return Fraction(total >> (work - bits), 1 << bits)
