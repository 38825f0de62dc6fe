"""Amounts of ε as whole billionths, so that sums are exact."""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from spark_dp.errors import EpsilonError
from spark_dp.privacy import Epsilon

_BILLIONTHS = 10**9
_LEAST = Decimal("1e-9")
#: A year of the largest ε every minute, with which sums stay far below 2^63 billionths.
MAX_TOTAL = Decimal(10**6)


def cost(epsilon: Epsilon) -> int:
    """What a release is charged, rounded up.

    >>> cost(Epsilon.parse("0.1")), cost(Epsilon.parse("1.0000000001"))
    (100000000, 1000000001)
    """
    return math.ceil(epsilon.value * _BILLIONTHS)


def allowance(total: object) -> int:
    """What a budget allows in all, rounded down.

    Raises:
        EpsilonError: if it is no decimal number from 10⁻⁹ to 10⁶.

    >>> allowance("3"), allowance(0.3)
    (3000000000, 300000000)
    """
    try:
        decimal = Decimal(str(total).strip())
    except InvalidOperation:
        decimal = Decimal("NaN")
    if isinstance(total, bool) or not decimal.is_finite() or not _LEAST <= decimal <= MAX_TOTAL:
        raise EpsilonError(
            f"A budget of {str(total)[:40]!r} is no amount of ε: give a decimal number from 0.000000001 to "
            f"{MAX_TOTAL:,}, such as 3 or '0.5'."
        )
    return math.floor(Fraction(decimal) * _BILLIONTHS)


def written(billionths: int) -> str:
    """An amount as decimal text.

    >>> written(100000000), written(3000000000), written(-1)
    ('0.1', '3', '-0.000000001')
    """
    text = format(Decimal(billionths).scaleb(-9), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
