"""How much can be enumerated in some seconds: as many values, records and draws as fit."""

from __future__ import annotations

import math
from dataclasses import dataclass

from spark_dp.audit.exponential import protected_draws
from spark_dp.mechanisms.base import Mechanism
from spark_dp.mechanisms.weights import Scheme, WeightsMechanism
from spark_dp.privacy import Relation

#: Steps of about two microseconds.
_MOST_STEPS = 1_000_000
#: What making the probabilities of one histogram takes before the first of them.
_STEPS_OF_A_HISTOGRAM = 30
#: So many records show all that a table does at an ε of a tenth and more; fewer only if there are fewer.
_ENOUGH_RECORDS = 30


@dataclass(frozen=True)
class Size:
    """What is enumerated.

    Args:
        k: values.
        n: records; as many as there are under "replace", where n is public, and up to so many otherwise.
        draws: of a release, all of whose probabilities are compared together.
    """

    k: int
    n: int
    draws: int


def fitting(mechanism: Mechanism, n: int) -> Size:
    """The largest size that fits: all draws, then all values and records, then the most records over three values.

    One value that gains a record, one that loses one and one that keeps its own play every part in a proof.
    """
    enough, least_k = min(n, _ENOUGH_RECORDS), min(mechanism.k, 2)
    draws = 1
    while draws < protected_draws(mechanism) and _fits(mechanism, Size(least_k, enough, draws + 1)):
        draws += 1
    k = least_k
    while k < mechanism.k and _fits(mechanism, Size(k + 1, n, draws)):
        k += 1
    if k < min(mechanism.k, 3) and _fits(mechanism, Size(3, enough, draws)):
        k = 3
    return Size(k, _most_records(mechanism, Size(k, n, draws)), draws)


def _most_records(mechanism: Mechanism, size: Size) -> int:
    low, high = 0, size.n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _fits(mechanism, Size(size.k, middle, size.draws)) else (low, middle - 1)
    return low


def _fits(mechanism: Mechanism, size: Size) -> bool:
    k, relation = size.k, mechanism.relation
    pairs = (0 if relation is Relation.ADD_REMOVE else k * (k - 1) // 2) + (0 if relation is Relation.REPLACE else k)
    outcomes = math.comb(size.draws + k - 1, size.draws)
    each = _STEPS_OF_A_HISTOGRAM + outcomes * (pairs + _steps_of_an_outcome(mechanism, size.draws))
    return _histograms(relation, size) * each <= _MOST_STEPS


def _histograms(relation: Relation, size: Size) -> int:
    """How many are looked at, with their neighbors."""
    # As good as too many: a binomial coefficient of all there could be would take its time.
    n = min(size.n, _MOST_STEPS)
    return math.comb(n + size.k - 1, n) if relation is Relation.REPLACE else math.comb(n + 1 + size.k, size.k)


def _steps_of_an_outcome(mechanism: Mechanism, draws: int) -> int:
    """What making the probability of one outcome takes."""
    distinct = isinstance(mechanism, WeightsMechanism) and mechanism.scheme is Scheme.DISTINCT_RECORDS
    return draws**3 if distinct else 4 * draws
