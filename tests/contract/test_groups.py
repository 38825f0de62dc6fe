"""Samples of groups in one release: the joint probabilities of all groups, over tables of group and value.

Would catch: groups that each run at ε where a replaced row can touch two, a relation meant for a
public n, counts cut at the wrong place.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neighbors import exponential, largest_ratio

from spark_dp import Counts
from spark_dp.audit.joint import joint
from spark_dp.audit.neighbors import histograms
from spark_dp.errors import EpsilonError, MethodError
from spark_dp.mechanisms.groups import group_mechanism
from spark_dp.mechanisms.registry import MECHANISMS
from spark_dp.mechanisms.weights import WeightsMechanism
from spark_dp.privacy import Epsilon, Relation

GROUPS, K = 2, 2
WEIGHTED = [name for name, cls in MECHANISMS.items() if issubclass(cls, WeightsMechanism) and not cls.depends_on_n]


def of_all_groups(tested, counts):
    """The probability of everything that comes out of all groups."""
    each = [joint(tested, counts[group * K : (group + 1) * K]) for group in range(GROUPS)]
    return {outcome: product(each, outcome) for outcome in itertools.product(*each)}


def product(each, outcome):
    probability = Fraction(1)
    for group, sequence in zip(each, outcome, strict=True):
        probability *= group[sequence]
    return probability


def tables(largest_n):
    """Every table: its cells are not interchangeable, so that none may be left out as a relabeling."""
    return [counts for n in range(largest_n + 1) for counts in histograms(n, GROUPS * K)]


def largest(tested, relation, largest_n):
    # largest_ratio looks at sorted histograms only, which stand for the others if all cells are alike:
    # here they are shuffled into place.
    worst = Fraction(0)
    for order in ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2)):
        place = [order.index(cell) for cell in range(4)]
        found = largest_ratio(
            lambda counts, place=place: of_all_groups(tested, [counts[cell] for cell in place]),
            tables(largest_n),
            relation,
        )
        worst = max(worst, found)
    return worst


@pytest.mark.parametrize("neighbors_are", list(Relation))
@pytest.mark.parametrize(("draws", "largest_n"), [(1, 7), (2, 5)])
@pytest.mark.parametrize("method", WEIGHTED)
@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_all_groups_together_stay_within_epsilon(method, neighbors_are, epsilon, draws, largest_n):
    tested = group_mechanism(method, Epsilon.parse(epsilon), K, neighbors_are, draws)
    assert largest(tested, neighbors_are.value, largest_n) <= exponential(epsilon)


@pytest.mark.parametrize("relation", ["any", "replace"])
def test_groups_that_each_run_at_epsilon_are_caught_where_a_row_can_move(relation):
    tested = group_mechanism("roo", Epsilon.parse(1), K, Relation.ADD_REMOVE, 1)
    assert largest(tested, relation, 7) > exponential(1)


@pytest.mark.parametrize(("relation", "scale"), [("any", 4), ("replace", 4), ("add-remove", 2)])
def test_the_noise_of_a_group_hides_all_that_a_row_can_do(relation, scale):
    """Two counts change by 1 at most, in one group or in two: 2/ε as without groups."""
    tested = group_mechanism("perturbed-histogram", Epsilon.parse("0.5"), K, Relation.parse(relation), 1)
    assert tested.noise_scale == scale


@given(st.decimals("0.000000002", "50", places=9))
def test_half_of_epsilon_is_exact(epsilon):
    assert group_mechanism("roo", Epsilon.parse(epsilon), 2, Relation.ANY, 1).epsilon.value * 2 == Fraction(epsilon)


def test_half_of_the_smallest_epsilon_is_refused():
    with pytest.raises(EpsilonError, match="below"):
        group_mechanism("roo", Epsilon.parse("0.000000001"), 2, Relation.ANY, 1)


def test_a_method_that_needs_a_public_n_is_refused():
    with pytest.raises(MethodError, match="that of a group is private"):
        group_mechanism("subrr", Epsilon.parse(1), 2, Relation.REPLACE, 1)


@given(st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_counts_are_cut_into_those_of_each_group(dense):
    parts = list(Counts.dense(dense).split(3))
    for part, expected in zip(parts, (dense[:2], dense[2:4], dense[4:]), strict=True):
        again = np.zeros(2, np.int64)
        again[part.ranks] = part.counts
        assert again.tolist() == expected
        assert part.k == 2
