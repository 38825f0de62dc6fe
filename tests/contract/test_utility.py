"""What every mechanism promises besides privacy: its error bound, and that labels do not matter."""

import itertools
from fractions import Fraction

import pytest
from neighbors import answered

from spark_dp import mechanism


@pytest.mark.parametrize("k", [1, 2, 3])
def test_total_variation_stays_below_the_error_bound(name, relation, eps, k):
    tested = mechanism(name, eps, k, relation=relation)
    for counts in answered(tested, 10, k):
        if n := sum(counts):
            assert total_variation(tested.pmf(list(counts)), counts) <= tested.error_bound(n)


def total_variation(pmf, counts):
    n = sum(counts)
    return sum(abs(p - Fraction(count, n)) for p, count in zip(pmf, counts, strict=True)) / 2


@pytest.mark.parametrize("n", [3, 40, 10**9])
@pytest.mark.parametrize("draws", [1, 3])
def test_the_error_bound_is_reached_when_all_records_agree(name, relation, eps, draws, n):
    tested = mechanism(name, eps, 5, relation=relation, num_samples=draws)
    assert 1 - tested.pmf([n, 0, 0, 0, 0])[0] == tested.error_bound(n)


def test_relabeling_the_values_relabels_the_probabilities(name, relation, eps):
    tested = mechanism(name, eps, 4, relation=relation)
    for counts in ([0, 1, 2, 3], [1, 1, 4, 9], [3, 5, 5, 6], [0, 0, 0, 7]):
        straight = tested.pmf(counts)
        for order in itertools.permutations(range(4)):
            assert tested.pmf([counts[symbol] for symbol in order]) == [straight[symbol] for symbol in order]


def test_probabilities_sum_to_one_exactly(name, relation, eps):
    assert sum(mechanism(name, eps, 4, relation=relation).pmf([0, 2, 3, 60])) == 1


def test_equal_counts_give_the_uniform_distribution(name, relation, eps):
    tested = mechanism(name, eps, 3, relation=relation)
    for each in range(1 if tested.depends_on_n else 0, 4):
        assert tested.pmf([each] * 3) == [Fraction(1, 3)] * 3


def test_a_domain_of_one_value_gives_that_value(name, relation, eps):
    assert mechanism(name, eps, 1, relation=relation, num_samples=3).draw([5]) == [0, 0, 0]
