"""What a ratio of probabilities is compared with: a lower bound of e^ε, so that what passes passes for e^ε."""

from __future__ import annotations

from fractions import Fraction

from spark_dp.exact.bounds import exp_lower
from spark_dp.mechanisms.base import Mechanism
from spark_dp.mechanisms.weights import Scheme, WeightsMechanism

#: Fraction bits of the bound: more than the mechanisms', whose weights keep a lower one.
_BITS = 256


def exp_below(x: Fraction) -> Fraction:
    """A certified lower bound of e^x, for x ≥ 0, within 2^−255 of it."""
    return exp_lower(x, _BITS)


def is_below_exp(bound: Fraction, x: Fraction) -> bool:
    """Whether a rational is below e^x, as ball arithmetic finds it, which shares nothing with the bound.

    >>> one = Fraction(1)
    >>> is_below_exp(exp_below(one), one), is_below_exp(exp_below(one) + Fraction(1, 2**255), one)
    (True, False)
    """
    import flint

    with flint.ctx.workprec(2 * _BITS):
        exact = flint.arb(flint.fmpq(x.numerator, x.denominator)).exp()
        return bool(exact > flint.arb(flint.fmpq(bound.numerator, bound.denominator)))


def protected_epsilon(mechanism: WeightsMechanism) -> Fraction:
    """ε of what is protected together: of all draws, or of one where draws are independent and share ε.

    From the scheme, and not from what the mechanism says of itself.
    """
    return mechanism.epsilon.value / (mechanism.num_samples if mechanism.scheme is Scheme.INDEPENDENT else 1)


def protected_draws(mechanism: Mechanism) -> int:
    """How many draws are protected together; 1 where each has its share of ε, or follows released noise."""
    if isinstance(mechanism, WeightsMechanism) and mechanism.scheme is not Scheme.INDEPENDENT:
        return mechanism.num_samples
    return 1
