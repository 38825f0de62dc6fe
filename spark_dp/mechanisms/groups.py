"""One mechanism for every group of a table."""

from __future__ import annotations

from decimal import Context, Decimal

from spark_dp.errors import MethodError
from spark_dp.mechanisms.base import Mechanism
from spark_dp.mechanisms.registry import MECHANISMS, mechanism
from spark_dp.privacy import Epsilon, Relation


def group_mechanism(name: str, epsilon: Epsilon, k: int, relation: Relation, num_samples: int) -> Mechanism:
    """The mechanism that each of several groups runs on its own rows, so that all together keep ε.

    A row added or removed is in one group: each runs at ε. A row that is replaced may leave one group
    and enter another, or change within one, which is a removal and an addition: each runs at ε/2. How
    many rows a group has is private under every relation.

    Raises:
        MethodError: if the method needs to know how many rows there are.

    >>> group_mechanism("roo", Epsilon.parse(1), 3, Relation.ANY, 1).epsilon.value
    Fraction(1, 2)
    """
    if name in MECHANISMS and MECHANISMS[name].depends_on_n:
        raise MethodError(
            f"{name} needs a public number of rows, and that of a group is private. Use method='auto', or sample the "
            "whole table."
        )
    share = epsilon if relation is Relation.ADD_REMOVE else _half(epsilon)
    return mechanism(name, share, k, relation=Relation.ADD_REMOVE, num_samples=num_samples)


def _half(epsilon: Epsilon) -> Epsilon:
    """ε/2, exactly."""
    digits = len(epsilon.decimal.as_tuple().digits)
    return Epsilon.parse(Context(prec=digits + 1).multiply(epsilon.decimal, Decimal("0.5")))
