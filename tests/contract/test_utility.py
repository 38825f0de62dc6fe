"""What every mechanism promises besides privacy: its error bound, and that labels do not matter."""

import itertools
from fractions import Fraction

import pytest
from neighbors import histograms

from spark_dp import mechanism


@pytest.mark.parametrize("k", [1, 2, 3])
def test_total_variation_stays_below_the_error_bound(name, relation, eps, k):
    tested = mechanism(name, eps, k, relation=relation)
    for counts in (counts for n in range(1, 11) for counts in histograms(n, k)):
        n = sum(counts)
        pairs = zip(tested.pmf(list(counts)), counts, strict=True)
        total_variation = sum(abs(p - Fraction(count, n)) for p, count in pairs) / 2
        assert total_variation <= tested.error_bound(n)


def test_the_error_bound_is_reached_when_all_records_agree(name, relation, eps):
    tested = mechanism(name, eps, 5, relation=relation)
    assert 1 - tested.pmf([40, 0, 0, 0, 0])[0] == tested.error_bound(40)


def test_relabeling_the_values_relabels_the_probabilities(name, relation, eps):
    tested = mechanism(name, eps, 4, relation=relation)
    for counts in ([0, 1, 2, 3], [1, 1, 4, 9], [3, 5, 5, 6], [0, 0, 0, 7]):
        straight = tested.pmf(counts)
        for order in itertools.permutations(range(4)):
            assert tested.pmf([counts[symbol] for symbol in order]) == [straight[symbol] for symbol in order]


def test_probabilities_sum_to_one_exactly(name, relation, eps):
    assert sum(mechanism(name, eps, 4, relation=relation).pmf([0, 2, 3, 60])) == 1


def test_no_records_give_the_uniform_distribution(name, relation, eps):
    assert mechanism(name, eps, 3, relation=relation).pmf([0, 0, 0]) == [Fraction(1, 3)] * 3


def test_a_domain_of_one_value_gives_that_value(name, relation, eps):
    assert mechanism(name, eps, 1, relation=relation, num_samples=3).draw([5]) == [0, 0, 0]
