"""The inverse questions: how many rows, which ε, how many samples keep an error."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from spark_dp.errors import ArgumentError, MethodError, NumSamplesError
from spark_dp.mechanisms.base import MAX_RECORDS, MAX_SYNTHETIC_DRAWS, Mechanism
from spark_dp.mechanisms.registry import mechanism
from spark_dp.planning.search import Search, index_of, rounded
from spark_dp.privacy import MAX_EPSILON, MIN_EPSILON, Epsilon, Relation

#: ε is tried in steps of three significant digits of so many parts.
_PARTS = 10**11


def rows_needed(
    k: int,
    eps: object,
    *,
    error: object = "0.05",
    method: str = "auto",
    num_samples: int = 1,
    relation: str | Relation = Relation.ANY,
) -> int:
    """How many rows a table needs, so that no sample of it lies further from it than an error.

    The smallest n with error_bound(n) ≤ error, above 1,000 the next number of three significant digits. It holds for
    every table of so many rows, also the worst one, whose rows all agree.

    Args:
        k: size of the public domain.
        eps: privacy loss bound of the release, read as decimal text.
        error: the largest total variation of a draw to the distribution of the rows, between 0 and 1.
        method: one of :func:`spark_dp.methods`.
        num_samples: draws in the release.
        relation: "any", "replace" or "add-remove".

    Raises:
        ArgumentError: in one of its kinds, on parameters out of range, or if no number of rows is enough.

    Source:
        The error bounds of the methods, docs/mechanisms.md.

    >>> rows_needed(9, 1, error="0.01", method="roo")
    461
    >>> rows_needed(9, 1, error="0.01")
    317
    """
    target = checked_error(error)
    parsed = Relation.parse(relation)
    planned = mechanism(method, eps, k, relation=parsed, num_samples=num_samples)

    def bound(index: int) -> Fraction | None:
        try:
            return worst_error(planned, rounded(index))
        except NumSamplesError:
            # subrr draws different rows, of which there are too few.
            return None

    found = Search(bound, lambda index: math.log(rounded(index)), target).first(1, index_of(MAX_RECORDS))
    if found is None:
        raise ArgumentError(
            f"No table is large enough: even {MAX_RECORDS} rows leave {planned.name} an error above {error} for "
            f"k = {k}. Give a larger error or eps, or a coarser domain."
        )
    return rounded(found)


def eps_needed(
    n: int,
    k: int,
    *,
    error: object = "0.05",
    method: str = "auto",
    num_samples: int = 1,
    relation: str | Relation = Relation.ANY,
) -> Decimal:
    """The least ε at which no sample of n rows lies further from them than an error.

    The smallest ε of three significant digits with error_bound(n) ≤ error.

    Args:
        n: a public figure for the number of rows. Not a count of the private table, unless that is public.
        k: size of the public domain.
        error: as for :func:`rows_needed`.
        method: one of :func:`spark_dp.methods`.
        num_samples: draws in the release.
        relation: "any", "replace" or "add-remove".

    Raises:
        ArgumentError: in one of its kinds, on parameters out of range, or if no ε up to 50 is enough.

    Source:
        The error bounds of the methods, docs/mechanisms.md.

    >>> eps_needed(1000, 9, error="0.01")
    Decimal('0.321')
    """
    target = checked_error(error)
    parsed = Relation.parse(relation)
    check_rows(n)
    mechanism(method, MAX_EPSILON, k, relation=parsed, num_samples=num_samples)

    def bound(index: int) -> Fraction | None:
        try:
            return worst_error(mechanism(method, _epsilon(index), k, relation=parsed, num_samples=num_samples), n)
        except MethodError:
            # The tables of some methods end at a smallest ε.
            return None

    low, high = (index_of(int(limit * _PARTS)) for limit in (MIN_EPSILON, MAX_EPSILON))
    found = Search(bound, lambda index: math.log(math.expm1(_epsilon(index))), target).first(low, high)
    if found is None:
        raise ArgumentError(
            f"No eps up to {MAX_EPSILON} is enough: {n:,} rows leave an error above {error} for k = {k} and "
            f"num_samples = {num_samples}. Give a larger error, more rows, fewer samples, or a coarser domain."
        )
    return _epsilon(found)


def most_samples(name: str, epsilon: Epsilon, k: int, relation: Relation, n: int, target: Fraction) -> int:
    """The most draws that keep an error, above 1,000 in three significant digits; 0 if even one does not."""

    # From the most that can be asked for downwards: the errors fall, and those that a method refuses come first.
    def bound(downwards: int) -> Fraction | None:
        try:
            return worst_error(mechanism(name, epsilon, k, relation=relation, num_samples=rounded(-downwards)), n)
        except (MethodError, NumSamplesError):
            return None

    def place(downwards: int) -> float:
        return -math.log(rounded(-downwards))

    found = Search(bound, place, target).first(-index_of(MAX_SYNTHETIC_DRAWS), -1)
    return 0 if found is None else rounded(-found)


def worst_error(planned: Mechanism, n: int) -> Fraction:
    """Its error bound, for a public figure of rows."""
    return (planned.with_n(n) if planned.relation is Relation.REPLACE else planned).error_bound(n)


def checked_error(error: object) -> Fraction:
    """An error that can be aimed at, exactly as it was written.

    Raises:
        ArgumentError: if it is no number between 0 and 1.
    """
    advice = "It is a total variation: give a number between 0 and 1, such as 0.05."
    try:
        target = Fraction(str(error))
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(f"error = {error!r} is not a number. {advice}") from None
    if not 0 < target < 1:
        raise ArgumentError(f"error = {error} cannot be aimed at. {advice}")
    return target


def check_rows(n: object) -> None:
    """Refuse what is no number of rows.

    Raises:
        ArgumentError: if it is none.
    """
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MAX_RECORDS:
        raise ArgumentError(
            f"n = {n!r} must be a public figure for the number of rows: a whole number from 1 to {MAX_RECORDS}. It "
            "need not be exact, and must not be counted from private rows."
        )


def _epsilon(index: int) -> Decimal:
    return Decimal(rounded(index)) / _PARTS
