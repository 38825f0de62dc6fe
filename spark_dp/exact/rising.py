"""Certified comparisons of logarithms with ε: of numbers, and of rising factorials.

The rising factorial x (x + 1) … (x + T − 1) is what T draws from an urn multiply up to. For large T
only its logarithm, a difference of log Γ, can be computed; python-flint does that with rigorous
error bounds, so that a comparison here holds or is answered with no.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

#: Bits of the ball arithmetic: log Γ of 10¹² has 45 before the point, ε = 10⁻⁹ another 30 behind it.
_PRECISION = 192

#: Fraction bits of a logarithm that is given as an integer.
LOG_BITS = 128


@dataclass(frozen=True)
class Rising:
    """Products of rising factorials of T terms, compared with e^ε.

    Args:
        draws: T, the number of terms of each factorial.
        epsilon: ε, exactly.
        exp_epsilon: a lower bound of e^ε.
        scale: what 1 is in the integers that the methods take.

    >>> e = Fraction("2.718281828")
    >>> one, three = Rising(1, Fraction(1), e, scale=10), Rising(3, Fraction(1), e, scale=10)
    >>> one.within([27], [10]), one.within([28], [10])  # 2.7 / 1 and 2.8 / 1
    (True, False)
    >>> three.within([20], [13]), three.within([20], [12])  # (2 · 3 · 4) / (1.3 · 2.3 · 3.3) and (1.2 · 2.2 · 3.2)
    (True, False)
    """

    draws: int
    epsilon: Fraction
    exp_epsilon: Fraction
    scale: int

    def within(self, above: Sequence[int], below: Sequence[int]) -> bool:
        """Whether ∏ rising(above) ≤ e^ε ∏ rising(below), for certain.

        ``above`` and ``below`` are of one length. A single draw is decided in exact integers.
        """
        if self.draws == 1:
            left, right = self.exp_epsilon.denominator, self.exp_epsilon.numerator
            for upper, lower in zip(above, below, strict=True):
                left, right = left * upper, right * lower
            return left <= right
        with _precision() as flint:
            return bool(self._log(flint, above, below) <= flint.arb(_rational(flint, self.epsilon)))

    def excess(self, above: Sequence[int], below: Sequence[int]) -> int:
        """log (∏ rising(above) / ∏ rising(below)) − ε in units of 2^−LOG_BITS, rounded; for a search."""
        with _precision() as flint:
            exact = self._log(flint, above, below) - flint.arb(_rational(flint, self.epsilon))
            return int((exact * (1 << LOG_BITS)).mid().floor().unique_fmpz())

    def _log(self, flint: Any, above: Sequence[int], below: Sequence[int]) -> Any:
        total = flint.arb(0)
        for upper, lower in zip(above, below, strict=True):
            total += self._log_rising(flint, upper) - self._log_rising(flint, lower)
        return total

    def _log_rising(self, flint: Any, units: int) -> Any:
        x = flint.arb(units) / self.scale
        return x.log() if self.draws == 1 else (x + self.draws).lgamma() - x.lgamma()


def draws_within(ratio: Fraction, epsilon: Fraction) -> int:
    """The largest T with ratio^T ≤ e^ε, for a ratio above 1.

    >>> draws_within(Fraction(2), Fraction("6.94"))
    10
    """
    with _precision() as flint:
        quotient = flint.arb(_rational(flint, epsilon)) / flint.arb(_rational(flint, ratio)).log()
        return int(quotient.lower().floor().unique_fmpz())


def _rational(flint: Any, value: Fraction) -> Any:
    return flint.fmpq(value.numerator, value.denominator)


@contextmanager
def _precision() -> Iterator[Any]:
    """python-flint at the precision needed here, its own setting restored afterwards."""
    # Imported by the first mechanism that needs it: it takes longer than the rest of a draw.
    import flint

    with flint.ctx.workprec(_PRECISION):
        yield flint
