"""The χ² distribution, as far as a test of a sampler needs it, from certified incomplete gamma functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

#: Bits of the ball arithmetic, many more than a float keeps.
_PRECISION = 128


def survival(statistic: float, degrees: int) -> float:
    """The probability that χ² with so many degrees of freedom is larger.

    >>> f"{survival(30.66485, 3):.3g}"
    '1e-06'
    """
    import flint

    with flint.ctx.workprec(_PRECISION):
        tail: Any = flint.arb(statistic / 2).gamma_upper(flint.arb(degrees) / 2, regularized=1)
        return float(tail)


def threshold(level: float, degrees: int) -> float:
    """The value that χ² exceeds with that probability; 0 without any degree of freedom.

    >>> f"{threshold(1e-6, 3):.4f}"
    '30.6648'
    """
    return _falling_root(lambda x: survival(x, degrees) - level) if degrees else 0.0


def noncentrality(level: float, missed: float, degrees: int) -> float:
    """How far off a distribution is that a test at this level misses with that probability.

    Σ (expected − true)²/expected over the cells: what χ² of its draws, which is noncentral then, has
    on top of its degrees of freedom on average.

    >>> f"{noncentrality(1e-6, 1e-6, 3):.1f}"
    '103.2'
    """
    limit = threshold(level, degrees)
    return _falling_root(lambda shift: _below(limit, degrees, shift) - missed)


def _below(limit: float, degrees: int, shift: float) -> float:
    """The probability that noncentral χ² is at most the limit: central ones, mixed by a Poisson distribution."""
    likely = range(max(0, int(shift / 2 - 10 * math.sqrt(shift + 9))), int(shift / 2 + 10 * math.sqrt(shift + 9)))
    return sum(
        math.exp(more * math.log(shift / 2) - shift / 2 - math.lgamma(more + 1))
        * (1 - survival(limit, degrees + 2 * more))
        for more in likely
    )


def _falling_root(function: Callable[[float], float]) -> float:
    """The positive root of a function that falls, to twelve digits."""
    high = 1.0
    while function(high) > 0:
        high *= 2
    low = 0.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return high
