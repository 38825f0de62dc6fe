"""Exact differential privacy of every mechanism: all small neighbors in rationals, larger ones at random.

Would catch: smoothing that falls too fast, a minimum off by one, a rounding in the wrong direction,
a relation mixed up with another, an urn that fills too fast, a rate meant for other draws.
"""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neighbors import answered, exponential, largest_ratio

from spark_dp import mechanism
from spark_dp.audit.joint import joint
from spark_dp.audit.neighbors import histograms, neighbors
from spark_dp.counts import Counts
from spark_dp.errors import RelationError
from spark_dp.mechanisms.base import _with_outside_replaced
from spark_dp.mechanisms.registry import MECHANISMS
from spark_dp.privacy import Relation

LARGEST_N = {1: 12, 2: 30, 3: 14, 4: 12}
TIGHT = ["roo", "ds-roo", "subrr", "dirichlet", "smoothed-histogram"]


@pytest.mark.parametrize("k", LARGEST_N)
def test_no_ratio_exceeds_e_to_the_epsilon(name, relation, eps, k):
    tested = mechanism(name, eps, k, relation=relation)
    # A lower bound of e^ε: what passes here passes for e^ε itself.
    assert largest_ratio(tested.pmf, answered(tested, LARGEST_N[k], k), relation) <= tested.exp_epsilon


@pytest.mark.parametrize(("draws", "k", "largest_n"), [(1, 3, 7), (2, 2, 12), (2, 3, 6), (3, 2, 10), (3, 3, 5)])
@pytest.mark.parametrize("epsilon", ["0.25", "1", "3"])
def test_all_draws_together_stay_within_epsilon(name, relation, epsilon, draws, k, largest_n):
    tested = mechanism(name, epsilon, k, relation=relation, num_samples=draws)
    ratio = largest_ratio(lambda counts: joint(tested, counts), answered(tested, largest_n, k), relation)
    assert ratio <= exponential(epsilon)


@pytest.mark.parametrize(("draws", "epsilon"), [(1, "0.1"), (1, "1"), (2, "0.3"), (3, "1")])
def test_no_ratio_exceeds_it_beside_a_huge_count(name, relation, epsilon, draws):
    """Where a change of the total does not help: every pair of small counts, up to where smoothing ends."""
    tested = mechanism(name, epsilon, 3, relation=relation, num_samples=draws)
    largest = int(2.5 * draws / float(epsilon)) if draws == 1 else 8
    beside = [(c, d, 10**9) for d in range(largest) for c in range(d + 1)]
    ratio = largest_ratio(lambda counts: joint(tested, counts), beside, relation)
    assert ratio <= exponential(epsilon)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("tight", TIGHT)
def test_the_guarantee_is_tight_under_replace(tight, eps, k):
    tested = mechanism(tight, eps, k, relation="replace")
    ratio = largest_ratio(tested.pmf, answered(tested, LARGEST_N[k], k), "replace")
    assert ratio >= tested.exp_epsilon * (1 - Fraction(1, 10**6))


@pytest.mark.parametrize("draws", [2, 3])
@pytest.mark.parametrize("tight", TIGHT)
def test_the_guarantee_of_several_draws_is_tight_under_replace(tight, draws):
    tested = mechanism(tight, 1, 2, relation="replace", num_samples=draws)
    ratio = largest_ratio(lambda counts: joint(tested, counts), answered(tested, 7, 2), "replace")
    assert ratio >= exponential(1) * (1 - Fraction(1, 10**6))


@given(data=st.data())
@settings(max_examples=40)
def test_no_ratio_exceeds_it_at_large_n(name, relation, data):
    k = data.draw(st.integers(2, 5))
    eps = data.draw(st.sampled_from(["0.02", "0.1", "0.5", "1", "2.5"]))
    draws = data.draw(st.integers(1, 3 if k < 4 else 2))
    floor = data.draw(st.integers(0, 100))
    counts = data.draw(st.lists(st.integers(floor, floor + 3) | st.integers(floor, 10**9), min_size=k, max_size=k))
    tested = mechanism(name, eps, k, relation=relation, num_samples=draws)
    if tested.depends_on_n:
        counts[0] += draws
    here, bound = joint(tested, counts), exponential(eps)
    for neighbor in neighbors(counts, relation):
        there = joint(tested, neighbor)
        for sequence, p in here.items():
            assert there[sequence] <= bound * p
            assert p <= bound * there[sequence]


def test_rows_outside_the_domain_are_protected_under_replace(replacing, eps):
    """A row outside is a (k+1)-th symbol; its random replacement is part of the mechanism."""
    k, tested = 2, mechanism(replacing, eps, 2, relation="replace")

    @cache
    def pmf(counts):
        *inside, outside = counts
        mean = [Fraction(0)] * k
        for replacements in itertools.product(range(k), repeat=outside):
            completed = _with_outside_replaced(Counts.dense(inside, outside), Scripted(replacements))
            mean = [m + p / k**outside for m, p in zip(mean, tested.pmf(completed), strict=True)]
        return mean

    for counts in (counts for n in range(1, 6) for counts in histograms(n, k + 1)):
        for neighbor in neighbors(counts, "replace"):
            for p, q in zip(pmf(counts), pmf(neighbor), strict=True):
                assert p <= tested.exp_epsilon * q


class Scripted:
    """A source whose draws are given."""

    def __init__(self, values):
        self._values = values

    def below_many(self, bound, size):
        assert size == len(self._values)
        yield np.array(self._values, dtype=np.int64)


@pytest.mark.parametrize(
    ("method", "relation"),
    [(method, relation) for method, cls in MECHANISMS.items() for relation in sorted(set(Relation) - cls.relations)],
)
def test_a_relation_without_a_proof_is_refused(method, relation):
    with pytest.raises(RelationError, match=f"{method} has no proven guarantee under relation='{relation.value}'"):
        mechanism(method, 1, 3, relation=relation)
